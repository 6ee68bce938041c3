import { expect, it, onTestFinished, vi } from "vitest";
import { contract, type World } from "./world.ts";

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

contract("events that nobody waits for", (loadWorld) => {
  it("reach a receiver that lags with the newest state, one at a time", async () => {
    const world = await loadWorld({
      extensions: {
        slow: (api) => {
          api.on("message_update", async ({ assistantMessageEvent }, ctx) => {
            const { delta } = assistantMessageEvent as { delta: string };
            ctx.ui.notify(`begin ${delta}`);
            await ctx.ui.input("gate");
            ctx.ui.notify(`end ${delta}`);
          });
        },
        quick: (api) => {
          api.on("message_update", ({ assistantMessageEvent }, ctx) => {
            ctx.ui.notify((assistantMessageEvent as { delta: string }).delta);
          });
        },
      },
    });
    const called = world.model.called();
    const prompt = world.session.prompt("hello");
    const call = await called;
    const quick = ["one", "two", "three"];
    for (const word of quick) {
      call.say(word);
      await expect.poll(() => world.said).toContain(word);
    }
    call.finish();
    await prompt;
    const gate = await world.ui.asked("gate");
    expect(world.said.filter((note) => quick.includes(note))).toEqual(quick);
    gate.answer();
    (await world.ui.asked("gate")).answer();
    await expect.poll(() => world.said.at(-1)).toBe("end three");
    const slow = ["begin one", "end one", "begin three", "end three"];
    expect(world.said.filter((note) => slow.includes(note))).toEqual(slow);
    expect(world.said).not.toContain("begin two");
  });
});

contract("the time of a handler", (loadWorld) => {
  const limit = 20;
  const settings = { "extensions.handlerTimeoutMs": limit };

  /** Sends the event and lets time go by; the world is loaded in real time. */
  async function after(milliseconds: number, send: () => Promise<unknown>): Promise<unknown> {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const sent = send();
    await vi.advanceTimersByTimeAsync(milliseconds);
    return sent;
  }

  it("ends: it is reported, skipped, and what it answers later is dropped", async () => {
    const world = await loadWorld({
      settings,
      extensions: {
        late: (api) => {
          let release: (result: { cancel: boolean }) => void = () => undefined;
          api.on("session_before_switch", () => {
            return new Promise((resolve) => {
              release = resolve;
            });
          });
          api.on("session_before_switch", (_event, ctx) => {
            release({ cancel: true });
            ctx.ui.notify("next");
          });
        },
      },
    });
    const outcome = await after(limit, () => world.emit("session_before_switch", before));
    expect(outcome).toEqual({ cancelled: false, result: {} });
    expect(world.said).toEqual(["next"]);
    expect(world.reported).toEqual(["late HOOK_TIMEOUT"]);
  });

  it("aborts the signal of the event and closes the handler's dialogs", async () => {
    const world = await loadWorld({
      settings,
      extensions: {
        hanging: (api) => {
          api.on("session_before_tree", async ({ signal }, ctx) => {
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            ctx.ui.notify(`aborted ${await ctx.ui.input("too late")}`);
            return {};
          });
        },
      },
    });
    const payload = treePayload(world);
    await after(limit, () => world.emit("session_before_tree", payload));
    await expect.poll(() => world.said).toEqual(["aborted undefined"]);
    expect(world.reported).toEqual(["hanging HOOK_TIMEOUT"]);
    expect(payload.signal.aborted).toBe(false);
  });

  it("stands still while a person is asked", async () => {
    const world = await loadWorld({
      settings,
      extensions: {
        asking: (api) => {
          api.on("session_before_switch", async (_event, ctx) => {
            return { cancel: await ctx.ui.confirm("sure?", "") };
          });
        },
      },
    });
    const outcome = after(0, () => world.emit("session_before_switch", before));
    const question = await world.ui.asked("sure?");
    await vi.advanceTimersByTimeAsync(100 * limit);
    question.answer(true);
    expect(await outcome).toMatchObject({ cancelled: true });
    expect(world.reports).toEqual([]);
  });

  it("stands still while a model answers", async () => {
    const world = await loadWorld({
      settings,
      extensions: {
        summing: (api) => {
          api.on("session_before_switch", async (_event, { model, modelRegistry, ui }) => {
            if (!model) return undefined;
            const reply = await modelRegistry.streamSimple(model, { messages: [] }).result();
            ui.notify(reply.stopReason);
            return { cancel: true };
          });
        },
      },
    });
    const called = world.model.called();
    const outcome = after(0, () => world.emit("session_before_switch", before));
    const call = await called;
    await vi.advanceTimersByTimeAsync(100 * limit);
    call.finish();
    expect(await outcome).toMatchObject({ cancelled: true });
    expect(world.said).toEqual(["stop"]);
    expect(world.reports).toEqual([]);
  });

  it("may be longer than any timer", async () => {
    const world = await loadWorld({
      settings: { "extensions.handlerTimeoutMs": 2 ** 40, "extensions.loadTimeoutMs": 2 ** 40 },
      extensions: {
        patient: (api) => {
          api.on("session_before_switch", async () => {
            await new Promise((resolve) => setTimeout(resolve, 1000));
            return { cancel: true };
          });
        },
      },
    });
    const outcome = await after(1000, () => world.emit("session_before_switch", before));
    expect(outcome).toMatchObject({ cancelled: true });
    expect(world.reports).toEqual([]);
  });

  it("goes on where it stood when the dialog is over", async () => {
    const world = await loadWorld({
      settings,
      ui: { "sure?": true },
      extensions: {
        stuck: (api) => {
          api.on("session_before_switch", async (_event, ctx) => {
            await ctx.ui.confirm("sure?", "");
            return new Promise(() => undefined);
          });
        },
      },
    });
    await after(limit, () => world.emit("session_before_switch", before));
    expect(world.reported).toEqual(["stuck HOOK_TIMEOUT"]);
  });
});
