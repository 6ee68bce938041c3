import {
  type AssistantMessageEvent,
  costOf,
  createAssistantMessageEventStream,
  emptyUsage,
} from "coppice/ai";
import type { AssistantMessage } from "coppice/core";
import { describe, expect, it } from "vitest";

function message(text: string, fields: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "x",
    provider: "acme",
    model: "m1",
    usage: emptyUsage,
    stopReason: "stop",
    timestamp: 1,
    ...fields,
  };
}

function delta(text: string): AssistantMessageEvent {
  return { type: "text_delta", contentIndex: 0, delta: text, partial: message(text) };
}

const done: AssistantMessageEvent = { type: "done", reason: "stop", message: message("all") };

async function collect(stream: AsyncIterable<AssistantMessageEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const event of stream) types.push("delta" in event ? event.delta : event.type);
  return types;
}

describe("an event stream", () => {
  it("has a result without anybody iterating", async () => {
    const stream = createAssistantMessageEventStream();
    stream.push(delta("a"));
    stream.push(done);
    expect(await stream.result()).toBe(done.message);
  });

  it("gives what was pushed before, during and after the reader waits", async () => {
    const stream = createAssistantMessageEventStream();
    stream.push(delta("a"));
    const all = collect(stream);
    await Promise.resolve();
    stream.push(delta("b"));
    stream.push(delta("c"));
    stream.push(done);
    expect(await all).toEqual(["a", "b", "c", "done"]);
  });

  it("can be read after its end, and left in the middle", async () => {
    const stream = createAssistantMessageEventStream();
    for (const event of [delta("a"), delta("b"), done]) stream.push(event);
    for await (const event of stream) {
      expect(event).toMatchObject({ delta: "a" });
      break;
    }
    expect(await collect(stream)).toEqual(["b", "done"]);
    expect(await collect(stream)).toEqual([]);
  });

  it("drops what comes after its last event", async () => {
    const stream = createAssistantMessageEventStream();
    const aborted = message("half", { stopReason: "aborted" });
    stream.push({ type: "error", reason: "aborted", error: aborted });
    stream.push(done);
    stream.end();
    expect(await collect(stream)).toEqual(["error"]);
    expect(await stream.result()).toBe(aborted);
  });

  it("keeps what had come when it is ended early", async () => {
    const stream = createAssistantMessageEventStream();
    const all = collect(stream);
    stream.push(delta("half"));
    stream.end();
    expect(await all).toEqual(["half"]);
    expect(await stream.result()).toMatchObject({
      content: [{ type: "text", text: "half" }],
      stopReason: "error",
      errorMessage: expect.stringMatching(/broke off/),
    });
    const empty = createAssistantMessageEventStream();
    empty.end();
    expect(await empty.result()).toMatchObject({ content: [], stopReason: "error" });
  });
});

describe("costOf", () => {
  it("prices each kind of token by the million", () => {
    const cost = { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 };
    const usage = { input: 1e6, output: 5e5, cacheRead: 1e6, cacheWrite: 2e5, totalTokens: 27e5 };
    expect(costOf({ cost }, usage)).toEqual({
      input: 4,
      output: 10,
      cacheRead: 0.2,
      cacheWrite: 1,
      total: 15.2,
    });
    expect(costOf({ cost }, emptyUsage).total).toBe(0);
  });
});
