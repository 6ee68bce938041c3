import { describe, expect, it } from "vitest";
import { namesSeen, seen, watching } from "../contract/watcher.ts";
import { loadWorld, type Source, type World, type WorldOptions } from "../contract/world.ts";
import { tree } from "../world.ts";

const picture = "u1 a1(u2(a2) u3(a3*))";
const watch = watching("session_before_tree", "session_tree");

/** Answers when the test says so, with the text it gives. */
const slow: Source = (api) => {
  api.on("session_before_tree", async ({ preparation }, ctx) => {
    const text = await ctx.ui.input(`summary for ${preparation.targetId}`);
    return text === undefined ? undefined : { summary: { summary: text } };
  });
};

async function slowWorld(options: WorldOptions = {}): Promise<World> {
  return loadWorld({
    session: tree(picture),
    ...options,
    extensions: { slow, watch, ...options.extensions },
  });
}

const aborted = { cancelled: true, aborted: true };

function stateOf({ session, sessionManager }: World) {
  return {
    leaf: sessionManager.getLeafId(),
    entries: sessionManager.getEntries(),
    messages: session.messages,
    activity: session.activity,
  };
}

describe("a second move", () => {
  it("supersedes the first, without waiting for it; what the first was given is dropped", async () => {
    const world = await slowWorld();
    const { session, sessionManager, id, ui } = world;
    const first = session.navigateTree(id("u2"), { summarize: true });
    const late = await ui.asked(`summary for ${id("u2")}`);
    const second = session.navigateTree(id("a2"), { summarize: true });
    expect(await first).toEqual(aborted);
    (await ui.asked(`summary for ${id("a2")}`)).answer("second");
    const { summaryEntry } = await second;
    late.answer("first");
    await session.waitForIdle();
    expect(summaryEntry).toMatchObject({ summary: "second", parentId: id("a2") });
    const summaries = sessionManager.getEntries().filter(({ type }) => type === "branch_summary");
    expect(summaries).toEqual([summaryEntry]);
    expect(namesSeen(world).filter((name) => name === "session_tree")).toHaveLength(1);
    expect(session.messages).toEqual(sessionManager.buildSessionContext().messages);
    expect(session.activity).toBe("idle");
  });

  it("supersedes one whose built-in summary streams", async () => {
    const world = await loadWorld({
      session: tree(picture),
      builtins: ["summarizer"],
      extensions: { watch },
    });
    const { session, id, model } = world;
    const called = model.called();
    const first = session.navigateTree(id("u2"), { summarize: true });
    const call = await called;
    call.say("half of");
    expect(await session.navigateTree(id("a2"))).toEqual({ cancelled: false });
    expect(await first).toEqual(aborted);
    expect(call.options?.signal?.aborted).toBe(true);
    expect(world.sessionManager.getLeafId()).toBe(id("a2"));
  });

  /** A call at any moment finds the first either done or without any effect. */
  it.each(Array.from({ length: 40 }, (_, n) => n))(
    "at the %i-th turn of the event loop finds the first whole or undone",
    async (turns) => {
      const world = await slowWorld();
      const { session, sessionManager, id, ui } = world;
      const first = session.navigateTree(id("u2"), { summarize: true });
      (await ui.asked(`summary for ${id("u2")}`)).answer("first");
      for (let n = 0; n < turns; n++) await null;
      const wasMoved = sessionManager.getLeafId() !== id("a3");
      const second = session.navigateTree(id("a2"), { summarize: true });
      (await ui.asked(`summary for ${id("a2")}`)).answer("second");
      await second;
      expect((await first).cancelled).toBe(!wasMoved);
      const summaries = sessionManager.getEntries().filter(({ type }) => type === "branch_summary");
      expect(summaries).toHaveLength(wasMoved ? 2 : 1);
      expect(session.messages).toEqual(sessionManager.buildSessionContext().messages);
    },
  );
});

describe("an abort", () => {
  it.each([
    ["by abortBranchSummary", (world: World) => world.session.abortBranchSummary()],
    ["by abort", (world: World) => world.session.abort()],
  ])("%s leaves everything as it was, even if a handler answers", async (_name, abort) => {
    const world = await slowWorld();
    const before = stateOf(world);
    const { session, id, ui } = world;
    const moving = session.navigateTree(id("u2"), { summarize: true, label: "x" });
    const question = await ui.asked(`summary for ${id("u2")}`);
    abort(world);
    question.answer("too late");
    expect(await moving).toEqual(aborted);
    expect(stateOf(world)).toEqual(before);
    expect(namesSeen(world)).not.toContain("session_tree");
  });

  it("by the signal of the call, before it or during it", async () => {
    const world = await slowWorld();
    const before = stateOf(world);
    const { session, id, ui } = world;
    const controller = new AbortController();
    const { signal } = controller;
    const moving = session.navigateTree(id("u2"), { summarize: true, signal });
    await ui.asked(`summary for ${id("u2")}`);
    controller.abort();
    expect(await moving).toEqual(aborted);
    expect(await session.navigateTree(id("u2"), { signal })).toEqual(aborted);
    expect(stateOf(world)).toEqual(before);
  });

  it("reaches the model of the built-in summary", async () => {
    const world = await loadWorld({
      session: tree(picture),
      builtins: ["summarizer"],
      extensions: { watch },
    });
    const before = stateOf(world);
    const called = world.model.called();
    const moving = world.session.navigateTree(world.id("u2"), { summarize: true });
    const call = await called;
    call.say("half of");
    world.session.abortBranchSummary();
    expect(await moving).toEqual(aborted);
    expect(call.options?.signal?.aborted).toBe(true);
    expect(stateOf(world)).toEqual(before);
    expect(world.reports).toEqual([]);
  });

  it("without a running move does nothing", async () => {
    const world = await slowWorld();
    world.session.abortBranchSummary();
    const moving = world.session.navigateTree(world.id("a2"));
    (await world.ui.asked(`summary for ${world.id("a2")}`)).answer();
    expect(await moving).toEqual({ cancelled: false });
  });

  it("when a move is over leaves it as it is", async () => {
    const late: Source = (api) => {
      api.on("session_tree", async (_event, ctx) => {
        await ctx.ui.input("after");
      });
    };
    const world = await loadWorld({ session: tree(picture), extensions: { late } });
    const moving = world.session.navigateTree(world.id("a2"));
    const question = await world.ui.asked("after");
    world.session.abortBranchSummary();
    question.answer();
    expect(await moving).toEqual({ cancelled: false });
    expect(world.sessionManager.getLeafId()).toBe(world.id("a2"));
  });
});

it("a move that a handler cancels changes nothing and sends no session_tree", async () => {
  const gate: Source = (api) => {
    api.on("session_before_tree", () => ({ cancel: true, summary: { summary: "lost" } }));
  };
  const world = await loadWorld({ session: tree(picture), extensions: { gate, watch } });
  const before = stateOf(world);
  expect(await world.session.navigateTree(world.id("u2"), { summarize: true })).toEqual({
    cancelled: true,
  });
  expect(stateOf(world)).toEqual(before);
  expect(namesSeen(world)).toEqual([]);
});

describe("while a move runs", () => {
  it("prompts, branches and new sessions are refused with the reason", async () => {
    const world = await slowWorld();
    const { session, id, ui } = world;
    const moving = session.navigateTree(id("u2"));
    const question = await ui.asked(`summary for ${id("u2")}`);
    const busy = { code: "AGENT_BUSY", details: { reason: "navigating" } };
    await expect(session.prompt("hello")).rejects.toMatchObject(busy);
    await expect(session.branch(id("u2"))).rejects.toMatchObject(busy);
    await expect(session.newSession()).rejects.toMatchObject(busy);
    await expect(session.switchSession("/nowhere")).rejects.toMatchObject(busy);
    question.answer();
    expect(await moving).toMatchObject({ cancelled: false });
    expect(world.model.calls).toEqual([]);
  });

  it("a handler of it that controls the session is refused at once, and the move goes on", async () => {
    const world = await loadWorld({
      session: tree(picture),
      extensions: {
        inside: (api) => {
          let kept: { run(): Promise<unknown> }[] = [];
          api.registerCommand("keep", {
            handler(id, ctx) {
              kept = [
                { run: () => ctx.navigateTree(ctx.sessionManager.getLeafId() ?? "") },
                { run: () => ctx.branch(id) },
                { run: () => ctx.newSession() },
                { run: () => ctx.waitForIdle() },
              ];
            },
          });
          const tryAll = async (notify: (text: string) => void) => {
            for (const { run } of kept) {
              try {
                await run();
              } catch (error) {
                notify((error as { code: string }).code);
              }
            }
          };
          api.on("session_before_tree", async (_event, ctx) => {
            await tryAll(ctx.ui.notify);
            return {};
          });
          api.on("session_tree", (_event, ctx) => tryAll(ctx.ui.notify));
        },
      },
    });
    await world.command(`/keep ${world.id("u2")}`);
    expect(await world.session.navigateTree(world.id("u2"))).toMatchObject({ cancelled: false });
    expect(world.said).toEqual(Array.from({ length: 8 }, () => "AGENT_BUSY"));
  });

  it("what a handler has started controls the session again when the move is over", async () => {
    const world = await loadWorld({
      session: tree(picture),
      extensions: {
        later: (api) => {
          let move: () => Promise<unknown> = async () => undefined;
          api.registerCommand("keep", {
            handler(id, ctx) {
              move = () => ctx.navigateTree(id);
            },
          });
          api.on("session_tree", (_event, ctx) => {
            void ctx.ui.input("later").then(async () => {
              await move();
              ctx.ui.notify("moved");
            });
          });
        },
      },
    });
    await world.command(`/keep ${world.id("a1")}`);
    await world.session.navigateTree(world.id("a2"));
    (await world.ui.asked("later")).answer();
    await expect.poll(() => world.said).toEqual(["moved"]);
    expect(world.sessionManager.getLeafId()).toBe(world.id("a1"));
  });
});

describe("back", () => {
  it("leads to exactly the leaf before the last move, and from there back again", async () => {
    const world = await loadWorld({ session: tree(picture), extensions: { watch } });
    const { session, sessionManager, id } = world;
    expect(await session.navigateBack()).toBeUndefined();
    sessionManager.branch(id("u3"));
    await session.navigateTree(id("u1"));
    expect(sessionManager.getLeafId()).toBeNull();
    expect(await session.navigateBack()).toEqual({ cancelled: false });
    expect(sessionManager.getLeafId()).toBe(id("u3"));
    expect(await session.navigateBack()).toEqual({ cancelled: false });
    expect(sessionManager.getLeafId()).toBeNull();
    expect(seen(world).at(-1)).toEqual({
      type: "session_tree",
      newLeafId: null,
      oldLeafId: id("u3"),
    });
  });

  it("to the root position takes no label from a handler, and stays where it is if it is there", async () => {
    const world = await loadWorld({
      session: tree(picture),
      extensions: {
        labels: (api) => {
          api.on("session_before_tree", () => ({ label: "x" }));
        },
      },
    });
    const { session, sessionManager, id } = world;
    sessionManager.resetLeaf();
    await session.navigateTree(id("a2"));
    const entries = sessionManager.getEntryCount();
    await session.navigateBack();
    expect(sessionManager.getLeafId()).toBeNull();
    expect(sessionManager.getEntryCount()).toBe(entries);
    sessionManager.branch(id("a2"));
    await session.navigateTree(id("a1"));
    sessionManager.branch(id("a2"));
    expect(await session.navigateBack()).toEqual({ cancelled: false });
  });

  it("is refused while the agent is busy", async () => {
    const world = await loadWorld({ session: tree(picture) });
    await world.session.navigateTree(world.id("a2"));
    const called = world.model.called();
    const prompt = world.session.prompt("go on");
    const call = await called;
    await expect(world.session.navigateBack()).rejects.toMatchObject({ code: "AGENT_BUSY" });
    call.finish();
    await prompt;
  });
});
