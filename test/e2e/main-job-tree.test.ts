import { expect, test } from "vitest";
import { records, world } from "../cli/world.ts";
import type { ScreenView } from "../screen-view.ts";
import { DOWN, ESC, leave, UP } from "./screen-world.ts";
import { isChat, moveTo, select, selected, toChat, toTree } from "./tree-walk.ts";

/** Tree T of the session tree spec's appendix A, its leaf on the branch B. */
async function treeT() {
  const there = world();
  const file = there.copyOf("select-tree-t");
  const args = ["--session", file, "--model", "offline"];
  return { there, file, args, screen: await toChat(there, args) };
}

test("the five filters go round with Tab, and back, and each shows its rows", async () => {
  const { screen } = await treeT();
  await toTree(screen);
  const rounds = [
    ["no-tools", "(7/13) [no-tools]"],
    ["user-only", "(4/7) [user]"],
    ["labeled-only", "(0/0) [labeled]"],
    ["all", "(7/13) [all]"],
    ["default", "(7/13)"],
  ] as const;
  for (const [place, [filter, count]] of rounds.entries()) {
    screen.write("\t");
    const view = await screen.waitForText(`‹${filter}› ${((place + 1) % 5) + 1} of 5`);
    expect(view.rows.map((row) => row.trim())).toContain(count);
  }
  for (const [filter] of rounds.slice(0, -1).reverse()) {
    screen.write("\x1b[Z");
    await screen.waitForText(`‹${filter}›`);
  }
});

test("a search keeps the rows that hold every word, in any case, and says when none does", async () => {
  const { screen } = await treeT();
  await toTree(screen);
  screen.write("deep RESP");
  const found = await screen.waitForText(/1 match$/m);
  expect(found.text).toContain("assistant: deep1 resp");
  screen.write(" nothing");
  await screen.waitForText("Nothing matches “deep RESP nothing” in default. Esc clears");
  screen.write(ESC);
  await screen.waitForText("⋔ 2 branch points");
});

test("a label is trimmed, shown, filtered and stored, whatever it is written in", async () => {
  const { screen, file, there } = await treeT();
  await toTree(screen);
  await select(screen, "user: B start");
  screen.write("L");
  await screen.waitForText("label for “user: B start”");
  screen.write("  fork 🌱 分岐 \r");
  await screen.waitForText("[fork 🌱 分岐] user: B start");
  screen.write("\x1bl");
  expect(selected(await screen.waitForText("(1/1) [labeled]"))).toContain("[fork 🌱 分岐]");
  screen.write(ESC);
  await screen.waitForText("‹default›");
  screen.write(ESC);
  await screen.waitFor(isChat, "the chat");
  await leave(screen);
  const label = { type: "label", targetId: "u3b", parentId: "u4b2", label: "fork 🌱 分岐" };
  expect(records(file).at(-1)).toMatchObject(label);
  expect((await there.coppice("tree", file)).stdout).toContain("[fork 🌱 分岐] user: B start");
});

test("a bare move leaves a marker: after exit and restart one stands there again", async () => {
  const { screen, there, file, args } = await treeT();
  await moveTo(screen, "assistant: A resp", DOWN, "A resp");
  await leave(screen);
  const marker = { type: "custom", customType: "coppice.position", parentId: "a3a" };
  expect(records(file).at(-1)).toMatchObject(marker);

  const again = await toChat(there, args);
  expect(again.view().text).toContain("A resp");
  expect(again.view().text).not.toContain("B deep2");
  expect(selected(await toTree(again))).toBe("assistant: A resp");
});

test("a move survives kill -9, and the lock of the dead stops nobody", async () => {
  const { screen, there, file, args } = await treeT();
  await moveTo(screen, "user: second", UP, /› second$/m);
  screen.kill("SIGKILL");
  await screen.exited;
  expect(records(file).at(-1)).toMatchObject({ customType: "coppice.position", parentId: "a1" });

  const again = await toChat(there, args);
  expect(selected(await toTree(again))).toBe("assistant: resp 1");
  again.write(ESC);
  await again.waitFor(isChat, "the chat");
  again.write("another way\r");
  await again.waitForText("I am coppice's offline model.");
  const prompt = records(file).find(({ message }) => message?.content === "another way");
  expect(prompt).toMatchObject({ parentId: "a1" });
});

test("the place before the first message can be stood on, also after kill -9", async () => {
  const { screen, there, file, args } = await treeT();
  await moveTo(screen, "user: first line", UP, /^ › first line$/m);
  screen.kill("SIGKILL");
  await screen.exited;
  expect(records(file).at(-1)).toMatchObject({ customType: "coppice.position", parentId: null });

  const again = await toChat(there, args);
  expect(again.view().text).not.toContain("first line");
  again.write("a second root\r");
  await again.waitForText("I am coppice's offline model.");
  await leave(again);
  const prompt = records(file).find(({ message }) => message?.content === "a second root");
  expect(prompt).toMatchObject({ parentId: null });
});

test("/back returns to where one was before the last move, and returns again; so does Alt+-", async () => {
  const { screen } = await treeT();
  screen.write("/back\r");
  await screen.waitForText("There was no move in this session yet.");
  await moveTo(screen, "assistant: A leaf", DOWN, "A leaf");
  for (const [way, place] of [
    ["/back\r", "B deep2"],
    ["/back\r", "A leaf"],
    ["\x1b-", "B deep2"],
    ["\x1b-", "A leaf"],
  ] as const) {
    screen.write(way);
    await screen.waitFor((view) => isChat(view) && view.text.includes(place), place);
  }
});

test("a screen that grows and shrinks shows the same again, wherever one is", async () => {
  const { screen } = await treeT();
  const stages: readonly (readonly [keys: string, isThere: RegExp])[] = [
    ["/tree\r", /^ {2}\(7\/13\)$/m],
    ["start", /2 matches$/m],
    [ESC, /^ {2}\(5\/13\)$/m],
    ["L", /label for “user: B start”/],
    [ESC, /assistant: A leaf\n+ {2}\(5\/13\)$/m],
    [`${UP}${UP}\r`, /You leave 4 entries behind/],
    [ESC, /^ {2}\(3\/13\)$/m],
    [ESC, /\/ commands/],
    ["/br", /new session from one of your messages/],
  ];
  for (const [keys, isThere] of stages) {
    screen.write(keys);
    const { text: before } = await screen.waitForText(isThere);
    screen.resize(140, 50);
    const isWide = ({ rows, text }: ScreenView) => rows[49] !== "" && isThere.test(text);
    await screen.waitFor(isWide, `${isThere} in 140x50`);
    screen.resize(80, 24);
    await screen.waitFor(({ text }) => text === before, `the same in 80x24:\n${before}`);
  }
});

test("keys that come in one read by the hundred are taken one after the other", async () => {
  const { screen } = await treeT();
  await toTree(screen);
  screen.write(UP.repeat(40));
  await screen.waitForText("(1/13)");
  screen.write(DOWN.repeat(400));
  await screen.waitForText("(13/13)");
  screen.write("\x1b[27u".repeat(41));
  screen.write("still here");
  await screen.waitForText("still here");
});
