import { expect, test } from "vitest";
import { labelTime } from "../../../extensions/tree-selector/label-time.ts";
import { assistant, OpenTree, sessionOf, user } from "./world.ts";

function talk() {
  return sessionOf([user("u1", null), assistant("a1", "u1"), user("u2", "a1")]);
}

test("Shift+L opens a box over the list, prefilled, the cursor at the end", async () => {
  const session = talk();
  session.appendLabelChange("u1", "start");
  const tree = await OpenTree.open(session);
  await tree.press("home", "L", "!");
  const screen = tree.screen(60, 12);
  expect(screen).toContain("› • [start] user: u1");
  expect(screen.find((row) => row.includes("│"))).toContain("start!");
});

test("Enter writes the trimmed label, and the row shows it at once", async () => {
  const session = talk();
  const tree = await OpenTree.open(session);
  await tree.press("home", "L", " ", "o", "n", "e", " ", "enter");
  expect(session.getLabel("u1")).toBe("one");
  expect(tree.model.box).toBeUndefined();
  expect(tree.rows()).toEqual([
    "› • [one] user: u1",
    "  • assistant: a1",
    "  • user: u2",
    "  (1/3)",
  ]);
});

test("keys that come while the label is written act after it", async () => {
  const session = talk();
  const tree = await OpenTree.open(session);
  tree.pressAtOnce("home", "L", "x", "enter", "down", "L", "y", "enter");
  await tree.settled();
  expect([session.getLabel("u1"), session.getLabel("a1")]).toEqual(["x", "y"]);
});

test("Escape in the box keeps the old label; an unchanged label writes nothing", async () => {
  const session = talk();
  session.appendLabelChange("u1", "old");
  const count = session.getEntryCount();
  const tree = await OpenTree.open(session);
  await tree.press("home", "L", "x", "escape");
  expect(tree.isClosed).toBe(false);
  await tree.press("L", "enter");
  expect(session.getLabel("u1")).toBe("old");
  expect(session.getEntryCount()).toBe(count);
});

test("an empty text removes the label, and the row leaves labeled-only at once", async () => {
  const session = talk();
  session.appendLabelChange("u1", "one");
  session.appendLabelChange("u2", "two");
  const tree = await OpenTree.open(session, { filter: "labeled-only" });
  await tree.press("home", "down", "L", "ctrl+u", "enter");
  expect(session.getLabel("u2")).toBeUndefined();
  expect(tree.rows()).toEqual(["› • [one] user: u1", "  (1/1) [labeled]"]);
});

test("the box edits a line: words, both ends, whole clusters, pastes without line breaks", async () => {
  const session = talk();
  const tree = await OpenTree.open(session);
  await tree.press("home", "L");
  await tree.type("two 👩‍👧");
  await tree.press("backspace", "home", "x", "ctrl+right", "!", "end", "y", "alt+b", "delete");
  expect(tree.model.box?.line.clusters.join("")).toBe("xtwo! ");
  await tree.press("ctrl+c");
  expect(tree.isClosed).toBe(true);
});

test("a label of any length can be edited: the part with the cursor is seen", async () => {
  const tree = await OpenTree.open(talk());
  await tree.press("home", "L");
  await tree.paste(`${"漢字 and 👩‍👩‍👧 ".repeat(6000)}end`);
  await tree.press("!");
  expect(tree.screen(60, 12).find((row) => row.includes(" │ "))).toMatch(/end! *│$/);
  await tree.press("home", "?");
  const row = tree.screen(60, 12).find((text) => text.includes(" │ "));
  expect(row).toMatch(/ │ \?漢字 and 👩‍👩‍👧 漢字/);
});

test("a label that cannot be written leaves the box open with the error and the text", async () => {
  const session = talk();
  const tree = await OpenTree.open(session);
  session.appendLabelChange = () => {
    throw new TypeError("the disk is full");
  };
  await tree.press("home", "L", "x", "enter");
  expect(tree.model.box).toMatchObject({ problem: "the disk is full", line: { clusters: ["x"] } });
  expect(tree.screen(60, 12).join("\n")).toContain("the disk is full");
  await tree.press("escape");
  expect(tree.model.box).toBeUndefined();
});

test("Shift+T shows label times, and the status line says so", async () => {
  const session = talk();
  session.appendLabelChange("u1", "one");
  const tree = await OpenTree.open(session);
  await tree.press("home", "T");
  expect(tree.rows()[0]).toMatch(/^› • \[one\] [\d/: ]+ user: u1$/);
  expect(tree.rows().at(-1)).toBe("  (1/3) [+label time]");
  await tree.press("T");
  expect(tree.rows().at(-1)).toBe("  (1/3)");
});

test.each([
  ["today", new Date(2026, 2, 1, 23, 59), "08:05"],
  ["this year", new Date(2026, 11, 31), "3/1 08:05"],
  ["earlier", new Date(2027, 2, 1), "26/3/1 08:05"],
])("a label time of %s", (_, now, shown) => {
  const time = new Date(2026, 2, 1, 8, 5).toISOString();
  expect(labelTime(time, now)).toBe(shown);
  expect(labelTime("no time", now)).toBe("");
});
