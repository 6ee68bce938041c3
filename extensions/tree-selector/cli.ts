import type { CliCommand, ExtensionContext, TreeFilter } from "coppice";
import { coreError } from "coppice/core";
import { jsonLine, rowText } from "coppice/tui";
import { classicRows, statusLine } from "./classic-row.ts";
import { treeJson } from "./json.ts";
import { firstModel } from "./model.ts";
import { dataOptions, filtersOf } from "./panel.ts";
import { Settler } from "./settle.ts";
import { readTree, type TreeData } from "./tree-data.ts";
import type { VisibleTree } from "./visible.ts";

const BLOCK_CHARACTERS = 64 * 1024;

/** The verb `coppice tree`: the rows of the layout `classic`, or all of them as JSON. */
export const treeVerb: CliCommand = {
  name: "tree",
  description: "print the tree of a session",
  arguments: "<session>",
  options: [
    { flags: "--filter <mode>", description: "which entries: default, no-tools, user-only, …" },
    { flags: "--query <text>", description: "only rows that hold every word of the text" },
    { flags: "--json", description: "one JSON object instead of rows" },
  ],
  examples: ["coppice tree 0199a1b2 --filter user-only", "coppice tree session.jsonl --json"],
  session: "read",
  run: async ({ options, write }, ctx) => {
    const data = await readTree(ctx.sessionManager, dataOptions(ctx));
    const filter = chosenFilter(ctx, options.filter);
    const query = typeof options.query === "string" ? options.query : "";
    const { tree, problem } = await new Settler().settle({ data, filter, query });
    if (!tree) {
      throw coreError("INVALID_ARGUMENT", { argument: "--filter", reason: problem ?? "no answer" });
    }
    if (options.json === true) write(`${jsonLine(treeJson(ctx.sessionManager, data, tree))}\n`);
    else writeLines(treeLines(data, tree, filter, terminalWidth()), write);
    return 0;
  },
};

/**
 * The rows and the status line as text, each at most `width` cells; the leaf, or its nearest visible
 * ancestor, carries the cursor. An empty session has no lines.
 */
function* treeLines(
  data: TreeData,
  tree: VisibleTree,
  filter: TreeFilter,
  width: number,
): Generator<string> {
  if (data.rows.length === 0) return;
  const { row, rowOf } = firstModel({ data, filter, query: "" }, tree, classicRows);
  for (let node = 0; node < tree.length; node++) {
    const options = { isFolded: false, isSelected: node === row, columns: width };
    yield rowText(rowOf(node, options), width);
  }
  yield rowText({ middle: [{ text: statusLine(row, tree.length, filter) }] }, width);
}

/** Writes lines in blocks: one write a line would be most of the work. */
function writeLines(lines: Iterable<string>, write: (text: string) => void): void {
  let block = "";
  for (const line of lines) {
    block += `${line}\n`;
    if (block.length < BLOCK_CHARACTERS) continue;
    write(block);
    block = "";
  }
  if (block !== "") write(block);
}

function chosenFilter(ctx: ExtensionContext, id: unknown): TreeFilter {
  const filters = filtersOf(ctx);
  const wanted = id ?? ctx.getSetting("treeFilterMode") ?? "default";
  const found = filters.find((filter) => filter.id === wanted);
  if (found) return found;
  if (id === undefined) return filters[0] as TreeFilter;
  const known = filters.map((filter) => filter.id).join(", ");
  throw coreError("INVALID_ARGUMENT", {
    argument: `--filter ${id}`,
    reason: `no such filter; there are ${known}`,
  });
}

/** A terminal cuts rows; a file or a pipe gets them whole. */
function terminalWidth(): number {
  const { isTTY, columns } = process.stdout;
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}
