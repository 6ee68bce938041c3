import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { records, world } from "../cli/world.ts";
import { DOWN, ESC, leave } from "./screen-world.ts";
import { isChat, select, toChat, toTree } from "./tree-walk.ts";

test("/branch makes a new file that names the old one, which stays as it is", async () => {
  const there = world();
  const file = there.copyOf("select-tree-t");
  const before = readFileSync(file);
  const screen = await toChat(there, ["--session", file, "--model", "offline"]);
  screen.write("/branch\r");
  await screen.waitForText("New session from one of your messages");
  await select(screen, "user: A deep", DOWN);
  screen.write("\r");
  const view = await screen.waitForText(/^ › A deep$/m);
  expect(view.text).toContain("A resp");
  expect(view.text).not.toContain("A leaf");
  screen.write(" again\r");
  await screen.waitForText("I am coppice's offline model.");
  await leave(screen);

  const [, made = ""] =
    /coppice --session (\S+)/.exec(screen.view().text.replaceAll("\n", "")) ?? [];
  const tree = JSON.parse((await there.coppice("tree", made, "--json")).stdout);
  const [header, ...entries] = records(tree.session.file);
  expect(header).toMatchObject({ type: "session", version: 3, parentSession: file });
  const kept = ["u1", "a1", "u2", "a2", "u3a", "a3a"];
  expect(entries.slice(0, kept.length).map(({ id }) => id)).toEqual(kept);
  const asked = entries.find(({ message }) => message?.content === "A deep again");
  expect(asked).toMatchObject({ parentId: "a3a" });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a real session of the first format opens, shows its tree, goes on, and is kept", async () => {
  const there = world();
  const file = there.copyOf("real-v1");
  const before = readFileSync(file);
  const screen = await toChat(there, ["--session", file, "--model", "offline"]);
  const tree = await toTree(screen);
  expect(tree.text).toContain("1018 entries");
  screen.write(ESC);
  await screen.waitFor(isChat, "the chat");
  expect(readFileSync(file).equals(before)).toBe(true);
  screen.write("What was this about?\r");
  await screen.waitForText("I am coppice's offline model.");
  await leave(screen);

  expect(readFileSync(`${file}.v1.bak`).equals(before)).toBe(true);
  const [header, ...entries] = records(file);
  expect(header).toMatchObject({ type: "session", version: 3 });
  expect(entries.at(-1).message).toMatchObject({ role: "assistant", provider: "offline" });
  expect(entries.length).toBeGreaterThanOrEqual(1020);
});

test("--demo goes on with its copy, and -c in its folder or another leaves it out", async () => {
  const there = world();
  const first = await toChat(there, ["--demo"]);
  first.write("Which tea is on top?\r");
  await first.waitForText("I am coppice's offline model.");
  await leave(first);
  const second = await toChat(there, ["--demo"]);
  expect(second.view().text).toContain("Which tea is on top?");
  await leave(second);
  expect(there.sessions()).toHaveLength(1);

  const other = await toChat(there, ["-c"]);
  expect(other.view().text).toContain("unnamed session");
  expect(other.view().text).not.toContain("Which tea is on top?");
  await leave(other);
});
