import type { ExtensionAPI } from "coppice";
import { expect, it, vi } from "vitest";
import { tree } from "../world.ts";
import { contract, type Source, type World } from "./world.ts";

const before = { reason: "new" } as const;

/** Payload of a move from the leaf to the first message, for handlers that only look at it. */
function treePayload(world: World) {
  const preparation = {
    targetId: world.id("u1"),
    oldLeafId: world.id("a1"),
    commonAncestorId: world.id("u1"),
    entriesToSummarize: [],
    userWantsSummary: true,
  };
  return { preparation, signal: new AbortController().signal };
}

/** An extension that answers `session_before_tree` with a JSON value. */
function answering(value: unknown): Source {
  return `export default (api) => { api.on("session_before_tree", () => (${JSON.stringify(value)})); };`;
}

contract("the order of handlers", (loadWorld) => {
  const saying = (name: string): Source =>
    `export default (api) => {
      for (const turn of ["1", "2"]) {
        api.on("session_before_switch", async (event, ctx) => {
          await null;
          ctx.ui.notify("${name} " + turn);
        });
      }
    };`;

  it("is third parties in load order, then first-party ones, each in order of registration", async () => {
    const world = await loadWorld({
      extensions: { zeta: saying("zeta"), alpha: saying("alpha") },
      firstParty: { home: { source: saying("home"), permissions: ["ui"] } },
    });
    await world.emit("session_before_switch", before);
    const said = ["zeta 1", "zeta 2", "alpha 1", "alpha 2", "home 1", "home 2"];
    expect(world.said).toEqual(said);
  });

  it("is one at a time: the next waits until the one before has settled", async () => {
    const world = await loadWorld({
      extensions: {
        slow: (api) => {
          api.on("session_before_switch", async (_event, ctx) => {
            ctx.ui.notify(`slow ${await ctx.ui.input("gate")}`);
          });
        },
        next: (api) => {
          api.on("session_before_switch", (_event, ctx) => ctx.ui.notify("next"));
        },
      },
    });
    const sent = world.emit("session_before_switch", before);
    const gate = await world.ui.asked("gate");
    expect(world.said).toEqual([]);
    gate.answer("done");
    await sent;
    expect(world.said).toEqual(["slow done", "next"]);
  });

  it("is not changed by handlers that come or go during a dispatch", async () => {
    const world = await loadWorld({
      extensions: {
        changing: (api) => {
          api.on("session_before_switch", (_event, ctx) => {
            ctx.ui.notify("first");
            undo();
            api.on("session_before_switch", (_later, later) => later.ui.notify("new"));
          });
          const undo = api.on("session_before_switch", (_event, ctx) => ctx.ui.notify("second"));
        },
      },
    });
    await world.emit("session_before_switch", before);
    expect(world.said).toEqual(["first", "second"]);
    await world.emit("session_before_switch", before);
    expect(world.said.slice(2)).toEqual(["first", "new"]);
  });
});

contract("results of a before event", (loadWorld) => {
  async function merged(...answers: readonly unknown[]): Promise<unknown> {
    const extensions = Object.fromEntries(answers.map((value, i) => [`e${i}`, answering(value)]));
    const world = await loadWorld({ extensions });
    const outcome = await world.emit("session_before_tree", treePayload(world));
    expect(world.reports).toEqual([]);
    return outcome;
  }

  it("are merged by field: the last that supplies one wins", async () => {
    const outcome = await merged(
      { summary: { summary: "one", details: 1 }, label: "kept" },
      { summary: { summary: "two" }, customInstructions: "c" },
      { replaceInstructions: true },
    );
    const result = {
      summary: { summary: "two" },
      label: "kept",
      customInstructions: "c",
      replaceInstructions: true,
    };
    expect(outcome).toEqual({ cancelled: false, result });
  });

  it("are not supplied by null, nor by no result; unknown fields are ignored", async () => {
    const summary = { summary: "kept" };
    const outcome = await merged({ summary }, null, { summary: null, label: null, odd: [1] }, {});
    expect(outcome).toEqual({ cancelled: false, result: { summary } });
  });

  it("may be an empty text, which replaces an earlier one", async () => {
    const outcome = await merged({ summary: { summary: "one" } }, { summary: { summary: "" } });
    expect(outcome).toEqual({ cancelled: false, result: { summary: { summary: "" } } });
  });

  it("with a truthy cancel end the dispatch, whatever else they hold", async () => {
    const world = await loadWorld({
      extensions: {
        early: answering({ label: "early" }),
        gate: answering({ cancel: 1, label: 7, summary: "no object" }),
        late: (api) => {
          api.on("session_before_tree", (_event, ctx) => {
            ctx.ui.notify("asked");
            return {};
          });
        },
      },
    });
    expect(await world.emit("session_before_tree", treePayload(world))).toMatchObject({
      cancelled: true,
    });
    expect(world.said).toEqual([]);
    expect(world.reports).toEqual([]);
  });

  it.each([
    ["a text", "yes"],
    ["a number", 1],
    ["true", true],
    ["a list", [{ label: "x" }]],
    ["a summary that is a text", { summary: "s", label: "x" }],
    ["a summary without text", { summary: { details: 1 }, label: "x" }],
    ["a summary whose text is a number", { summary: { summary: 1 } }],
    ["a label that is a number", { summary: { summary: "lost" }, label: 1 }],
    ["instructions that are a list", { customInstructions: [] }],
    ["a flag that is a text", { replaceInstructions: "yes" }],
  ])("of the wrong shape are reported and count as none as a whole: %s", async (_name, value) => {
    const world = await loadWorld({
      extensions: { odd: answering(value), fine: answering({ label: "fine" }) },
    });
    expect(await world.emit("session_before_tree", treePayload(world))).toEqual({
      cancelled: false,
      result: { label: "fine" },
    });
    expect(world.reported).toEqual(["odd HOOK_RESULT_INVALID"]);
  });
});

contract("a handler that fails", (loadWorld) => {
  const failing: Record<string, Source> = {
    throws: (api) => {
      api.on("session_before_switch", () => {
        throw new TypeError("boom");
      });
    },
    rejects: (api) => {
      api.on("session_before_switch", () => Promise.reject(new Error("late boom")));
    },
    odd: `export default (api) => { api.on("session_before_switch", () => { throw "a text"; }); };`,
    fine: (api) => {
      api.on("session_before_switch", (_event, ctx) => ctx.ui.notify("fine"));
    },
  };

  it("is reported with extension, event, message and stack, and skipped", async () => {
    const world = await loadWorld({ extensions: failing });
    const outcome = await world.emit("session_before_switch", before);
    expect(outcome).toEqual({ cancelled: false, result: {} });
    expect(world.said).toEqual(["fine"]);
    const report = { code: "HOOK_FAILED", version: "1.0.0", where: "session_before_switch" };
    expect(world.reports).toMatchObject([
      { ...report, extension: "throws", message: "boom", stack: expect.stringContaining("boom") },
      { ...report, extension: "rejects", message: "late boom" },
      { ...report, extension: "odd", message: "a text" },
    ]);
  });

  it("is counted instead of reported again", async () => {
    const world = await loadWorld({ extensions: failing });
    await world.emit("session_before_switch", before);
    await world.emit("session_before_switch", before);
    expect(world.reports.map(({ count }) => count)).toEqual([2, 2, 2]);
  });
});

contract("what a handler gives", (loadWorld) => {
  it("may fail when it is looked at: that stays with its handler", async () => {
    const world = await loadWorld({
      extensions: {
        trap: `export default (api) => {
          api.on("session_before_tree", () => ({ get label() { throw new Error("trapped"); } }));
        };`,
        fine: answering({ label: "fine" }),
      },
    });
    expect(await world.emit("session_before_tree", treePayload(world))).toEqual({
      cancelled: false,
      result: { label: "fine" },
    });
    expect(world.reports).toMatchObject([{ extension: "trap", code: "HOOK_FAILED" }]);
  });
});

contract("a payload", (loadWorld) => {
  it("is the same for all: writing into it changes nothing for the next", async () => {
    const world = await loadWorld({
      extensions: {
        writer: `
          const write = (target, fields) => {
            try {
              Object.assign(target, fields);
            } catch (error) {
              if (!(error instanceof TypeError)) throw error;
            }
          };
          export default (api) => {
            api.on("session_before_tree", (event) => {
              const { preparation } = event;
              write(event, { type: "other" });
              write(preparation, { targetId: "other" });
              write(preparation.entriesToSummarize, { length: 0 });
              write(preparation.entriesToSummarize[0], { id: "other" });
            });
          };
        `,
        reader: (api) => {
          api.on("session_before_tree", ({ type, preparation }, ctx) => {
            const { targetId, entriesToSummarize } = preparation;
            ctx.ui.notify(JSON.stringify([type, targetId, entriesToSummarize.map(({ id }) => id)]));
            return {};
          });
        },
      },
      session: tree("u1 a1(u2(a2*))"),
    });
    await world.session.navigateTree(world.id("a1"));
    const seen = ["session_before_tree", world.id("a1"), [world.id("u2"), world.id("a2")]];
    expect(world.said).toEqual([JSON.stringify(seen)]);
    expect(world.reports).toEqual([]);
  });
});

contract("two spellings of one event", (loadWorld) => {
  const listening = (...names: readonly string[]): Source =>
    `export default (api) => {
      for (const name of ${JSON.stringify(names)}) {
        api.on(name, (event, ctx) => ctx.ui.notify(name + " as " + event.type));
      }
    };`;

  it("are one: who handles only one gets that one, who handles both is asked once", async () => {
    const world = await loadWorld({
      extensions: {
        old: listening("session_before_fork"),
        both: listening("session_before_fork", "session_before_branch"),
        plain: listening("session_before_branch"),
      },
    });
    await world.emit("session_before_branch", { entryId: world.id("u1"), position: "before" });
    expect(world.said).toEqual([
      "session_before_fork as session_before_fork",
      "session_before_branch as session_before_branch",
      "session_before_branch as session_before_branch",
    ]);
  });

  it("merge together", async () => {
    const world = await loadWorld({
      extensions: {
        old: (api) => {
          api.on("session_before_fork", () => ({ skipConversationRestore: true }));
        },
      },
    });
    const outcome = await world.emit("session_before_branch", {
      entryId: world.id("u1"),
      position: "before",
    });
    expect(outcome).toEqual({ cancelled: false, result: { skipConversationRestore: true } });
  });
});

contract("events that are handled otherwise", (loadWorld) => {
  const answers = (event: string, value: unknown): Source =>
    `export default (api) => { api.on("${event}", () => (${JSON.stringify(value)})); };`;

  it("results of an after event are ignored, whatever they are", async () => {
    const world = await loadWorld({ extensions: { one: answers("session_tree", { cancel: 1 }) } });
    await world.emit("session_tree", { newLeafId: null, oldLeafId: null });
    expect(world.reports).toEqual([]);
  });

  it("a name that never fires is reported once, and nothing else happens", async () => {
    const twice = (api: ExtensionAPI) => {
      api.on("session_stop", () => undefined);
      api.on("session_stop", () => undefined);
      api.on("constructor", () => undefined);
    };
    const world = await loadWorld({ extensions: { one: twice } });
    expect(world.reports).toMatchObject([
      { code: "EVENT_NEVER_FIRES", where: "session_stop", count: 2 },
      { code: "EVENT_NEVER_FIRES", where: "constructor" },
    ]);
  });

  it("a provide event is answered by the first that answers, and failures pass it on", async () => {
    const world = await loadWorld({
      extensions: {
        silent: answers("summarize_branch", null),
        odd: answers("summarize_branch", { summary: 1 }),
        throws: `export default (api) => {
          api.on("summarize_branch", () => { throw new Error("boom"); });
        };`,
        answers: answers("summarize_branch", { summary: "mine", details: { a: 1 } }),
        late: (api) => {
          api.on("summarize_branch", (_event, ctx) => {
            ctx.ui.notify("asked");
            return { summary: "late" };
          });
        },
      },
    });
    const payload = { ...treePayload(world), onProgress: () => undefined };
    expect(await world.emit("summarize_branch", payload)).toMatchObject({
      answer: { summary: "mine", details: { a: 1 } },
      by: { extension: { id: "answers" } },
    });
    expect(world.said).toEqual([]);
    expect(world.reported).toEqual(["odd HOOK_RESULT_INVALID", "throws HOOK_FAILED"]);
  });

  it("a transform is seen by the next, and a wrong one leaves the value as it was", async () => {
    const world = await loadWorld({
      extensions: {
        first: (api) => {
          api.on("input", ({ text }) => ({ action: "transform", text: `${text}!` }));
        },
        odd: answers("input", { action: "transform", text: 5 }),
        unknown: answers("input", { action: "shout", text: "x" }),
        empty: answers("input", { action: "transform" }),
        keeps: answers("input", { action: "continue", text: "not used" }),
        omp: (api) => {
          api.on("input" as string, ({ text }: { text: string }) => ({ text: `${text}?` }));
        },
      },
    });
    expect(await world.emit("input", { text: "hi", source: "rpc" })).toEqual({
      payload: { type: "input", text: "hi!?", source: "rpc" },
      handled: false,
    });
    const invalid = ["odd", "unknown", "empty"].map((name) => `${name} HOOK_RESULT_INVALID`);
    expect(world.reported).toEqual(invalid);
  });

  it.each([
    ["handled by action", { action: "handled" }],
    ["handled as omp says it", { handled: true }],
  ])("input that is %s goes no further", async (_name, value) => {
    const world = await loadWorld({
      extensions: {
        takes: answers("input", value),
        late: (api) => {
          api.on("input", (_event, ctx) => ctx.ui.notify("asked"));
        },
      },
    });
    expect(await world.emit("input", { text: "hi", source: "rpc" })).toMatchObject({
      handled: true,
    });
    expect(world.said).toEqual([]);
  });

  it("at shutdown all handlers run at once", async () => {
    const world = await loadWorld({
      extensions: {
        waits: (api) => {
          api.on("session_shutdown", async (_event, ctx) => {
            ctx.ui.notify(`waited for ${await ctx.ui.input("gate")}`);
          });
        },
        opens: (api) => {
          api.on("session_shutdown", (_event, ctx) => ctx.ui.notify("opened"));
        },
      },
    });
    const sent = world.emit("session_shutdown", { reason: "quit" });
    const gate = await world.ui.asked("gate");
    await vi.waitFor(() => expect(world.said).toEqual(["opened"]));
    gate.answer("you");
    await sent;
    expect(world.said).toEqual(["opened", "waited for you"]);
    const closed = world.close();
    (await world.ui.asked("gate")).answer("the end");
    await closed;
  });
});
