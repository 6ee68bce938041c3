import { describe, expect, test } from "vitest";
import { createSession } from "../../host/storage/sessions.ts";
import { loadWorld, type WorldOptions } from "../contract/world.ts";
import { tree, userMessage } from "../world.ts";
import { Person } from "./person.ts";

const builtins = ["tree-selector", "filter-modes", "branch-command", "labels", "sessions", "help"];

async function world(picture: string, options: Omit<WorldOptions, "ui" | "session"> = {}) {
  const ui = new Person();
  const session = tree(picture);
  const loaded = await loadWorld({ builtins, session, ...options, ui });
  return { ...loaded, ui, path: () => session.names(loaded.sessionManager.getBranch()) };
}

describe("/label", () => {
  test("labels the last entry of the conversation, and again changes it", async () => {
    const { command, sessionManager, id, said } = await world("u1 a1*");
    sessionManager.appendSessionInfo("a name");
    await command("/label  first one ");
    await command("/label second");
    await command("/label second");
    expect(sessionManager.getLabel(id("a1"))).toBe("second");
    expect(sessionManager.getEntryCount()).toBe(5);
    expect(said).toEqual(["Labelled “first one”.", "Labelled “second”."]);
  });

  test("without text asks; an empty answer removes, Escape keeps", async () => {
    const { command, sessionManager, id, ui } = await world("u1 a1*");
    sessionManager.appendLabelChange(id("a1"), "old");
    const title = "Label of the last entry (empty removes it)";
    let running = command("/label");
    (await ui.asked(title)).answer(undefined);
    await running;
    expect(sessionManager.getLabel(id("a1"))).toBe("old");
    running = command("/label");
    (await ui.asked(title)).answer(" ");
    await running;
    expect(sessionManager.getLabel(id("a1"))).toBeUndefined();
  });

  test("has nothing to label in an empty session", async () => {
    const { command, said } = await world("");
    await command("/label x");
    expect(said).toEqual(["There is nothing to label yet."]);
  });
});

describe("/branch", () => {
  test("picks in the tree by default: other rows are refused, the leaf may be picked", async () => {
    const { command, ui, path, session } = await world("u1 a1 u2*");
    const running = command("/branch");
    const panel = await ui.panelOpened();
    await panel.press("up", "enter");
    expect(panel.screen().join("\n")).toContain("a new session starts from one of them");
    await panel.press("ctrl+f", "down", "enter");
    await running;
    expect(path()).toEqual(["u1", "a1"]);
    expect(session.sessionManager.getEntryCount()).toBe(2);
  });

  test("opens the message selector where double Escape does not open the tree", async () => {
    const settings = { doubleEscapeAction: "branch" };
    const { command, ui, path } = await world("u1 a1 u2 a2*", { settings });
    const running = command("/branch");
    const panel = await ui.panelOpened();
    expect(panel.screen().slice(2, 4)).toEqual(["  u1", "› u2"]);
    await panel.press("enter");
    await running;
    expect(path()).toEqual(["u1", "a1"]);
  });

  test("takes words: one match branches at once, several are offered, none says so", async () => {
    const first = await world("u1 a1 u2 a2 u21*");
    await first.command("/branch U1");
    expect(first.path()).toEqual([]);
    const second = await world("u1 a1 u2 a2 u21*");
    const running = second.command("/branch u2");
    const panel = await second.ui.panelOpened();
    expect(panel.screen().slice(2, 4)).toEqual(["  u2", "› u21"]);
    await panel.press("escape");
    await running;
    const third = second.command("/branch nothing");
    await (await second.ui.panelOpened()).press("escape");
    await third;
    expect(second.said).toEqual(["None of your messages holds “nothing”."]);
    expect(second.path().length).toBe(5);
  });

  test("says when there is no message, and closes silently when an extension refuses", async () => {
    const empty = await world("");
    await empty.command("/branch");
    expect(empty.said).toEqual(["There is no message of yours to branch from yet."]);
    const guarded = await world("u1 a1*", {
      extensions: {
        guard: (api) => void api.on("session_before_branch", () => ({ cancel: true })),
      },
    });
    await guarded.command("/branch u1");
    expect([guarded.said, guarded.path()]).toEqual([[], ["u1", "a1"]]);
  });
});

describe("commands of sessions", () => {
  test("/name names the session, and tells the name", async () => {
    const { command, sessionManager, said } = await world("u1 a1*");
    await command("/name");
    await command("/name  my tree ");
    await command("/name");
    expect(sessionManager.getSessionName()).toBe("my tree");
    expect(said).toEqual(["This session has no name.", "Name: my tree", "Name: my tree"]);
  });

  test("/back goes to the leaf before the last move, and again back", async () => {
    const { command, session, sessionManager, id, said } = await world("u1 a1 u2 a2*");
    await command("/back");
    expect(said).toEqual(["There was no move in this session yet."]);
    await session.navigateTree(id("a1"));
    await command("/back");
    expect(sessionManager.getLeafId()).toBe(id("a2"));
    await command("/back");
    expect(sessionManager.getLeafId()).toBe(id("a1"));
  });

  test("/back that is stopped says so, and blames no extension", async () => {
    const { command, session, sessionManager, id, said } = await world("u1 a1 u2 a2*", {
      extensions: {
        slow: (api) =>
          void api.on("session_before_tree", ({ preparation, signal }) => {
            if (preparation.entriesToSummarize.length > 0) return undefined;
            return new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve(undefined));
            });
          }),
      },
    });
    await session.navigateTree(id("a1"));
    const running = command("/back");
    expect(session.activity).toBe("navigating");
    session.abortBranchSummary();
    await running;
    expect(said).toEqual(["Stopped: nothing has moved."]);
    expect(sessionManager.getLeafId()).toBe(id("a1"));
  });

  test("/new starts an empty session; a refusal is said", async () => {
    const { command, sessionManager } = await world("u1 a1*");
    await command("/new");
    expect(sessionManager.getEntryCount()).toBe(0);
    const guarded = await world("u1 a1*", {
      extensions: {
        guard: (api) => void api.on("session_before_switch", () => ({ cancel: true })),
      },
    });
    await guarded.command("/new");
    expect(guarded.said).toEqual(["An extension refused the new session."]);
    expect(guarded.path()).toEqual(["u1", "a1"]);
  });

  test("/resume goes on in an earlier session, chosen from a list or by words", async () => {
    const { command, session, ui, said } = await world("u1 a1*");
    await command("/resume");
    await command("/resume lost words");
    expect(said).toEqual([
      "There is no other session of this project.",
      "There is no other session of this project that holds “lost words”.",
    ]);
    for (const text of ["about writers", "about readers"]) {
      const earlier = await createSession(session.sessionManager.getCwd());
      earlier.appendMessage(userMessage(text));
      earlier.close();
    }
    const running = command("/resume");
    const question = await ui.asked("Continue which session?");
    expect([...question.options].sort()).toEqual(["about readers", "about writers"]);
    question.answer("about writers");
    await running;
    expect(JSON.stringify(session.sessionManager.getEntries())).toContain("about writers");
    await command("/resume readers");
    expect(JSON.stringify(session.sessionManager.getEntries())).toContain("about readers");
  });

  test("/quit ends the program", async () => {
    const { command, ui } = await world("u1 a1*");
    await command("/quit");
    expect(ui.isShutDown).toBe(true);
  });
});

describe("/help", () => {
  test("lists the commands that are there, and the main keys", async () => {
    const { command, ui } = await world("u1 a1*");
    const running = command("/help");
    const panel = await ui.panelOpened();
    const rows = panel.screen(90, 60);
    expect(rows).toContain(
      "  /label                     label the last entry; without text it asks",
    );
    expect(rows.some((row) => row.includes("Escape Escape"))).toBe(true);
    await panel.press("down", "pageup", "q");
    await running;
  });
});

test("an error of a command is one line", async () => {
  const { command, session, said } = await world("u1 a1 u2 a2*", { model: "none" });
  session.sessionManager.appendLabelChange = () => {
    throw new TypeError("the disk is full");
  };
  await command("/label x");
  expect(said).toEqual(["the disk is full"]);
});
