import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FakeModel } from "../contract/fake-model.ts";
import { namesSeen, seen, watching } from "../contract/watcher.ts";
import { loadWorld, type Source, type World } from "../contract/world.ts";
import { tree } from "../world.ts";
import { diskSession } from "./disk-session.ts";

const everything = [
  "input",
  "agent_start",
  "turn_start",
  "context",
  "message_start",
  "message_end",
  "turn_end",
  "agent_end",
] as const;

function texts(world: World): readonly unknown[] {
  return world.session.messages.map(({ role, ...message }) => {
    const { content } = message as { content?: unknown };
    return [role, typeof content === "string" ? content : (content as { text: string }[])[0]?.text];
  });
}

describe("a prompt", () => {
  it("is stored, answered and told step by step", async () => {
    const watch = watching(...everything);
    const world = await loadWorld({ extensions: { watch }, session: tree("u1 a1*") });
    const told: string[] = [];
    world.session.subscribe((event) => {
      if (event.type === "activity") told.push(event.activity);
      else if (event.type === "message_update") told.push(`update ${event.event.type}`);
      else told.push(event.type);
    });
    const called = world.model.called();
    const prompt = world.session.prompt("hello");
    const call = await called;
    expect(world.session.signal?.aborted).toBe(false);
    call.say("good ");
    call.say("day");
    call.finish({ usage: { ...usage, output: 2 } });
    await prompt;
    expect(texts(world)).toEqual([
      ["user", "u1"],
      ["assistant", "a1"],
      ["user", "hello"],
      ["assistant", "good day"],
    ]);
    expect(world.sessionManager.buildSessionContext().messages).toEqual(world.session.messages);
    expect(world.sessionManager.getLeafEntry()).toMatchObject({
      message: { role: "assistant", stopReason: "stop", usage: { output: 2 } },
    });
    expect(namesSeen(world)).toEqual(everything);
    expect(told).toEqual([
      "streaming",
      "message_end",
      "message_start",
      "update text_delta",
      "update text_delta",
      "message_end",
      "idle",
    ]);
    expect(world.session.signal).toBeUndefined();
  });

  it("sends the path with a system prompt that names the folder, as often as asked", async () => {
    const model = new FakeModel(["one", "two"]);
    const world = await loadWorld({ model, session: tree("u1 a1(u2(a2) u3*)") });
    await world.session.prompt("first");
    await world.session.prompt("second");
    const [first, second] = model.calls;
    expect(first?.context.systemPrompt).toContain("/project");
    expect(first?.context.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "user",
    ]);
    expect(second?.context.messages).toHaveLength(6);
    expect(first?.options?.sessionId).toBe(world.sessionManager.getSessionId());
    expect(first?.options).not.toHaveProperty("reasoning");
  });

  it("asks for as much thinking as is set", async () => {
    const model = new FakeModel(["one"]);
    const world = await loadWorld({ model });
    world.session.setThinkingLevel("high");
    await world.session.prompt("hello");
    expect(model.calls[0]?.options?.reasoning).toBe("high");
  });

  it("is on the disk before the model is asked", async () => {
    const { session, path } = await diskSession();
    const world = await loadWorld({ session });
    const called = world.model.called();
    const prompt = world.session.prompt("hello");
    const call = await called;
    expect(readFileSync(path, "utf8")).toContain('"content":"hello"');
    call.finish();
    await prompt;
  });

  it("from an extension's view starts busy and ends idle", async () => {
    const world = await loadWorld({
      model: new FakeModel(["one"]),
      extensions: {
        states: (api) => {
          const events = ["input", "agent_start", "turn_end", "agent_end"] as const;
          for (const name of events) {
            api.on(name, (_event, ctx) => {
              ctx.ui.notify(`${name} ${ctx.isIdle()} ${ctx.signal?.aborted}`);
              return undefined;
            });
          }
        },
      },
    });
    await world.session.prompt("hello");
    expect(world.said).toEqual([
      "input false false",
      "agent_start false false",
      "turn_end false false",
      "agent_end true undefined",
    ]);
  });
});

describe("an aborted reply", () => {
  it("keeps what had come, with its reason, and leaves the agent idle", async () => {
    const world = await loadWorld();
    const called = world.model.called();
    const prompt = world.session.prompt("hello");
    (await called).say("half");
    world.session.abort();
    await prompt;
    expect(world.sessionManager.getLeafEntry()).toMatchObject({
      message: { content: [{ text: "half" }], stopReason: "aborted" },
    });
    expect(world.session.activity).toBe("idle");
  });

  it("does not wait for handlers that hang, and asks no model any more", async () => {
    const world = await loadWorld({
      extensions: {
        hangs: (api) => {
          api.on("context", async (_event, ctx) => {
            await ctx.ui.input("gate");
            return {};
          });
        },
      },
    });
    const prompt = world.session.prompt("hello");
    const gate = await world.ui.asked("gate");
    world.session.abort();
    await prompt;
    gate.answer();
    expect(world.sessionManager.getLeafEntry()).toMatchObject({
      message: { role: "assistant", content: [], stopReason: "aborted", model: "one" },
    });
    expect(world.model.calls).toEqual([]);
  });

  it("of an extension: ctx.abort", async () => {
    const world = await loadWorld({
      extensions: {
        stops: (api) => {
          api.on("message_start", (_event, ctx) => ctx.abort());
        },
      },
    });
    await world.session.prompt("hello");
    expect(world.sessionManager.getLeafEntry()).toMatchObject({
      message: { stopReason: "aborted" },
    });
  });
});

describe("an error of the model", () => {
  it("is a stored message, and the next prompt goes through", async () => {
    const world = await loadWorld();
    const called = world.model.called();
    const prompt = world.session.prompt("hello");
    (await called).fail("overloaded");
    await prompt;
    expect(world.sessionManager.getLeafEntry()).toMatchObject({
      message: { stopReason: "error", errorMessage: "overloaded" },
    });
    const again = world.model.called();
    const next = world.session.prompt("again");
    (await again).finish();
    await next;
    expect(world.sessionManager.getLeafEntry()).toMatchObject({ message: { stopReason: "stop" } });
  });
});

describe("a provider of an extension", () => {
  const provider = (streamSimple: string): Source => `
    import { createAssistantMessageEventStream, emptyUsage } from "coppice/ai";
    const model = { id: "m", name: "M", provider: "own", api: "own", reasoning: false,
      input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 1000, maxTokens: 100 };
    const message = { role: "assistant", content: [], api: "own", provider: "own", model: "m",
      usage: emptyUsage, stopReason: "stop", timestamp: 1 };
    export default (api) => {
      api.registerProvider("own", { models: [model], hasCredentials: () => true,
        streamSimple: ${streamSimple} });
    };`;

  async function reply(streamSimple: string): Promise<World> {
    const own = provider(streamSimple);
    const watch = watching("message_update", "agent_end");
    const options = { model: "own/m" };
    const world = await loadWorld({ extensions: { own, watch }, model: "none", options });
    await world.session.prompt("hello");
    expect(world.session.activity).toBe("idle");
    return world;
  }

  it("streams, and may go on writing into the message it has given", async () => {
    const world = await reply(`(asked, context, options) => {
      const stream = createAssistantMessageEventStream();
      const text = { type: "text", text: "" };
      const partial = { ...message, content: [text] };
      void (async () => {
        stream.push({ type: "start", partial });
        for (const word of ["one ", "two ", "three"]) {
          text.text += word;
          stream.push({ type: "text_delta", contentIndex: 0, delta: word, partial });
          await new Promise((resolve) => setImmediate(resolve));
        }
        partial.stopReason = "stop";
        stream.push({ type: "done", reason: "stop", message: partial });
      })();
      return stream;
    }`);
    expect(texts(world).at(-1)).toEqual(["assistant", "one two three"]);
    const updates = seen(world).filter(({ type }) => type === "message_update");
    const last = updates.at(-1)?.message as { content: unknown } | undefined;
    expect(last?.content).toEqual([{ type: "text", text: "one two three" }]);
  });

  it.each([
    ["throws at once", `() => { throw new Error("no way"); }`, "no way"],
    [
      "throws while it streams",
      `() => ({
        async *[Symbol.asyncIterator]() {
          const content = [{ type: "text", text: "half" }];
          yield { type: "start", partial: message };
          yield { type: "text_delta", contentIndex: 0, delta: "half", partial: { ...message, content } };
          throw new Error("cable cut");
        },
        result: () => new Promise(() => {}),
      })`,
      "cable cut",
    ],
    [
      "ends without its last event",
      `() => {
        const stream = createAssistantMessageEventStream();
        stream.push({ type: "start", partial: message });
        stream.end();
        return stream;
      }`,
      "the reply broke off before its end",
    ],
    [
      "gives no message",
      `() => ({ async *[Symbol.asyncIterator]() {}, result: async () => "done" })`,
      "the provider gave no message",
    ],
    ["gives no stream", `() => undefined`, "asyncIterator"],
  ])("that %s leaves a stored message with what had come", async (_name, source, text) => {
    const world = await reply(source);
    expect(world.sessionManager.getLeafEntry()).toMatchObject({
      message: {
        role: "assistant",
        stopReason: "error",
        errorMessage: expect.stringContaining(text),
      },
    });
    if (text === "cable cut") expect(texts(world).at(-1)).toEqual(["assistant", "half"]);
    expect(namesSeen(world)).toContain("agent_end");
  });
});

describe("handlers of a turn", () => {
  it("input may change the text", async () => {
    const world = await loadWorld({
      model: new FakeModel(["one"]),
      extensions: {
        loud: (api) => {
          api.on("input", ({ text, source }) => ({
            action: "transform",
            text: `${text.toUpperCase()} (${source})`,
          }));
        },
      },
    });
    await world.session.prompt("hello", "rpc");
    expect(texts(world).at(-2)).toEqual(["user", "HELLO (rpc)"]);
  });

  it("input may take the text: nothing is stored and no model asked", async () => {
    const world = await loadWorld({
      extensions: {
        takes: (api) => {
          api.on("input", () => ({ action: "handled" }));
        },
      },
    });
    const entries = world.sessionManager.getEntryCount();
    await world.session.prompt("hello");
    expect(world.sessionManager.getEntryCount()).toBe(entries);
    expect(world.model.calls).toEqual([]);
    expect(world.session.activity).toBe("idle");
  });

  it("context changes the request only", async () => {
    const model = new FakeModel(["one"]);
    const world = await loadWorld({
      model,
      extensions: {
        forgets: (api) => {
          api.on("context", ({ messages }) => ({ messages: messages.slice(-1) }));
        },
        adds: (api) => {
          api.on("context", ({ messages }) => ({
            messages: [...messages, { role: "user", content: "by the way", timestamp: 1 }],
          }));
        },
      },
    });
    await world.session.prompt("hello");
    expect(model.calls[0]?.context.messages.map(({ content }) => content)).toEqual([
      "hello",
      "by the way",
    ]);
    expect(world.sessionManager.buildSessionContext().messages).toHaveLength(4);
  });

  it("that fail change nothing", async () => {
    const model = new FakeModel(["one"]);
    const broken = `export default (api) => {
      for (const name of ${JSON.stringify(everything)}) {
        api.on(name, () => { throw new Error("boom"); });
      }
    };`;
    const world = await loadWorld({ model, extensions: { broken } });
    await world.session.prompt("hello");
    expect(texts(world).at(-1)).toEqual(["assistant", "one"]);
    expect(world.reported).toEqual(everything.map(() => "broken HOOK_FAILED"));
  });

  it("may control the session when the turn is over, not before", async () => {
    const world = await loadWorld({
      model: new FakeModel(["one"]),
      extensions: {
        returns: (api) => {
          let back = async () => "not kept";
          api.registerCommand("keep", {
            handler(id, ctx) {
              back = async () => {
                try {
                  return JSON.stringify(await ctx.navigateTree(id));
                } catch (error) {
                  const { code, details } = error as { code: string; details: { reason: string } };
                  return `${code} ${details.reason}`;
                }
              };
            },
          });
          api.on("turn_end", async (_event, ctx) => ctx.ui.notify(await back()));
          api.on("agent_end", async (_event, ctx) => ctx.ui.notify(await back()));
        },
      },
    });
    await world.command(`/keep ${world.id("a1")}`);
    await world.session.prompt("hello");
    expect(world.said).toEqual(["AGENT_BUSY streaming", '{"cancelled":false}']);
    expect(world.sessionManager.getLeafId()).toBe(world.id("a1"));
  });
});

describe("a prompt is refused, and nothing is written,", () => {
  async function refused(world: World, code: string): Promise<void> {
    const entries = world.sessionManager.getEntryCount();
    await expect(world.session.prompt("hello")).rejects.toMatchObject({ code });
    expect(world.sessionManager.getEntryCount()).toBe(entries);
    expect(world.model.calls).toEqual([]);
    expect(world.session.activity).toBe("idle");
  }

  it("without a model", async () => {
    await refused(await loadWorld({ options: { model: "none" } }), "NO_ACTIVE_MODEL");
  });

  it("without credentials, with the way to them", async () => {
    const model = new FakeModel();
    model.isKeyed = false;
    const world = await loadWorld({ model });
    await refused(world, "MODEL_CREDENTIALS_MISSING");
    await expect(world.session.prompt("hello")).rejects.toThrow(/test.*set TEST_KEY.*\/model/);
  });

  it("where the recorded model belongs to a provider nobody has registered", async () => {
    await refused(await loadWorld({ model: "none" }), "MODEL_CREDENTIALS_MISSING");
  });

  it("in a read-only session", async () => {
    const { session } = await diskSession({ mode: "read" });
    await refused(await loadWorld({ session }), "SESSION_READ_ONLY");
  });

  it("while another one runs", async () => {
    const world = await loadWorld();
    const called = world.model.called();
    const prompt = world.session.prompt("first");
    const call = await called;
    await expect(world.session.prompt("second")).rejects.toMatchObject({
      code: "AGENT_BUSY",
      details: { reason: "streaming" },
    });
    await expect(world.session.branch(world.id("u1"))).rejects.toMatchObject({
      code: "AGENT_BUSY",
      details: { reason: "streaming" },
    });
    call.finish();
    await prompt;
    expect(texts(world)).toHaveLength(4);
  });
});

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
