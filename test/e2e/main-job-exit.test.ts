import { expect, test } from "vitest";
import { BIN, world } from "../cli/world.ts";
import { openPty, type Pty } from "../pty.ts";
import { END_OF_INPUT, ESC } from "./screen-world.ts";
import { isChat, isTree } from "./tree-walk.ts";

/** A shell of 80×24 in the project of a world, whose `run` starts the program on tree T. */
async function inShell() {
  const there = world();
  const file = there.copyOf("select-tree-t");
  const shell = openPty({
    command: "bash",
    args: ["--norc", "--noprofile", "-i"],
    cwd: there.project,
    env: { PS1: "$ ", INPUTRC: "/dev/null", HOME: there.project, COPPICE_HOME: there.home },
  });
  await shell.waitForText("$");
  shell.write("bind 'set enable-bracketed-paste off'\r");
  const state = async (mark: string) => {
    shell.write(`clear; stty -g; echo ${mark}-$((1+1))\r`);
    const { rows } = await shell.waitForText(`${mark}-2`);
    return rows.find((row) => /^[0-9a-f:]{20,}$/.test(row));
  };
  const run = async () => {
    shell.write(
      `clear; ${process.execPath} ${BIN} --session ${file} --model offline; echo exit-$?\r`,
    );
    await shell.waitFor((view) => view.isAlternate && isChat(view), "the chat");
  };
  return { file, shell, state, run };
}

function expectOwnScreen(shell: Pty): void {
  const view = shell.view();
  expect(view.isAlternate).toBe(false);
  expect(view.cursor.isVisible).toBe(true);
  expect(view.modes).toMatchObject({
    bracketedPasteMode: false,
    mouseTrackingMode: "none",
    sendFocusMode: false,
    applicationCursorKeysMode: false,
    wraparoundMode: true,
  });
  expect(view.styleMap()).toEqual([]);
}

const WAYS: readonly (readonly [string, readonly string[]])[] = [
  ["Ctrl+D", [END_OF_INPUT]],
  ["Ctrl+C twice", ["\x03", "\x03"]],
  ["/quit", ["/quit\r"]],
];

test.each(WAYS)("%s ends the program, and the terminal is as it was", async (_, keys) => {
  const { file, shell, state, run } = await inShell();
  const before = await state("before");
  expect(before).toBeDefined();
  await run();
  for (const key of keys) {
    shell.write(key);
    if (key !== keys.at(-1)) await shell.waitForText("Ctrl+C once more quits.");
  }
  const { text } = await shell.waitForText("exit-0");
  expect(text.replaceAll("\n", "")).toContain(`coppice --session ${file}`);
  expectOwnScreen(shell);
  expect(await state("after")).toBe(before);
});

test("Ctrl+Z gives the shell its terminal, and fg shows tree and chat again", async () => {
  const { shell, state, run } = await inShell();
  const before = await state("before");
  await run();
  shell.write("\x1a");
  await shell.waitFor((view) => !view.isAlternate && view.text.includes("Stopped"), "Stopped");
  expectOwnScreen(shell);
  expect(await state("stopped")).toBe(before);
  shell.write("fg\r");
  await shell.waitFor((view) => view.isAlternate && isChat(view), "the chat");
  shell.write("/tree\r");
  await shell.waitFor(isTree, "the tree");
  shell.write("\x1a");
  await shell.waitFor((view) => !view.isAlternate, "the shell");
  shell.write("fg\r");
  await shell.waitFor((view) => view.isAlternate && isTree(view), "the tree");
  shell.write(ESC);
  await shell.waitFor(isChat, "the chat");
  shell.write(END_OF_INPUT);
  await shell.waitFor((view) => !view.isAlternate, "the shell");
  expectOwnScreen(shell);
  expect(await state("after")).toBe(before);
});
