import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { records, type World, world } from "../cli/world.ts";
import type { Pty } from "../pty.ts";
import { DOWN, ESC, leave } from "./screen-world.ts";
import { isChat, isTree, moveTo, select, toChat, toTree } from "./tree-walk.ts";

/** Tree T on a screen, with an extension that is switched off. */
async function without(extension: string) {
  const there = world({ COPPICE_EXTENSIONS_DISABLED: extension });
  const file = there.copyOf("select-tree-t");
  const args = ["--session", file, "--model", "offline"];
  const screen = await toChat(there, args, { env: { COPPICE_EXTENSIONS_DISABLED: extension } });
  return { there, file, screen };
}

/** A sentence in a screen that may have broken it into lines. */
async function says(screen: Pty, sentence: string): Promise<void> {
  await screen.waitFor(({ text }) => text.replace(/\s+/g, " ").includes(sentence), sentence);
}

async function moves(screen: Pty): Promise<void> {
  await moveTo(screen, "assistant: A resp", DOWN, "A resp");
}

async function summarises(screen: Pty): Promise<void> {
  await toTree(screen);
  await select(screen, "assistant: A leaf", DOWN);
  screen.write("\r");
  await screen.waitForText("Summarize with custom prompt");
  screen.write("s");
  await screen.waitForText("≡ summary of the branch that was left");
}

async function filters(screen: Pty): Promise<void> {
  await toTree(screen);
  screen.write("\x1bu");
  await screen.waitForText("[user]");
  screen.write(ESC);
  await screen.waitForText("‹default›");
  screen.write(ESC);
  await screen.waitFor(isChat, "the chat");
}

async function labels(screen: Pty): Promise<void> {
  screen.write("/label here\r");
  await screen.waitForText("Labelled “here”.");
}

async function talks(screen: Pty): Promise<void> {
  screen.write("Hello there\r");
  await screen.waitFor(
    ({ text }) => text.includes("I am coppice's offline model.") && !text.includes("Esc stops"),
    "the whole reply",
  );
}

/** Leads into another session. */
async function branches(screen: Pty): Promise<void> {
  screen.write("/branch B deep2\r");
  await screen.waitForText(/^ › B deep2$/m);
  await clears(screen);
}

async function clears(screen: Pty): Promise<void> {
  screen.write("\x15");
  await screen.waitForText(/─\n ›\n/);
}

async function prints(there: World, file: string): Promise<void> {
  const { code, stdout, stderr } = await there.coppice("tree", file);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("user: first line");
}

test("without tree-selector, /tree, two Escapes and the verb say so; all else runs", async () => {
  const { there, file, screen } = await without("tree-selector");
  const sentence = "no command /tree: its extension tree-selector is switched off";
  screen.write("/tree\r");
  await says(screen, sentence);
  screen.write("\x15");
  await labels(screen);
  await talks(screen);
  screen.write(ESC + ESC);
  await screen.waitFor(({ text }) => text.split("no command /tree").length === 3, "both times");
  screen.write("/branch\r");
  await screen.waitForText("u1 first line");
  screen.write("\r");
  await screen.waitForText(/^ › first line$/m);
  await clears(screen);
  await leave(screen);
  const verb = await there.coppice("tree", file);
  expect(verb).toMatchObject({ code: 1, stdout: "" });
  expect(verb.stderr).toMatch(/^VERB_DISABLED: .*tree-selector is switched off\n$/);
  expect((await there.coppice("context", file)).code).toBe(0);
  expect((await there.coppice("--help")).stdout).toContain("tree");
});

test("without summarizer a summary is refused and nothing moves; all else runs", async () => {
  const { there, file, screen } = await without("summarizer");
  const before = readFileSync(file);
  await toTree(screen);
  await select(screen, "assistant: A leaf", DOWN);
  screen.write("\r");
  await screen.waitForText("Summarize with custom prompt");
  screen.write("s");
  await screen.waitFor(isTree, "the tree");
  await says(screen, "no summarizer is active");
  expect(readFileSync(file).equals(before)).toBe(true);
  screen.write(ESC);
  await screen.waitFor(isChat, "the chat");
  await filters(screen);
  await moves(screen);
  await labels(screen);
  await talks(screen);
  await branches(screen);
  await leave(screen);
  await prints(there, file);
});

test("without summarizer, one of a third party answers", async () => {
  const there = world();
  const file = there.copyOf("select-tree-t");
  writeFileSync(
    join(there.project, "own.ts"),
    `export default (api) => { api.on("summarize_branch", () => ({ summary: "Mine." })); };`,
  );
  const args = ["--session", file, "--model", "offline", "-e", "own.ts", "--trust"];
  const env = { COPPICE_EXTENSIONS_DISABLED: "summarizer" };
  const screen = await toChat(there, args, { env });
  await summarises(screen);
  expect(records(file).at(-1)).toMatchObject({ summary: "Mine.", fromExtension: true });
});

test("without filter-modes the tree shows every entry, and other filters say so", async () => {
  const { there, file, screen } = await without("filter-modes");
  const tree = await toTree(screen);
  expect(tree.text).toMatch(/1 of 1 +13 entries/);
  screen.write("\x1bu");
  await screen.waitForText("There is no filter user-only.");
  screen.write("deep");
  await screen.waitForText(/4 matches$/m);
  screen.write(ESC);
  await screen.waitForText("⋔ 2 branch points");
  screen.write(ESC);
  await screen.waitFor(isChat, "the chat");
  await summarises(screen);
  await labels(screen);
  await talks(screen);
  await branches(screen);
  await leave(screen);
  await prints(there, file);
  const verb = await there.coppice("tree", file, "--filter", "user-only");
  expect(verb).toMatchObject({ code: 1, stdout: "" });
  expect(verb.stderr).toMatch(/^INVALID_ARGUMENT: [^\n]*--filter user-only[^\n]*\n$/);
});

test("without branch-command, /branch says so; the tree still makes new sessions", async () => {
  const { there, file, screen } = await without("branch-command");
  screen.write("/branch\r");
  await says(screen, "no command /branch: its extension branch-command is switched off");
  screen.write("\x15");
  await filters(screen);
  await summarises(screen);
  await labels(screen);
  await talks(screen);
  await toTree(screen);
  await select(screen, "user: B deep2", DOWN);
  screen.write("\x06");
  await screen.waitForText(/^ › B deep2$/m);
  await clears(screen);
  await leave(screen);
  await prints(there, file);
});

describe("extensions are switched off by settings.json too", () => {
  test.each([
    ["tree-selector", "/tree"],
    ["branch-command", "/branch"],
    ["labels", "/label"],
    ["sessions", "/back"],
    ["help", "/help"],
    ["models", "/model"],
  ])("%s: %s says so", async (extension, command) => {
    const there = world();
    mkdirSync(there.home);
    const settings = { "extensions.disabled": [extension] };
    writeFileSync(join(there.home, "settings.json"), JSON.stringify(settings));
    const screen = await toChat(there, ["--model", "offline"]);
    screen.write(`${command}\r`);
    await says(screen, `no command ${command}: its extension ${extension} is switched off`);
    screen.write("\x15");
    await talks(screen);
    await leave(screen);
  });
});

test("with all extensions switched off one can still come, be told so, and go", async () => {
  const all =
    "tree-selector,filter-modes,branch-command,summarizer,labels,sessions,models,help,anthropic,offline";
  const there = world({ COPPICE_EXTENSIONS_DISABLED: all });
  const env = { COPPICE_EXTENSIONS_DISABLED: all };
  const screen = await toChat(there, [], { env });
  expect(screen.view().text).toContain("no model");
  screen.write("hello\r");
  await says(screen, "no model");
  await screen.waitForText(/^ › hello$/m);
  await clears(screen);
  await leave(screen);
  expect(there.sessions()).toEqual([]);
});
