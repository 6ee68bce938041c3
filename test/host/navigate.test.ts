import { describe, expect, it } from "vitest";
import { FakeModel } from "../contract/fake-model.ts";
import { namesSeen, seen, watching } from "../contract/watcher.ts";
import { loadWorld, type Source, type World, type WorldOptions } from "../contract/world.ts";
import { tree } from "../world.ts";

/** Two branches below the first answer; the leaf is in the second. */
const picture = "u1 a1(u2(a2) u3(a3*))";
const watch = watching("session_before_tree", "summarize_branch", "session_tree");

async function watched(options: WorldOptions = {}): Promise<World> {
  const { extensions, ...rest } = options;
  return loadWorld({
    session: tree(picture),
    ...rest,
    extensions: { ...extensions, watch },
  });
}

const answer = (value: object): Source =>
  `export default (api) => { api.on("session_before_tree", () => (${JSON.stringify(value)})); };`;

/** State that a failed or cancelled move must leave alone. */
function stateOf({ session, sessionManager }: World) {
  return {
    leaf: sessionManager.getLeafId(),
    entries: sessionManager.getEntries(),
    messages: session.messages,
    activity: session.activity,
  };
}

describe("a move to", () => {
  it.each([
    ["a user message lands on its parent and gives its text", "u2", "a1", "u2"],
    ["an assistant message lands on it and gives no text", "a2", "a2", undefined],
    ["an ancestor leaves everything below it", "a1", "a1", undefined],
  ])("%s", async (_name, target, leaf, editorText) => {
    const world = await watched();
    const result = await world.session.navigateTree(world.id(target));
    expect(result).toEqual({ cancelled: false, ...(editorText && { editorText }) });
    expect(world.sessionManager.getLeafId()).toBe(world.id(leaf));
    expect(world.session.messages).toEqual(world.sessionManager.buildSessionContext().messages);
  });

  it("the first user message lands on the root position", async () => {
    const world = await watched();
    const result = await world.session.navigateTree(world.id("u1"));
    expect(result).toEqual({ cancelled: false, editorText: "u1" });
    expect(world.sessionManager.getLeafId()).toBeNull();
    expect(world.session.messages).toEqual([]);
  });

  it("a custom message lands on its parent and gives its text", async () => {
    const world = await watched();
    const { sessionManager } = world;
    const blocks = [
      { type: "text", text: "one" },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "text", text: "two" },
    ] as const;
    const id = sessionManager.appendCustomMessageEntry("note", blocks, false);
    sessionManager.branch(world.id("a2"));
    const result = await world.session.navigateTree(id);
    expect(result).toEqual({ cancelled: false, editorText: "onetwo" });
    expect(sessionManager.getLeafId()).toBe(world.id("a3"));
  });

  it.each([
    ["label", (world: World) => world.sessionManager.appendLabelChange(world.id("a1"), "x")],
    ["thinking level", (world: World) => world.sessionManager.appendThinkingLevelChange("low")],
    ["extension state", (world: World) => world.sessionManager.appendCustomEntry("x", 1)],
    [
      "summary",
      (world: World) => world.sessionManager.branchWithSummary(world.id("a1"), "s", {}, true),
    ],
    [
      "compaction",
      (world: World) => world.sessionManager.appendCompaction("s", world.id("u3"), 10),
    ],
    [
      "message with another role",
      (world: World) =>
        world.sessionManager.appendMessage({
          role: "custom",
          customType: "x",
          content: "c",
          display: true,
          timestamp: 1,
        }),
    ],
  ])("a %s entry lands on it", async (_name, add) => {
    const world = await watched();
    const id = add(world);
    world.sessionManager.branch(world.id("a2"));
    expect(await world.session.navigateTree(id)).toEqual({ cancelled: false });
    expect(world.sessionManager.getLeafId()).toBe(id);
  });

  it("a user message whose parent is the leaf is a move with events, though the leaf stays", async () => {
    const world = await watched({ session: tree("u1 a1*(u2)") });
    const result = await world.session.navigateTree(world.id("u2"));
    expect(result).toEqual({ cancelled: false, editorText: "u2" });
    expect(world.sessionManager.getLeafId()).toBe(world.id("a1"));
    expect(namesSeen(world)).toEqual(["session_before_tree", "session_tree"]);
  });

  it("an image alone gives an empty text", async () => {
    const world = await watched();
    const content = [{ type: "image", data: "", mimeType: "image/png" }] as const;
    const id = world.sessionManager.appendMessage({ role: "user", content, timestamp: 1 });
    world.sessionManager.branch(world.id("a2"));
    expect(await world.session.navigateTree(id)).toEqual({ cancelled: false, editorText: "" });
  });
});

describe("the checks come in order", () => {
  it("the leaf itself is no move, even where a summary is wanted without a model", async () => {
    const world = await watched({ model: "none" });
    const before = stateOf(world);
    expect(await world.session.navigateTree(world.id("a3"), { summarize: true })).toEqual({
      cancelled: false,
    });
    expect(stateOf(world)).toEqual(before);
    expect(world.said).toEqual([]);
  });

  it("so is a user message that is the leaf: no text, no event", async () => {
    const world = await watched({ session: tree("u1 a1 u2*") });
    expect(await world.session.navigateTree(world.id("u2"))).toEqual({ cancelled: false });
    expect(world.sessionManager.getLeafId()).toBe(world.id("u2"));
    expect(world.said).toEqual([]);
  });

  it("an unknown target is ENTRY_NOT_FOUND before a missing model is noticed", async () => {
    const world = await watched({ options: { model: "none" } });
    await expect(world.session.navigateTree("nowhere", { summarize: true })).rejects.toMatchObject({
      code: "ENTRY_NOT_FOUND",
      message: expect.stringMatching(/"nowhere" not found/),
    });
  });

  it("a summary without a model is NO_ACTIVE_MODEL, also where nothing would be summarised", async () => {
    const world = await watched({ options: { model: "none" }, session: tree("u1* a1") });
    await expect(
      world.session.navigateTree(world.id("a1"), { summarize: true }),
    ).rejects.toMatchObject({ code: "NO_ACTIVE_MODEL" });
    expect(world.said).toEqual([]);
  });

  it("without a model is noticed before a busy agent", async () => {
    const world = await watched();
    const called = world.model.called();
    const prompt = world.session.prompt("go on");
    const call = await called;
    world.session.unsetModel();
    const { id, session } = world;
    await expect(session.navigateTree(id("a1"), { summarize: true })).rejects.toMatchObject({
      code: "NO_ACTIVE_MODEL",
    });
    await expect(session.navigateTree(id("a1"))).rejects.toMatchObject({
      code: "AGENT_BUSY",
      details: { reason: "streaming" },
      message: expect.stringMatching(/abort/),
    });
    call.say("undisturbed");
    call.finish();
    await prompt;
    expect(session.messages.at(-1)).toMatchObject({
      content: [{ type: "text", text: "undisturbed" }],
    });
  });

  it("a call that ends at a check supersedes nothing", async () => {
    const world = await watched({
      options: { model: "none" },
      extensions: {
        slow: (api) => {
          api.on("session_before_tree", async (_event, ctx) => {
            await ctx.ui.input("gate");
            return {};
          });
        },
      },
    });
    const { session, id } = world;
    const moving = session.navigateTree(id("u2"));
    const gate = await world.ui.asked("gate");
    await expect(session.navigateTree("nowhere")).rejects.toMatchObject({
      code: "ENTRY_NOT_FOUND",
    });
    await expect(session.navigateTree(id("a2"), { summarize: true })).rejects.toMatchObject({
      code: "NO_ACTIVE_MODEL",
    });
    expect(await session.navigateTree(id("a3"))).toEqual({ cancelled: false });
    gate.answer();
    expect(await moving).toEqual({ cancelled: false, editorText: "u2" });
  });
});

describe("the events of a move", () => {
  it("tell what is left behind, ancestor first, and what the person wants", async () => {
    const world = await watched();
    const { id } = world;
    const options = { customInstructions: "c", replaceInstructions: true, label: " kept " };
    await world.session.navigateTree(id("a2"), options);
    const [before] = seen(world);
    const { entriesToSummarize, ...rest } = (before?.preparation ?? {}) as Record<string, unknown>;
    expect((entriesToSummarize as { id: string }[]).map((entry) => entry.id)).toEqual([
      id("u3"),
      id("a3"),
    ]);
    expect(rest).toEqual({
      targetId: id("a2"),
      oldLeafId: id("a3"),
      commonAncestorId: id("a1"),
      userWantsSummary: false,
      ...options,
    });
  });

  it("come before and after, the second when the agent's messages are the new ones", async () => {
    const world = await watched({
      extensions: {
        context: (api) => {
          api.on("session_tree", (_event, ctx) => {
            const { messages } = ctx.sessionManager.buildSessionContext();
            ctx.ui.notify(`${messages.length} messages, leaf ${ctx.sessionManager.getLeafId()}`);
          });
        },
      },
    });
    await world.session.navigateTree(world.id("u2"));
    expect(world.said[1]).toBe(`2 messages, leaf ${world.id("a1")}`);
    expect(namesSeen(world)).toEqual(["session_before_tree", "session_tree"]);
    expect(seen(world).at(-1)).toEqual({
      type: "session_tree",
      newLeafId: world.id("a1"),
      oldLeafId: world.id("a3"),
    });
  });

  it("have no old leaf and leave nothing behind at the root position", async () => {
    const world = await watched();
    world.sessionManager.resetLeaf();
    await world.session.navigateTree(world.id("a2"));
    expect(seen(world)[0]?.preparation).toMatchObject({
      oldLeafId: null,
      commonAncestorId: null,
      entriesToSummarize: [],
    });
    expect(seen(world)[1]).toEqual({
      type: "session_tree",
      newLeafId: world.id("a2"),
      oldLeafId: null,
    });
  });

  it("do not know a blank label", async () => {
    const world = await watched();
    const entries = world.sessionManager.getEntryCount();
    await world.session.navigateTree(world.id("a2"), { label: "  " });
    expect(seen(world)[0]?.preparation).not.toHaveProperty("label");
    expect(world.sessionManager.getEntryCount()).toBe(entries);
  });
});

describe("the summary of a move", () => {
  const own = answer({ summary: { summary: "mine", details: { a: 1 } } });

  it("is not made without being wanted: that of a handler is ignored", async () => {
    const world = await watched({ extensions: { own } });
    expect(await world.session.navigateTree(world.id("a2"))).toEqual({ cancelled: false });
    expect(world.sessionManager.getLeafId()).toBe(world.id("a2"));
  });

  it("of a handler is stored as given, without a model call, at the new position", async () => {
    const model = new FakeModel();
    const world = await watched({ extensions: { own }, model, builtins: ["summarizer"] });
    const { id, sessionManager } = world;
    const result = await world.session.navigateTree(id("u2"), { summarize: true });
    const summary = {
      type: "branch_summary",
      parentId: id("a1"),
      fromId: id("a1"),
      summary: "mine",
      details: { a: 1 },
      fromExtension: true,
    };
    expect(result).toMatchObject({ cancelled: false, editorText: "u2", summaryEntry: summary });
    expect(sessionManager.getLeafEntry()).toMatchObject(summary);
    expect(seen(world).at(-1)).toMatchObject({
      type: "session_tree",
      newLeafId: sessionManager.getLeafId(),
      oldLeafId: id("a3"),
      summaryEntry: summary,
      fromExtension: true,
    });
    expect(namesSeen(world)).toEqual(["session_before_tree", "session_tree"]);
    expect(model.calls).toEqual([]);
    expect(world.session.messages).toEqual(sessionManager.buildSessionContext().messages);
  });

  it("of a handler needs no credentials, and counts where nothing is left behind", async () => {
    const model = new FakeModel();
    model.isKeyed = false;
    const session = tree("u1* a1");
    const options = { model: "test/one" };
    const world = await watched({ extensions: { own }, model, session, options });
    const result = await world.session.navigateTree(world.id("a1"), { summarize: true });
    expect(result.summaryEntry).toMatchObject({ summary: "mine", parentId: world.id("a1") });
  });

  it("for the first user message becomes a root", async () => {
    const world = await watched({ extensions: { own } });
    const { summaryEntry } = await world.session.navigateTree(world.id("u1"), { summarize: true });
    expect(summaryEntry).toMatchObject({ parentId: null, fromId: "root" });
  });

  it("that is an empty text is none, and the built-in one does not run", async () => {
    const model = new FakeModel(["built in"]);
    const empty = answer({ summary: { summary: "" } });
    const world = await watched({ extensions: { empty }, model, builtins: ["summarizer"] });
    expect(await world.session.navigateTree(world.id("a2"), { summarize: true })).toEqual({
      cancelled: false,
    });
    expect(model.calls).toEqual([]);
    expect(world.sessionManager.getLeafId()).toBe(world.id("a2"));
  });

  it("of 1 MB is stored whole", async () => {
    const big = `export default (api) => {
      api.on("session_before_tree", () => ({ summary: { summary: "x".repeat(1 << 20) } }));
    };`;
    const world = await watched({ extensions: { big } });
    const { summaryEntry } = await world.session.navigateTree(world.id("a2"), { summarize: true });
    expect(summaryEntry?.summary).toHaveLength(1 << 20);
  });

  it("is made by the built-in summarizer where nobody else gave one", async () => {
    const model = new FakeModel(["short"]);
    const world = await watched({ model, builtins: ["summarizer"] });
    const progress: string[] = [];
    const { summaryEntry } = await world.session.navigateTree(world.id("a2"), {
      summarize: true,
      customInstructions: "mind the tests",
      onProgress: ({ text }) => progress.push(text),
    });
    expect(summaryEntry).toMatchObject({ fromExtension: false, parentId: world.id("a2") });
    expect(summaryEntry?.summary).toContain("short");
    expect(progress.at(-1)).toContain("short");
    expect(JSON.stringify(model.calls[0]?.context)).toContain("mind the tests");
    expect(namesSeen(world)).toEqual(["session_before_tree", "summarize_branch", "session_tree"]);
    expect(seen(world).at(-1)).toMatchObject({ fromExtension: false });
  });

  it("instructions of a handler take the place of those of the call", async () => {
    const model = new FakeModel(["short"]);
    const changes = answer({ customInstructions: "from the handler", label: "of the handler" });
    const world = await watched({ extensions: { changes }, model, builtins: ["summarizer"] });
    const { summaryEntry } = await world.session.navigateTree(world.id("a2"), {
      summarize: true,
      customInstructions: "from the call",
      label: "of the call",
    });
    const request = JSON.stringify(model.calls[0]?.context);
    expect(request).toContain("from the handler");
    expect(request).not.toContain("from the call");
    expect(world.sessionManager.getLabel(summaryEntry?.id ?? "")).toBe("of the handler");
  });

  it("is not asked for where nothing that is left behind has text", async () => {
    const model = new FakeModel();
    model.isKeyed = false;
    const world = await watched({ model, builtins: ["summarizer"] });
    world.sessionManager.branch(world.id("a2"));
    world.sessionManager.appendThinkingLevelChange("low");
    const result = await world.session.navigateTree(world.id("a2"), { summarize: true });
    expect(result).toEqual({ cancelled: false });
    expect(namesSeen(world)).toEqual(["session_before_tree", "session_tree"]);
  });

  it("of another extension on summarize_branch counts as an extension's", async () => {
    const world = await watched({
      extensions: {
        own: (api) => {
          api.on("summarize_branch", () => ({ summary: "theirs" }));
        },
      },
      builtins: ["summarizer"],
    });
    const { summaryEntry } = await world.session.navigateTree(world.id("a2"), { summarize: true });
    expect(summaryEntry).toMatchObject({ summary: "theirs", fromExtension: true });
    expect(world.model.calls).toEqual([]);
  });

  it("given as an empty answer to summarize_branch is none", async () => {
    const world = await watched({
      extensions: {
        own: (api) => {
          api.on("summarize_branch", () => ({ summary: "" }));
        },
      },
    });
    expect(await world.session.navigateTree(world.id("a2"), { summarize: true })).toEqual({
      cancelled: false,
    });
  });
});

describe("a summary that fails leaves everything as it was", () => {
  async function failing(options: WorldOptions, code: string): Promise<World> {
    const world = await watched(options);
    const before = stateOf(world);
    const moved = world.session.navigateTree(world.id("a2"), { summarize: true, label: "x" });
    await expect(moved).rejects.toMatchObject({ code });
    expect(stateOf(world)).toEqual(before);
    expect(namesSeen(world)).not.toContain("session_tree");
    return world;
  }

  it("without a summarizer", async () => {
    const world = await failing({}, "SUMMARY_FAILED");
    expect(world.reports).toEqual([]);
  });

  it("without credentials", async () => {
    const model = new FakeModel();
    model.isKeyed = false;
    await failing({ model, builtins: ["summarizer"] }, "MODEL_CREDENTIALS_MISSING");
  });

  it("with a model that gives no text", async () => {
    await failing({ model: new FakeModel([" \n"]), builtins: ["summarizer"] }, "SUMMARY_FAILED");
  });

  it("with a built-in answer that throws: its error is raised, not reported", async () => {
    const source: Source = (api) => {
      api.on("summarize_branch", () => {
        throw Object.assign(new Error("the model is down"), { code: "SUMMARY_FAILED" });
      });
    };
    const permissions = ["session:read", "session:summarize"];
    const world = await failing(
      { firstParty: { built: { source, permissions } } },
      "SUMMARY_FAILED",
    );
    expect(world.reports).toEqual([]);
  });

  it("with a third party's answer that throws: that is reported, and the next is asked", async () => {
    const broken: Source = (api) => {
      api.on("summarize_branch", () => {
        throw new Error("boom");
      });
    };
    const world = await watched({
      extensions: { broken },
      model: new FakeModel(["short"]),
      builtins: ["summarizer"],
    });
    const { summaryEntry } = await world.session.navigateTree(world.id("a2"), { summarize: true });
    expect(summaryEntry).toMatchObject({ fromExtension: false });
    expect(world.reported).toEqual(["broken HOOK_FAILED"]);
  });
});

describe("a label of a move", () => {
  it("is set on the target, not on the new leaf, and becomes the leaf", async () => {
    const world = await watched();
    await world.session.navigateTree(world.id("u2"), { label: " here " });
    expect(world.sessionManager.getLabel(world.id("u2"))).toBe("here");
    const leaf = world.sessionManager.getLeafEntry();
    expect(leaf).toMatchObject({
      type: "label",
      targetId: world.id("u2"),
      parentId: world.id("a1"),
    });
    expect(seen(world).at(-1)).toMatchObject({ newLeafId: leaf?.id });
  });

  it("is set on the summary where there is one", async () => {
    const own = answer({ summary: { summary: "mine" }, label: "sum" });
    const world = await watched({ extensions: { own } });
    const { summaryEntry } = await world.session.navigateTree(world.id("u2"), { summarize: true });
    expect(world.sessionManager.getLeafEntry()).toMatchObject({
      type: "label",
      targetId: summaryEntry?.id,
      parentId: summaryEntry?.id,
      label: "sum",
    });
    expect(world.sessionManager.getLabel(world.id("u2"))).toBeUndefined();
  });

  it("of a handler counts without a summary too", async () => {
    const world = await watched({ extensions: { own: answer({ label: "theirs" }) } });
    await world.session.navigateTree(world.id("a2"));
    expect(world.sessionManager.getLabel(world.id("a2"))).toBe("theirs");
  });
});

it("entries that a handler appends stay below the old leaf and are not summarised", async () => {
  const world = await watched({
    extensions: {
      state: (api) => {
        api.on("session_before_tree", () => api.appendEntry("state", { n: 1 }));
      },
    },
  });
  await world.session.navigateTree(world.id("a2"));
  const [state] = world.sessionManager.getChildren(world.id("a3"));
  expect(state).toMatchObject({ type: "custom", customType: "state" });
  expect(world.sessionManager.getLeafId()).toBe(world.id("a2"));
});

it("the model and the thinking level stay, whatever the new path records", async () => {
  const world = await watched();
  const { sessionManager, session } = world;
  sessionManager.branch(world.id("a2"));
  sessionManager.appendModelChange("test", "two");
  const there = sessionManager.appendThinkingLevelChange("high");
  sessionManager.branch(world.id("a3"));
  const entries = sessionManager.getEntryCount();
  await session.navigateTree(there);
  expect(session.model?.id).toBe("one");
  expect(session.thinkingLevel).toBe("off");
  expect(sessionManager.getEntryCount()).toBe(entries);
  expect(sessionManager.buildSessionContext()).toMatchObject({ thinkingLevel: "high" });
});
