import { createAssistantMessageEventStream } from "coppice/ai";
import { deepFreeze } from "coppice/core";
import { describe, expect, it } from "vitest";
import { type Reading, readReply } from "../../host/reply.ts";
import { oneModel } from "../contract/fake-model.ts";
import { assistantMessage } from "../world.ts";

const context = { messages: [] };

function reading(signal: AbortSignal, fields: Partial<Reading> = {}): Reading {
  return { model: oneModel, signal, timestamp: 7, follow: async () => undefined, ...fields };
}

describe("a reply", () => {
  it("of a provider that is deaf to an abort is given up with what had come", async () => {
    const controller = new AbortController();
    const stream = createAssistantMessageEventStream();
    const followed: string[] = [];
    const follow = async (event: { type: string }) => {
      followed.push(event.type);
      if (event.type === "text_delta") controller.abort();
    };
    const settings = reading(controller.signal, { graceMs: 0, follow });
    const reply = readReply(
      async () => context,
      () => stream,
      settings,
    );
    const partial = assistantMessage("half");
    stream.push({ type: "start", partial: assistantMessage("") });
    stream.push({ type: "text_delta", contentIndex: 0, delta: "half", partial });
    expect(await reply).toEqual({ ...partial, stopReason: "aborted" });
    stream.push({ type: "text_delta", contentIndex: 0, delta: "more", partial });
    stream.push({ type: "done", reason: "stop", message: partial });
    await stream.result();
    expect(followed).toEqual(["start", "text_delta"]);
  });

  it("that comes soon after an abort is the provider's own", async () => {
    const controller = new AbortController();
    const stream = createAssistantMessageEventStream();
    const reply = readReply(
      async () => context,
      () => stream,
      reading(controller.signal),
    );
    const error = assistantMessage("its own", { stopReason: "aborted" });
    controller.signal.addEventListener("abort", () => {
      stream.push({ type: "error", reason: "aborted", error });
    });
    await null;
    controller.abort();
    expect(await reply).toEqual(expect.objectContaining({ stopReason: "aborted", model: "one" }));
  });

  it("that was aborted before is empty, and the model is not called", async () => {
    let calls = 0;
    const call = () => {
      calls++;
      return createAssistantMessageEventStream();
    };
    const reply = await readReply(async () => context, call, reading(AbortSignal.abort()));
    expect(reply).toMatchObject({ content: [], stopReason: "aborted", timestamp: 7, model: "one" });
    expect(calls).toBe(0);
  });

  it("is followed in copies: the provider may write into its message until it ends", async () => {
    const stream = createAssistantMessageEventStream();
    const usage = { ...assistantMessage("").usage, output: 0 };
    const call = { type: "toolCall", id: "k", name: "read", arguments: { path: "" } } as const;
    const partial = assistantMessage("", { content: [call], usage });
    stream.push({ type: "start", partial });
    stream.push({ type: "toolcall_end", contentIndex: 0, toolCall: call, partial });
    const followed: object[] = [];
    const reply = await readReply(
      async () => context,
      () => stream,
      reading(new AbortController().signal, {
        async follow(event) {
          followed.push(deepFreeze(event));
          Object.assign(usage, { output: followed.length });
          Object.assign(call.arguments, { path: "a" });
          if (followed.length === 2)
            stream.push({ type: "done", reason: "stop", message: partial });
        },
      }),
    );
    expect(reply).toMatchObject({ stopReason: "stop", usage: { output: 2 } });
    expect(followed).toMatchObject([
      { partial: { usage: { output: 0 }, content: [{ arguments: { path: "" } }] } },
      { toolCall: { arguments: { path: "a" } } },
    ]);
  });
});
