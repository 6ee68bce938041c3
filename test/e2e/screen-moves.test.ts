import { describe, expect, test } from "vitest";
import { records, world } from "../cli/world.ts";
import { END, ESC, leave, openScreen } from "./screen-world.ts";

/** Shift+Enter as terminals with extended keys send it: go without question. */
const SHIFT_ENTER = "\x1b[13;2u";

test("the text of a chosen message stands in a blank editor and is sent on a new branch", async () => {
  const there = world();
  const file = there.copyOf("select-tree-t");
  const screen = openScreen(there, ["--session", file, "--model", "offline"]);
  await screen.waitForText(" › B deep2");
  const before = records(file).length;
  screen.write("/tree\r");
  await screen.waitForText("Session tree");
  screen.write(`${END}\x1b[A`);
  await screen.waitForText(/^› .*A deep/m);
  screen.write(SHIFT_ENTER);
  await screen.waitForText(/─\n › A deep/);
  screen.write(" again\r");
  await screen.waitForText("I am coppice's offline model.");
  await leave(screen);
  const prompt = records(file)
    .slice(before)
    .find(({ message }) => message?.role === "user");
  expect(prompt.message.content).toBe("A deep again");
});

test("two presses of Escape open the tree, in one read and in two; with text they clear it", async () => {
  const there = world();
  const screen = openScreen(there, ["--session", there.copyOf("select-tree-t")]);
  await screen.waitForText(" › B deep2");
  screen.write(ESC + ESC);
  await screen.waitForText("Session tree");
  screen.write("\x03");
  await screen.waitForText("F1 help");
  screen.write("draft");
  await screen.waitForText(" › draft");
  screen.write(ESC);
  screen.write(ESC);
  await screen.waitForText("The text is in the history");
  screen.write("\x1b[A");
  await screen.waitForText(" › draft");
});

test("an empty session has no tree to show", async () => {
  const screen = openScreen(world(), ["--model", "offline"]);
  await screen.waitForText("F1 help");
  screen.write("/tree\r");
  await screen.waitForText("Nothing here yet.");
});

describe.each([
  ["tree-selector", "/tree"],
  ["branch-command", "/branch"],
])("without %s", (extension, command) => {
  test(`${command} says so, keeps its text, and the rest goes on`, async () => {
    const there = world();
    const env = { COPPICE_EXTENSIONS_DISABLED: JSON.stringify([extension]) };
    const screen = openScreen(there, ["--model", "offline"], { env });
    await screen.waitForText("F1 help");
    screen.write(`${command}\r`);
    await screen.waitForText(`no command ${command}: its extension ${extension} is switched off`);
    expect(screen.view().text).toContain(` › ${command}`);
    screen.write("\x15hello\r");
    await screen.waitForText("I am coppice's offline model.");
    await leave(screen);
  });
});
