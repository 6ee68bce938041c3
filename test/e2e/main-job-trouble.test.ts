import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { records, world } from "../cli/world.ts";
import { leave, openScreen } from "./screen-world.ts";
import { isTree, toChat, toTree } from "./tree-walk.ts";

test("a broken settings file is told in the chat, and everything works by default", async () => {
  const there = world();
  mkdirSync(there.home);
  writeFileSync(join(there.home, "settings.json"), "{ broken");
  const screen = await toChat(there, ["--model", "offline"]);
  await screen.waitForText(/settings\.json\s+line 1 [\s\S]*\(SETTINGS_INVALID\)/);
  screen.write("Hello there\r");
  await screen.waitForText("I am coppice's offline model.");
  await leave(screen);
});

test("what is typed before the screen is there is not lost, and its Enter sends it", async () => {
  const screen = openScreen(world(), ["--model", "offline"]);
  screen.write("An early bird 早起き\r");
  await screen.waitForText("I am coppice's offline model.");
  expect(screen.view().text).toContain(" › An early bird 早起き");
  await leave(screen);
});

test("a file that changed underneath takes no prompt; a branch of it goes on", async () => {
  const there = world();
  const file = there.copyOf("select-tree-t");
  const screen = await toChat(there, ["--session", file, "--model", "offline"]);
  appendFileSync(file, '{"type":"custom","id":"zz","parentId":"u1","customType":"x"}\n');
  const changed = readFileSync(file);
  screen.write("Hello there\r");
  await screen.waitForText("(SESSION_CHANGED)");
  await screen.waitForText(/^ › Hello there$/m);
  screen.write("\x15/branch A deep\r");
  await screen.waitForText(/^ › A deep$/m);
  screen.write(" again\r");
  await screen.waitForText("I am coppice's offline model.");
  await leave(screen);
  expect(readFileSync(file).equals(changed)).toBe(true);
});

test("a second program on a session is refused on one line, and the first goes on", async () => {
  const there = world();
  const file = there.copyOf("select-tree-t");
  const args = ["--session", file, "--model", "offline"];
  const first = await toChat(there, args);
  const second = openScreen(there, args);
  expect(await second.exited).toMatchObject({ code: 1 });
  const text = second.view().text.replaceAll("\n", "");
  expect(text).toMatch(new RegExp(`^SESSION_LOCKED: .* by process ${first.pid} .*--read-only`));
  first.write("Hello there\r");
  await first.waitForText("I am coppice's offline model.");
  await leave(first);
  expect(records(file).at(-1).message.role).toBe("assistant");
});

test("what a session holds reaches neither title nor clipboard, and every entry has a row", async () => {
  const there = world();
  const nasty = "\x1b]0;PWNED\x07a\x1b[2J\x1b]52;c;UFdORUQ=\x07\x9b31mb\u202ec\r\nd\te";
  const entries = [
    { type: "session", version: 3, id: nasty, cwd: nasty },
    { type: "message", id: "u", parentId: null, message: { role: "user", content: nasty } },
    { type: "label", id: "l", parentId: "u", targetId: "u", label: nasty.repeat(500) },
    { type: nasty, id: "x", parentId: "l" },
    { type: "session_info", id: "n", parentId: "x", name: nasty },
    { type: "message", id: "v", parentId: "n", message: { role: nasty, content: nasty } },
  ];
  const file = join(there.project, "nasty.jsonl");
  writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const screen = await toChat(there, ["--session", file, "--model", "offline"]);
  await toTree(screen);
  screen.write("\x1ba");
  const view = await screen.waitForText("(5/5) [all]");
  expect(isTree(view)).toBe(true);
  expect(view.titles).toEqual([]);
  expect(view.clipboard).toEqual([]);
  expect(view.text).not.toContain("PWNED");
});
