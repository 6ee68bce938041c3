import { describe, expect, test } from "vitest";
import { FakeModel } from "../../contract/fake-model.ts";
import { loadWorld, type WorldOptions } from "../../contract/world.ts";
import { tree } from "../../world.ts";
import { Person } from "../person.ts";

const PICTURE = "u1 a1(u2(a2(u3(a3*))) u4(a4))";

async function world(options: Omit<WorldOptions, "ui"> = {}, ui = new Person()) {
  const builtins = ["tree-selector", "filter-modes", "summarizer", "branch-command"];
  const loaded = await loadWorld({ builtins, session: tree(PICTURE), ...options, ui });
  const leaf = () => loaded.sessionManager.getLeafId();
  return { ...loaded, ui, leaf };
}

/** Opens /tree and chooses the row of an entry. */
async function choose(loaded: Awaited<ReturnType<typeof world>>, text: string, key = "enter") {
  const running = loaded.command("/tree");
  const panel = await loaded.ui.panelOpened();
  await panel.type(text);
  await panel.press(key);
  return running;
}

function selectedRow(panel: { screen(): string[] }): string | undefined {
  return panel.screen().find((row) => row.startsWith("›"));
}

describe("a row chosen in /tree", () => {
  test("without summary only moves", async () => {
    const loaded = await world();
    loaded.sessionManager.appendLabelChange(loaded.id("a3"), "here");
    loaded.sessionManager.appendSessionInfo("a name");
    const running = choose(loaded, "a1");
    const question = await loaded.ui.panelOpened();
    expect(question.screen()[0]).toBe(" You leave 6 entries behind");
    expect(question.screen()[2]).toBe("  from  assistant: a3");
    await question.press("enter");
    await running;
    expect(loaded.leaf()).toBe(loaded.id("a1"));
    expect(loaded.reports).toEqual([]);
  });

  test("that is the current position changes nothing and says so, labels between or not", async () => {
    const loaded = await world();
    loaded.sessionManager.appendLabelChange(loaded.id("a3"), "here");
    const before = loaded.leaf();
    await choose(loaded, "a3");
    expect(loaded.said).toEqual(["You are already here."]);
    expect(loaded.leaf()).toBe(before);
  });

  test("by Shift+Enter moves at once, whatever the setting", async () => {
    const loaded = await world({ settings: { "branchSummary.prompt": "always" } });
    await choose(loaded, "u4", "shift+enter");
    expect(loaded.leaf()).toBe(loaded.id("a1"));
    expect(loaded.model.calls).toEqual([]);
  });

  test("asks nothing where nothing is left behind, or the setting is never", async () => {
    const below = await world({ session: tree("u1 a1*(u2(a2))") });
    await choose(below, "a2");
    expect(below.leaf()).toBe(below.id("a2"));
    const never = await world({ settings: { "branchSummary.prompt": "never" } });
    await choose(never, "a4");
    expect(never.leaf()).toBe(never.id("a4"));
  });

  test("is summarised without question where the setting is always", async () => {
    const loaded = await world({
      model: new FakeModel(["tried it"]),
      settings: { "branchSummary.prompt": "always" },
    });
    await choose(loaded, "a4");
    expect(loaded.sessionManager.getLeafEntry()).toMatchObject({
      type: "branch_summary",
      parentId: loaded.id("a4"),
    });
  });
});

describe("the summary question", () => {
  test("leads back to the tree by Escape: same row, same filter, same query", async () => {
    const loaded = await world();
    const running = loaded.command("/tree");
    const first = await loaded.ui.panelOpened();
    await first.press("ctrl+u", "u", "home", "down", "enter");
    const row = selectedRow(first);
    await (await loaded.ui.panelOpened()).press("escape");
    const again = await loaded.ui.panelOpened();
    expect(selectedRow(again)).toBe(row);
    expect(again.screen()[1]).toMatch(/^ \/ u /);
    expect(again.screen().at(-2)).toContain("[user]");
    await again.press("escape", "escape");
    await again.press("escape");
    await running;
    expect(loaded.leaf()).toBe(loaded.id("a3"));
  });

  test("with a custom prompt asks for it; Escape there leads back to the question", async () => {
    const loaded = await world({ model: new FakeModel(["short"]) });
    const running = choose(loaded, "a4");
    const editor = "What should the summary focus on?";
    await (await loaded.ui.panelOpened()).press("f");
    (await loaded.ui.asked(editor)).answer(undefined);
    await (await loaded.ui.panelOpened()).press("f");
    (await loaded.ui.asked(editor)).answer(" only the numbers ");
    await running;
    expect(JSON.stringify(loaded.model.calls[0]?.context)).toContain("only the numbers");
    expect(loaded.sessionManager.getLeafEntry()?.type).toBe("branch_summary");
  });
});

describe("a summary that runs", () => {
  async function summarising() {
    const loaded = await world();
    const running = choose(loaded, "a4");
    const called = loaded.model.called();
    await (await loaded.ui.panelOpened()).press("s");
    const call = await called;
    return { loaded, running, call, panel: await loaded.ui.panelOpened() };
  }

  test("shows its progress and closes it at the end", async () => {
    const { loaded, running, call, panel } = await summarising();
    expect(panel.screen()[0]).toBe(" Summarizing 4 entries");
    call.say("the goal");
    call.finish();
    await running;
    await panel.closed;
    expect(loaded.sessionManager.getLeafEntry()).toMatchObject({
      type: "branch_summary",
      summary: expect.stringContaining("the goal"),
    });
  });

  test("is stopped by Escape: nothing changes, and the tree opens on the same row", async () => {
    const { loaded, running, panel } = await summarising();
    const count = loaded.sessionManager.getEntryCount();
    await panel.press("escape");
    const again = await loaded.ui.panelOpened();
    expect(selectedRow(again)).toContain("a4");
    expect(again.screen()).toContain(" Stopped: nothing has moved.");
    await again.press("ctrl+c");
    await running;
    expect(loaded.leaf()).toBe(loaded.id("a3"));
    expect(loaded.sessionManager.getEntryCount()).toBe(count);
  });

  test("that fails is said, and the tree opens on the same row", async () => {
    const { loaded, running, call } = await summarising();
    call.fail("overloaded");
    const again = await loaded.ui.panelOpened();
    expect(again.screen().join("\n")).toContain("overloaded");
    expect(selectedRow(again)).toContain("a4");
    await again.press("ctrl+c");
    await running;
    expect(loaded.leaf()).toBe(loaded.id("a3"));
  });

  test("is refused at once without a model, and shows no progress", async () => {
    const loaded = await world({ model: "none" });
    const running = choose(loaded, "a4");
    await (await loaded.ui.panelOpened()).press("s");
    const again = await loaded.ui.panelOpened();
    expect(again.screen()[0]).toContain("Session tree");
    expect(again.screen().at(-2)).toContain("model");
    await again.press("ctrl+c");
    await running;
  });
});

describe("the tree", () => {
  test("that an extension refuses to leave closes with a message", async () => {
    const loaded = await world({
      extensions: { guard: (api) => void api.on("session_before_tree", () => ({ cancel: true })) },
    });
    await choose(loaded, "a4", "shift+enter");
    expect(loaded.said).toEqual(["An extension refused the move."]);
    expect(loaded.leaf()).toBe(loaded.id("a3"));
  });

  test("does not open on an empty session", async () => {
    const loaded = await world({ session: tree("") });
    await loaded.command("/tree");
    expect(loaded.said).toEqual([
      "Nothing here yet. Send a message, and every turn appears in this tree.",
    ]);
  });

  test("shows everything where no extension offers a filter", async () => {
    const loaded = await world({ builtins: ["tree-selector"] });
    loaded.sessionManager.appendModelChange("acme", "m1");
    const running = loaded.command("/tree");
    const panel = await loaded.ui.panelOpened();
    expect(panel.screen().join("\n")).toContain("[model: acme/m1]");
    await panel.press("escape");
    await running;
  });

  test("branches into a new session by Ctrl+F on a message of the person", async () => {
    const loaded = await world();
    await choose(loaded, "u4", "ctrl+f");
    const branch = loaded.sessionManager.getBranch().map(({ id }) => id);
    expect(branch).toEqual([loaded.id("u1"), loaded.id("a1")]);
    expect(loaded.sessionManager.getEntryCount()).toBe(2);
  });
});
