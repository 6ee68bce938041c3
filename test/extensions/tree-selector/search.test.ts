import type { TreeFilter } from "coppice";
import { describe, expect, test } from "vitest";
import { assistant, entry, fiveFilters, OpenTree, sessionOf, user } from "./world.ts";

function talk() {
  return sessionOf([
    user("u1", null, "Fix the writer"),
    assistant("a1", "u1", "Looking at the Writer"),
    user("u2", "a1", "and the reader"),
    entry("custom_message", "note", "u2", { customType: "note", content: "kept", display: true }),
    assistant("a2", "note", "done"),
  ]);
}

const failing: TreeFilter = {
  id: "failing",
  title: "failing",
  tag: "failing",
  predicate: () => Promise.reject(new TypeError("no rows today")),
};

describe("a search", () => {
  test("keeps the rows that hold every word, in any case", async () => {
    const tree = await OpenTree.open(talk());
    await tree.type("WRITER the");
    expect(tree.rows()).toEqual([
      "  • user: Fix the writer",
      "› • assistant: Looking at the Writer",
      "  (2/2)",
    ]);
  });

  test("takes plain letters, j and k too, and capitals once there is a query", async () => {
    const tree = await OpenTree.open(talk());
    await tree.type("jkLTHP");
    expect(tree.model.wanted.query).toBe("jkLTHP");
    expect(tree.model.box).toBeUndefined();
    expect(tree.rows()).toEqual(["  Nothing matches “jkLTHP” in default. Esc clears", "  (0/0)"]);
  });

  test("never begins with a blank", async () => {
    const tree = await OpenTree.open(talk());
    await tree.press(" ");
    expect(tree.model.wanted.query).toBe("");
  });

  test("is shortened by Backspace, a whole cluster at a time", async () => {
    const tree = await OpenTree.open(talk());
    await tree.type("r");
    await tree.press("👩‍👧", "backspace");
    expect(tree.model.wanted.query).toBe("r");
  });

  test("is cleared by Ctrl+U, which without a query sets the filter", async () => {
    const tree = await OpenTree.open(talk());
    await tree.type("reader");
    await tree.press("ctrl+u");
    expect(tree.rows().length).toBe(6);
    expect(tree.model.lastId).toBe("u2");
    await tree.press("ctrl+u");
    expect(tree.rows().at(-1)).toBe("  (2/2) [user]");
  });

  test("that is still running is overtaken by a longer one, and keys wait for its rows", async () => {
    const tree = await OpenTree.open(talk());
    tree.pressAtOnce("r", "e", "a", "d", "e", "r", "enter");
    expect(tree.isClosed).toBe(false);
    await tree.settled();
    expect(tree.choice?.id).toBe("u2");
  });

  test("keeps the order of keys that wait", async () => {
    const tree = await OpenTree.open(talk());
    tree.pressAtOnce("e", "home", "backspace", "down");
    await tree.settled();
    expect(tree.model.lastId).toBe("a1");
  });

  test("finds a label and a text beyond what the row shows", async () => {
    const long = `${"word ".repeat(60)}needle`;
    const session = sessionOf([user("u1", null, long), user("u2", "u1")]);
    session.appendLabelChange("u2", "Milestone");
    const tree = await OpenTree.open(session);
    await tree.type("NEEDLE");
    expect(tree.model.lastId).toBe("u1");
    await tree.press("escape");
    await tree.type("milestone");
    expect(tree.model.lastId).toBe("u2");
  });
});

describe("filters", () => {
  test("go round in their order, in both directions", async () => {
    const tree = await OpenTree.open(talk());
    const seen: string[] = [];
    for (let i = 0; i < 5; i++) seen.push((await tree.press("ctrl+o")).model.shown.filter.id);
    expect(seen).toEqual(["no-tools", "user-only", "labeled-only", "all", "default"]);
    await tree.press("shift+tab");
    expect(tree.model.shown.filter.id).toBe("all");
  });

  test("are set by their own key, which never toggles", async () => {
    const tree = await OpenTree.open(talk());
    await tree.press("ctrl+u", "alt+u");
    expect(tree.model.shown.filter.id).toBe("user-only");
  });

  test("that fail leave the list as it was and say so", async () => {
    const tree = await OpenTree.open(talk(), { filters: [...fiveFilters(), failing] });
    const before = tree.rows();
    await tree.press("shift+tab");
    expect(tree.rows()).toEqual(before);
    expect(tree.model.wanted.filter.id).toBe("default");
    expect(tree.model.notice).toContain("no rows today");
  });

  test("hide an assistant message without text, unless it is the leaf or ended oddly", async () => {
    const session = sessionOf([
      user("u1", null),
      assistant("calls", "u1", "", { stopReason: "toolUse" }),
      assistant("aborted", "calls", "", { stopReason: "aborted" }),
      assistant("leaf", "aborted", ""),
    ]);
    for (const filter of ["default", "all"]) {
      const rows = (await OpenTree.open(session, { filter })).rows().slice(0, -1);
      expect(rows).toEqual([
        "  • user: u1",
        "  • assistant: (aborted)",
        "› • assistant: (no content)",
      ]);
    }
  });

  test("do not exempt the leaf", async () => {
    const tree = await OpenTree.open(talk(), { filter: "user-only" });
    expect(tree.rows()).toEqual([
      "  • user: Fix the writer",
      "› • user: and the reader",
      "  (2/2) [user]",
    ]);
  });
});

describe("Escape", () => {
  test("clears the query, then goes back to the first filter, then closes", async () => {
    const tree = await OpenTree.open(talk(), { filter: "no-tools" });
    await tree.press("ctrl+a", "w", "escape");
    expect(tree.model.wanted).toMatchObject({ query: "", filter: { id: "all" } });
    await tree.press("escape");
    expect(tree.model.shown.filter.id).toBe("no-tools");
    expect(tree.isClosed).toBe(false);
    await tree.press("escape");
    expect(tree.isClosed).toBe(true);
    expect(tree.choice).toBeUndefined();
  });

  test("is not needed with Ctrl+C, which closes at once", async () => {
    const tree = await OpenTree.open(talk());
    tree.pressAtOnce("w", "ctrl+c");
    expect(tree.isClosed).toBe(true);
    await tree.settled();
  });
});

describe("choosing", () => {
  test("gives the entry, and filter and query to come back to", async () => {
    const tree = await OpenTree.open(talk());
    await tree.press("ctrl+a", "w", "enter");
    expect(tree.choice).toEqual({
      action: "go",
      id: "a1",
      resume: { filterId: "all", query: "w" },
    });
  });

  test("with Shift+Enter asks nothing; Ctrl+F wants a message of the person", async () => {
    const tree = await OpenTree.open(talk());
    await tree.press("ctrl+f");
    expect(tree.isClosed).toBe(false);
    expect(tree.model.notice).toContain("your messages");
    await tree.press("home", "ctrl+f");
    expect(tree.choice).toMatchObject({ action: "newSession", id: "u1" });
    const other = await OpenTree.open(talk());
    await other.press("home", "shift+enter");
    expect(other.choice).toMatchObject({ action: "goSilently", id: "u1" });
  });

  test("a notice of several lines is shown to its end, and leaves the list a row", async () => {
    const refusal = `${"This row is none of yours. ".repeat(6)}Take another.`;
    const accept = (rows: readonly unknown[]) => rows.map(() => false);
    const tree = await OpenTree.open(talk(), { isPicker: true, accept, refusal });
    await tree.press("enter");
    const screen = tree.screen(80, 24);
    expect(screen).toHaveLength(24);
    expect(screen.join("\n")).toMatch(/This row[\s\S]*Take another\.\n ⏎ choose/);
    const small = tree.screen(30, 5);
    expect(small).toHaveLength(5);
    expect(small[0]).toContain("›");
  });

  test("a row that the picker refuses says so, and the selector stays open", async () => {
    const tree = await OpenTree.open(talk(), {
      isPicker: true,
      accept: (rows) => rows.map(({ role }) => role === "user"),
      refusal: "Not one of yours.",
    });
    await tree.press("enter");
    expect(tree.model.notice).toBe("Not one of yours.");
    expect(tree.screen(80, 24)).toContain(" Not one of yours.");
    await tree.press("ctrl+f", "home", "enter");
    expect(tree.choice).toMatchObject({ action: "go", id: "u1" });
  });

  test("in an empty list does nothing", async () => {
    const tree = await OpenTree.open(talk(), { filter: "labeled-only" });
    await tree.press("enter", "L", "ctrl+f", "left", "right", "up", "P", "H");
    expect(tree.isClosed).toBe(false);
    expect(tree.model.box).toBeUndefined();
  });
});
