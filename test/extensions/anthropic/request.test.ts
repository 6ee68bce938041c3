import type { StreamOptions } from "coppice/ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, result, user } from "../../core/messages.ts";
import { anthropicWorld, own, type World } from "./world.ts";

let world: World;

beforeEach(async () => {
  world = await anthropicWorld();
});
afterEach(() => world.server.close());

describe("a request", () => {
  it("sends the conversation as the API takes it", async () => {
    const image = { type: "image", data: "QQ==", mimeType: "image/png" };
    const { body } = await world.ask({
      messages: [
        user([{ type: "text", text: "look" }, image]),
        { ...user("be brief"), role: "developer" },
        own([{ type: "text", text: " " }, call("call:1|x"), call("k2", "bash", { command: "ls" })]),
        result("call:1|x", "one"),
        { ...result("k2", ""), isError: true },
        user("go on"),
      ],
    });
    expect(body).toMatchObject({ model: "claude-sonnet-5-5", stream: true });
    const source = { type: "base64", media_type: "image/png", data: "QQ==" };
    expect(withoutCacheMarks(body.messages)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", source },
        ],
      },
      { role: "user", content: [{ type: "text", text: "be brief" }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "call_1_x", name: "read", input: { path: "call:1|x" } },
          { type: "tool_use", id: "k2", name: "bash", input: { command: "ls" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "call_1_x",
            is_error: false,
            content: [{ type: "text", text: "one" }],
          },
          { type: "tool_result", tool_use_id: "k2", is_error: true },
        ],
      },
      { role: "user", content: [{ type: "text", text: "go on" }] },
    ]);
  });

  it("is accepted for what a tree can hold: ids that repeat, replies first, blank text", async () => {
    const { message } = await world.ask({
      messages: [
        own("kept part begins with a reply"),
        user("  "),
        own([call("k")]),
        result("k", "one"),
        own([call("k"), call("k")]),
        result("k", "two"),
        result("k", "three"),
        own([]),
        user([{ type: "image", data: "QQ==", mimeType: "image/tiff" }]),
      ],
    });
    expect(message).toMatchObject({ stopReason: "stop" });
  });

  it("marks system prompt and the last two user messages for the cache", async () => {
    const context = {
      systemPrompt: "Be kind.",
      messages: [user("1"), own("2"), user("3"), own("4"), user("5")],
    };
    const { body } = await world.ask(context);
    const mark = { cache_control: { type: "ephemeral" } };
    expect(body.system).toEqual([{ type: "text", text: "Be kind.", ...mark }]);
    const marked = body.messages.map(({ content }) => content.at(-1)?.cache_control !== undefined);
    expect(marked).toEqual([false, false, true, false, true]);
    const tool = { name: "read", description: "reads", parameters: { properties: {} } };
    const { body: other } = await world.ask({ tools: [tool] });
    expect(other.tools).toEqual([
      {
        name: "read",
        description: "reads",
        input_schema: { type: "object", properties: {} },
        ...mark,
      },
    ]);
  });

  it("sends thinking back unchanged to the model that thought, and to no other", async () => {
    const thought = own([
      { type: "thinking", thinking: "", thinkingSignature: "sig" },
      { type: "thinking", thinking: "", thinkingSignature: "data", redacted: true },
      { type: "thinking", thinking: "unsigned" },
      { type: "text", text: "so" },
    ]);
    const messages = [user("q"), thought, user("and?")];
    const { body } = await world.ask({ messages });
    expect(body.messages[1]?.content).toEqual([
      { type: "thinking", thinking: "", signature: "sig" },
      { type: "redacted_thinking", data: "data" },
      { type: "text", text: "so" },
    ]);
    const { body: other } = await world.ask({ messages }, {}, "claude-opus-5-5");
    expect(other.messages[1]?.content).toEqual([{ type: "text", text: "so" }]);
  });

  it("leaves thinking out in a second try where the API no longer takes it", async () => {
    const refusal = {
      status: 400,
      type: "invalid_request_error",
      message: "thinking block: prefix",
    };
    world.server.reply({ error: refusal }, "fine");
    const block = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
    const messages = [user("q"), own([block, { type: "text", text: "a" }]), user("and?")];
    const { message } = await world.ask({ messages }, { reasoning: "high" });
    expect(message).toMatchObject({
      stopReason: "stop",
      content: [{ type: "text", text: "fine" }],
    });
    const [first, second] = world.server.requests.map(({ body }) => body);
    expect(first?.messages[1]?.content).toHaveLength(2);
    expect(second?.messages[1]?.content).toEqual([{ type: "text", text: "a" }]);
    expect(second?.thinking).toEqual(first?.thinking);
  });
});

describe("thinking", () => {
  const asked = async (id: string, options: StreamOptions) => {
    const { max_tokens, thinking, output_config } = (await world.ask({}, options, id)).body;
    return { max_tokens, thinking, effort: output_config?.effort };
  };

  it("is asked for by effort where the model adapts", async () => {
    const adaptive = { type: "adaptive", display: "summarized" };
    expect(await asked("claude-opus-5-5", { reasoning: "xhigh" })).toEqual({
      max_tokens: 64_768,
      thinking: adaptive,
      effort: "xhigh",
    });
    expect(await asked("claude-opus-4-6", { reasoning: "xhigh" })).toMatchObject({
      effort: "high",
    });
    expect(await asked("claude-sonnet-5", { reasoning: "minimal" })).toMatchObject({
      thinking: adaptive,
      effort: "low",
    });
  });

  it("is asked for by a budget where the model takes one, beside the room for the answer", async () => {
    expect(await asked("claude-haiku-4-5", { reasoning: "medium", maxTokens: 2048 })).toEqual({
      max_tokens: 12_288,
      thinking: { type: "enabled", budget_tokens: 10_240 },
      effort: undefined,
    });
    expect(
      await asked("claude-haiku-4-5", { reasoning: "xhigh", maxTokens: 60_000 }),
    ).toMatchObject({
      max_tokens: 64_000,
      thinking: { budget_tokens: 32_768 },
    });
  });

  it("is off as the model takes it; one that always thinks has room for it", async () => {
    const options = { maxTokens: 2048 };
    expect(await asked("claude-sonnet-5-5", options)).toMatchObject({
      max_tokens: 2048,
      thinking: { type: "between_tools" },
    });
    expect(await asked("claude-opus-5", options)).toMatchObject({ thinking: { type: "disabled" } });
    expect(await asked("claude-haiku-4-5", options)).toMatchObject({ thinking: undefined });
    expect(await asked("claude-opus-5-5", { ...options, reasoning: "off" })).toEqual({
      max_tokens: 6144,
      thinking: undefined,
      effort: "low",
    });
  });

  it("is not asked of models nobody knows", async () => {
    expect(await asked("llama-local", { reasoning: "high" })).toMatchObject({
      thinking: undefined,
      effort: undefined,
    });
  });
});

function withoutCacheMarks(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)),
  );
}
