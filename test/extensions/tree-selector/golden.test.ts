import { readdirSync, readFileSync } from "node:fs";
import { visibleWidth } from "coppice/tui";
import { describe, expect, test } from "vitest";
import { OpenTree, sessionOfLines } from "./world.ts";

const FOLDER = new URL("../../cases/sessions/", import.meta.url);

interface SelectorCase {
  readonly filter: string;
  readonly leafId?: string;
  readonly query?: string;
  readonly keys?: readonly string[];
  readonly width?: number;
  readonly rows?: readonly string[];
  readonly cells?: readonly number[];
  readonly count?: number;
  readonly status?: string;
}

interface Expected {
  readonly selector?: readonly SelectorCase[];
  readonly selectorWidths?: readonly number[];
}

const cases = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".expected.json"))
  .map((name) => ({ name, ...(JSON.parse(textOf(name)) as Expected) }));
const withRows = cases.flatMap(({ name, selector = [] }) =>
  selector.map((wanted) => ({ name, wanted, says: describeCase(wanted) })),
);
const withWidths = cases.flatMap(({ name, selectorWidths = [] }) =>
  selectorWidths.map((width) => ({ name, width })),
);

function textOf(name: string): string {
  return readFileSync(new URL(name, FOLDER), "utf8");
}

function describeCase({ rows, cells, count, status, ...asked }: SelectorCase): string {
  return JSON.stringify(asked);
}

function sessionOfCase(name: string) {
  return sessionOfLines(textOf(name.replace(".expected.json", ".jsonl")));
}

describe("the classic rows", () => {
  test("are tested on every case that states them", () => {
    expect(withRows.length).toBeGreaterThan(50);
    expect(withWidths.length).toBeGreaterThan(20);
  });

  test.each(withRows)("$name $says", async ({ name, wanted }) => {
    const session = sessionOfCase(name);
    if (wanted.leafId !== undefined) session.branch(wanted.leafId);
    const tree = await OpenTree.open(session, { filter: wanted.filter });
    await tree.type(wanted.query ?? "");
    await tree.press(...(wanted.keys ?? []).map((key) => key.toLowerCase()));
    const rows = tree.rows(wanted.width);
    if (wanted.rows) expect(rows).toEqual(wanted.rows);
    if (wanted.cells) expect(rows.slice(0, -1).map(visibleWidth)).toEqual(wanted.cells);
    if (wanted.count === undefined) return;
    expect(tree.model.listed.length).toBe(wanted.count);
    expect(rows.at(-1)).toBe(wanted.status);
  });

  test.each(withWidths)("$name at $width columns: one line each, none wider", async (wanted) => {
    const tree = await OpenTree.open(sessionOfCase(wanted.name), { filter: "all" });
    for (const row of tree.rows(wanted.width)) {
      expect(visibleWidth(row)).toBeLessThanOrEqual(wanted.width);
      expect(row).not.toMatch(/[\n\r\u2028\u2029]/);
    }
  });
});
