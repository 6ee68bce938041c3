import { expect, test } from "vitest";
import { assistant, entry, OpenTree, sessionOf, user } from "./world.ts";

/** u1 – a1 – { A: uA – aA – uA2 – aA2 (leaf), B: uB – aB – { uB1 – aB1, uB2 } }. */
function forked() {
  const session = sessionOf([
    user("u1", null),
    assistant("a1", "u1"),
    user("uB", "a1"),
    assistant("aB", "uB"),
    user("uB1", "aB"),
    assistant("aB1", "uB1"),
    user("uB2", "aB"),
    user("uA", "a1"),
    assistant("aA", "uA"),
    user("uA2", "aA"),
    assistant("aA2", "uA2"),
  ]);
  session.branch("aA2");
  return session;
}

async function openForked() {
  return OpenTree.open(forked());
}

test("Up on the first and Down on the last row stay", async () => {
  const tree = await openForked();
  await tree.press("home", "up");
  expect(tree.model.lastId).toBe("u1");
  await tree.press("end", "down", "down");
  expect(tree.model.lastId).toBe("uB2");
});

test("a page is the height of the list and stops at the ends", async () => {
  const records = Array.from({ length: 100 }, (_, i) => user(`m${i}`, i ? `m${i - 1}` : null));
  const tree = await OpenTree.open(sessionOf(records));
  await tree.press("home", "pagedown");
  expect(tree.model.lastId).toBe("m20");
  await tree.press("pageup", "pageup");
  expect(tree.model.lastId).toBe("m0");
});

test("Left folds, else goes to the parent; Right unfolds, else goes to the first child", async () => {
  const tree = await openForked();
  await tree.press("left", "left", "left");
  expect(tree.model.lastId).toBe("uA");
  await tree.press("left");
  expect(tree.rows()).toContain("› ├⊞ • user: uA");
  await tree.press("left");
  expect(tree.model.lastId).toBe("a1");
  await tree.press("right");
  expect(tree.model.lastId).toBe("uA");
  await tree.press("right");
  expect(tree.rows()).toContain("› ├⊟ • user: uA");
  await tree.press("right");
  expect(tree.model.lastId).toBe("aA");
});

test("where there is neither parent nor child, Left and Right stay", async () => {
  const tree = await openForked();
  await tree.press("end", "right");
  expect(tree.model.lastId).toBe("uB2");
  await tree.press("home", "left", "left");
  expect(tree.model.lastId).toBe("u1");
  expect(tree.rows()).toEqual(["› ⊞ • user: u1", "  (1/1)"]);
});

test("Alt with the arrows acts as Ctrl does", async () => {
  const [ctrl, alt] = [await openForked(), await openForked()];
  await ctrl.press("ctrl+left", "ctrl+left", "ctrl+left", "ctrl+right");
  await alt.press("alt+left", "alt+left", "alt+left", "alt+right");
  expect(alt.rows()).toEqual(ctrl.rows());
});

test("Ctrl+Right goes to the first child of the next fork, else to the end of the chain", async () => {
  const tree = await openForked();
  await tree.press("home", "ctrl+right");
  expect(tree.model.lastId).toBe("uA");
  await tree.press("ctrl+right");
  expect(tree.model.lastId).toBe("aA2");
});

test("Ctrl+Left steps over the fork, folds another branch, and jumps to the root", async () => {
  const tree = await openForked();
  await tree.press("end", "ctrl+left");
  expect(tree.model.lastId).toBe("uB");
  await tree.press("ctrl+left");
  expect(tree.rows()).toContain("› └⊞ user: uB");
  await tree.press("ctrl+left");
  expect(tree.model.lastId).toBe("u1");
});

test("a fold inside survives unfolding of the outer one", async () => {
  const tree = await openForked();
  await tree.press("end", "up", "up", "left");
  expect(tree.rows()).toContain("›       ├⊞ user: uB1");
  await tree.press("ctrl+left", "left", "right");
  expect(tree.rows()).toContain("        ├⊞ user: uB1");
});

test("folding hides descendants that are attached through hidden rows", async () => {
  const session = sessionOf([
    user("go", null),
    entry("custom", "c1", "go", { customType: "state" }),
    user("left", "c1"),
    assistant("under left", "left"),
    entry("custom", "c2", "go", { customType: "state" }),
    user("right", "c2"),
  ]);
  const tree = await OpenTree.open(session);
  await tree.press("end", "up", "left");
  expect(tree.rows()).toEqual(["  • user: go", "  ├─ • user: right", "› └⊞ user: left", "  (3/3)"]);
});

test("another query or filter clears all folds", async () => {
  const tree = await openForked();
  const whole = tree.rows();
  await tree.press("ctrl+left", "ctrl+left", "ctrl+a", "ctrl+d");
  expect(tree.model.folds.size).toBe(0);
  await tree.press("left", "x", "backspace");
  expect(tree.rows().length).toBe(whole.length);
});

test("branch points and own messages have keys of their own, and stay at the ends", async () => {
  const tree = await openForked();
  await tree.press("ctrl+up");
  expect(tree.model.lastId).toBe("a1");
  await tree.press("ctrl+up");
  expect(tree.model.lastId).toBe("a1");
  await tree.press("ctrl+down");
  expect(tree.model.lastId).toBe("aB");
  await tree.press("alt+up");
  expect(tree.model.lastId).toBe("uB");
  await tree.press("alt+down", "alt+down", "alt+down");
  expect(tree.model.lastId).toBe("uB2");
});

test("Shift+H goes to the leaf; Shift+P to the row a side branch leaves, and back", async () => {
  const tree = await openForked();
  await tree.press("home", "H");
  expect(tree.model.lastId).toBe("aA2");
  await tree.press("end", "P");
  expect(tree.model.lastId).toBe("a1");
  await tree.press("P");
  expect(tree.model.lastId).toBe("uB2");
});

test("a hidden leaf selects its visible parent; a filter moves to the parent and back stays", async () => {
  const session = forked();
  session.branch("a1");
  session.appendCustomEntry("state");
  const tree = await OpenTree.open(session);
  expect(tree.model.lastId).toBe("a1");
  await tree.press("ctrl+u");
  expect(tree.model.lastId).toBe("u1");
  await tree.press("ctrl+d");
  expect(tree.model.lastId).toBe("u1");
});

test("an empty list in between restores the row, repeatedly", async () => {
  const tree = await openForked();
  await tree.press("up", "up");
  for (const _ of [1, 2]) {
    await tree.press("ctrl+l");
    expect(tree.rows().at(-1)).toBe("  (0/0) [labeled]");
    await tree.press("ctrl+d");
    expect(tree.model.lastId).toBe("aA");
  }
});
