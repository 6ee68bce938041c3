import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { records, world } from "../cli/world.ts";
import type { Pty } from "../pty.ts";
import { DOWN, ESC, leave } from "./screen-world.ts";
import { isChat, isTree, select, selected, toChat, toTree } from "./tree-walk.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/custom-summarizer", import.meta.url));
/** Tells what `session_tree` reports. */
const TELLER = `
  api.on("session_tree", (event, ctx) => {
    const { newLeafId, oldLeafId, summaryEntry, fromExtension } = event;
    const summary = summaryEntry && summaryEntry.id === newLeafId;
    ctx.ui.notify("TOLD " + JSON.stringify({ oldLeafId, summary, fromExtension }));
  });`;

/** Tree T on a screen with one extension whose handler of `session_before_tree` is given. */
async function withHandler(handler: string, env: Readonly<Record<string, string>> = {}) {
  const there = world();
  const source = `export default (api) => {
    api.on("session_before_tree", ${handler});${TELLER}
  };`;
  writeFileSync(join(there.project, "own.ts"), source);
  return walked(there, ["-e", "own.ts"], env);
}

async function walked(
  there: ReturnType<typeof world>,
  extensions: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const file = there.copyOf("select-tree-t");
  const before = readFileSync(file);
  const args = ["--session", file, "--model", "offline", ...extensions, "--trust"];
  const screen = await toChat(there, args, { env, columns: 100, rows: 40 });
  return { there, file, before, screen };
}

/** Asks for a summary on the way from `B deep2` to `A leaf`. */
async function goSummarised(screen: Pty): Promise<void> {
  await toTree(screen);
  await select(screen, "assistant: A leaf", DOWN);
  screen.write("\r");
  await screen.waitForText("You leave 3 entries behind");
  screen.write("s");
}

function lines(screen: Pty, code: string): readonly string[] {
  return screen.view().rows.filter((row) => row.includes(code));
}

test("a summary of its own stands in the file with its details, and is told as its own", async () => {
  const { file, screen } = await withHandler(
    `({ preparation }) => ({ summary: {
      summary: "I saw " + preparation.entriesToSummarize.length + " entries.",
      details: { mine: [1, "ö"] },
    } })`,
  );
  await goSummarised(screen);
  await screen.waitForText('TOLD {"oldLeafId":"u4b2","summary":true,"fromExtension":true}');
  await screen.waitForText("I saw 3 entries.");
  expect(records(file).at(-1)).toMatchObject({
    type: "branch_summary",
    parentId: "a4a",
    summary: "I saw 3 entries.",
    details: { mine: [1, "ö"] },
    fromExtension: true,
  });
  await leave(screen);
});

test("the example of a custom summarizer answers instead of the built-in one", async () => {
  const { file, screen } = await walked(world(), ["-e", EXAMPLE]);
  await goSummarised(screen);
  await screen.waitForText("On another branch I was asked:");
  const summary = records(file).at(-1);
  expect(summary).toMatchObject({ fromExtension: true, details: { modifiedFiles: [] } });
  expect(summary.summary).toContain("- B start\n- B deep2");
});

const FALLS_BACK: readonly (readonly [string, string, string, RegExp])[] = [
  ["throws", "() => { throw new Error('no luck\\nsecond line'); }", "HOOK_FAILED", /own: no luck /],
  ["rejects with no error", "async () => { throw undefined; }", "HOOK_FAILED", /own: /],
  ["hangs", "() => new Promise(() => {})", "HOOK_TIMEOUT", /own: took longer than 300 ms/],
  ["returns a number", "() => 42", "HOOK_RESULT_INVALID", /own: result/],
  ["returns a list", "() => [{ summary: 'x' }]", "HOOK_RESULT_INVALID", /own: result/],
  [
    "returns a summary that is a text",
    "() => ({ summary: 'x', label: 'never' })",
    "HOOK_RESULT_INVALID",
    /own: result\.summary/,
  ],
  [
    "returns a summary without its text",
    "() => ({ summary: { summary: 7 } })",
    "HOOK_RESULT_INVALID",
    /own: result\.summary\.summary/,
  ],
];

test.each(FALLS_BACK)(
  "one that %s is told on one line, and the built-in summary stands there",
  async (_, handler, code, sentence) => {
    const env = { COPPICE_EXTENSIONS_HANDLER_TIMEOUT_MS: "300" };
    const { file, screen } = await withHandler(handler, env);
    await goSummarised(screen);
    await screen.waitForText('TOLD {"oldLeafId":"u4b2","summary":true,"fromExtension":false}');
    await screen.waitForText("Extract by the offline model");
    await screen.waitForText(code);
    expect(lines(screen, code)).toHaveLength(1);
    expect(lines(screen, code)[0]).toMatch(sentence);
    expect(screen.view().text).not.toContain("second line");
    const [summary, ...others] = records(file).filter(({ type }) => type === "branch_summary");
    expect(others).toEqual([]);
    expect(summary).toMatchObject({ parentId: "a4a", fromExtension: false });
    await leave(screen);
    expect(records(file).at(-1)).toEqual(summary);
  },
);

test("one that cancels is told on one line, and nothing has moved", async () => {
  const { file, before, screen } = await withHandler("() => ({ cancel: true, summary: 42 })");
  await goSummarised(screen);
  const view = await screen.waitForText("An extension refused the move.");
  expect(isChat(view)).toBe(true);
  expect(view.text).toContain("B deep2");
  expect(view.text).not.toContain("TOLD");
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(selected(await toTree(screen))).toBe("user: B deep2");
});

test("an empty summary means none: a bare move, and no word of an extension", async () => {
  const { file, screen } = await withHandler("() => ({ summary: { summary: '' } })");
  await goSummarised(screen);
  await screen.waitForText('TOLD {"oldLeafId":"u4b2"}');
  expect(records(file).at(-1)).toMatchObject({ customType: "coppice.position", parentId: "a4a" });
});

test("Escape ends the wait for one that hangs, and nothing has moved", async () => {
  const { file, before, screen } = await withHandler("() => new Promise(() => {})");
  await goSummarised(screen);
  await screen.waitForText("Summarizing 3 entries");
  screen.write(ESC);
  await screen.waitFor(isTree, "the tree");
  await screen.waitForText("Stopped: nothing has moved.");
  expect(readFileSync(file).equals(before)).toBe(true);
  screen.write(ESC);
  await screen.waitFor(isChat, "the chat");
  await leave(screen);
});

test("a late answer of one that took too long changes nothing any more", async () => {
  const handler = `() => new Promise((resolve) => {
    setTimeout(() => resolve({ summary: { summary: "late" }, label: "late" }), 600);
  })`;
  const env = { COPPICE_EXTENSIONS_HANDLER_TIMEOUT_MS: "300" };
  const { there, file, screen } = await withHandler(handler, env);
  await goSummarised(screen);
  await screen.waitForText('"fromExtension":false}');
  const after = readFileSync(file);
  screen.write("/label after\r");
  await screen.waitForText("Labelled “after”.");
  await leave(screen);
  expect(readFileSync(file).subarray(0, after.length).equals(after)).toBe(true);
  expect(readFileSync(file, "utf8")).not.toContain("late");
  expect(there.sessions()).toEqual([]);
});

test("one that fails before a new session is made is told in the new session", async () => {
  const there = world();
  const source = `export default (api) => {
    api.on("session_before_branch", () => { throw new Error("no luck"); });
    api.on("session_branch", () => { throw new Error("again"); });
  };`;
  writeFileSync(join(there.project, "own.ts"), source);
  const { screen } = await walked(there, ["-e", "own.ts"]);
  screen.write("/branch A deep\r");
  await screen.waitForText(/^ › A deep$/m);
  await screen.waitForText("own: no luck (HOOK_FAILED in session_before_branch)");
  await screen.waitForText("own: again (HOOK_FAILED in session_branch)");
});

test("an extension that does not load is told on one line, and all else runs", async () => {
  const there = world();
  writeFileSync(join(there.project, "bad.ts"), "export default { not: 'a function' };");
  writeFileSync(join(there.project, "worse.ts"), "export default (api) => { api.on( };");
  const { screen } = await walked(there, ["-e", "bad.ts", "-e", "worse.ts"]);
  await screen.waitForText(/✗ bad: its default export is no function/);
  await screen.waitForText(/✗ worse: ParseError/);
  screen.write("Hello there\r");
  await screen.waitForText("I am coppice's offline model.");
  await leave(screen);
});
