import { expect, test } from "vitest";
import { assistant, OpenTree, sessionOf, user } from "./world.ts";

function forked() {
  const session = sessionOf([
    user("u1", null),
    assistant("a1", "u1"),
    user("left", "a1"),
    user("right", "a1"),
  ]);
  session.branch("right");
  return session;
}

test("the tree in plain words is a numbered outline of the visible rows", async () => {
  const tree = await OpenTree.open(forked());
  expect(tree.plainLines()).toEqual([
    "1 * user: u1",
    "2 * assistant: a1 (2 branches)",
    "3 * user: right",
    "4   user: left (branch of 2)",
  ]);
});

test("a number chooses its row, and nothing cancels", async () => {
  const tree = await OpenTree.open(forked());
  await tree.answer("4");
  expect(tree.choice).toMatchObject({ action: "go", id: "left" });
  const other = await OpenTree.open(forked());
  await other.answer("9");
  expect(other.isClosed).toBe(false);
  await other.answer("");
  expect([other.isClosed, other.choice]).toEqual([true, undefined]);
});

test("/text searches anew, / alone shows all again, f steps the filter", async () => {
  const tree = await OpenTree.open(forked());
  await tree.answer("/left");
  expect(tree.plainLines()).toEqual(["1   user: left"]);
  await tree.answer("/right");
  expect(tree.plainLines()).toEqual(["1 * user: right"]);
  await tree.answer("/");
  expect(tree.plainLines().length).toBe(4);
  await tree.answer("f");
  expect(tree.model.shown.filter.id).toBe("no-tools");
});

test("l N asks for a label of a row", async () => {
  const session = forked();
  const tree = await OpenTree.open(session);
  await tree.answer("l 1");
  expect(tree.plainLines()).toEqual(["Label for “user: u1”; an empty line removes it."]);
  await tree.answer(" start ");
  expect(session.getLabel("u1")).toBe("start");
  expect(tree.plainLines()[0]).toBe("1 * [start] user: u1");
});
