import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anthropicProvider } from "../../../extensions/anthropic/provider.ts";
import { gate } from "../../anthropic-server.ts";
import { user } from "../../core/messages.ts";
import { anthropicWorld, type World } from "./world.ts";

let world: World;

beforeEach(async () => {
  world = await anthropicWorld();
});
afterEach(() => world.server.close());

describe("a reply", () => {
  it("streams text, and ends with the whole message, its usage and its cost", async () => {
    world.server.reply({
      steps: [{ text: "Hello, 你好 and 🌳 to you" }],
      usage: {
        input_tokens: 1000,
        output_tokens: 500,
        cache_read_input_tokens: 2000,
        cache_creation_input_tokens: 400,
      },
    });
    const { events, message } = await world.ask();
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "text_start",
      ...Array(2).fill("text_delta"),
      "text_end",
      "done",
    ]);
    expect(events.map((event) => ("delta" in event ? event.delta : "")).join("")).toBe(
      "Hello, 你好 and 🌳 to you",
    );
    expect(message).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Hello, 你好 and 🌳 to you" }],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-sonnet-5-5",
      stopReason: "stop",
      timestamp: 1000,
      usage: {
        input: 1000,
        output: 500,
        cacheRead: 2000,
        cacheWrite: 400,
        totalTokens: 3900,
        cost: {
          input: 0.002,
          output: 0.005,
          cacheRead: expect.closeTo(0.0002),
          cacheWrite: 0.001,
          total: expect.closeTo(0.0082),
        },
      },
    });
  });

  it("costs more where a model has other prices for long prompts", async () => {
    const usage = { input_tokens: 60_000, output_tokens: 1000 };
    world.server.reply({ usage }, { usage: { ...usage, cache_read_input_tokens: 50_000 } });
    const short = await world.ask({}, {}, "claude-haiku-5-5");
    const long = await world.ask({}, {}, "claude-haiku-5-5");
    expect(short.message.usage.cost.output).toBeCloseTo(0.0005);
    expect(long.message.usage.cost.output).toBeCloseTo(0.0025);
  });

  it("keeps thinking with its signature, redacted thinking, and tool calls", async () => {
    world.server.reply({
      steps: [
        { thinking: "let me think about it", signature: "sig1" },
        { redacted: "secret" },
        { text: "Reading." },
        { tool: "read", id: "toolu_1", input: { path: "a/b.ts", lines: [1, 2] } },
      ],
    });
    const { message, events } = await world.ask({
      tools: [{ name: "read", description: "", parameters: {} }],
    });
    expect(message.content).toEqual([
      { type: "thinking", thinking: "let me think about it", thinkingSignature: "sig1" },
      { type: "thinking", thinking: "", thinkingSignature: "secret", redacted: true },
      { type: "text", text: "Reading." },
      {
        type: "toolCall",
        id: "toolu_1",
        name: "read",
        arguments: { path: "a/b.ts", lines: [1, 2] },
      },
    ]);
    expect(message.stopReason).toBe("toolUse");
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "toolcall_end",
        contentIndex: 3,
        toolCall: message.content[3],
      }),
    );
  });

  it("tells length and refusal apart from a stop", async () => {
    world.server.reply(
      { steps: [{ text: "cut" }], stopReason: "max_tokens" },
      { steps: [{ text: "no" }], stopReason: "refusal" },
    );
    expect((await world.ask()).message.stopReason).toBe("length");
    expect((await world.ask()).message).toMatchObject({
      stopReason: "error",
      errorMessage: /declined/,
    });
  });
});

describe("an abort", () => {
  it("ends the reply with what had come, and the request", async () => {
    const { hold } = gate();
    world.server.reply({
      steps: [{ text: "half" }, { tool: "read", id: "t", input: {} }, { hold }],
    });
    const controller = new AbortController();
    const stream = world.provider.streamSimple(
      world.model(),
      { messages: [user("go")] },
      controller,
    );
    for await (const event of stream) if (event.type === "toolcall_end") controller.abort();
    const message = await stream.result();
    expect(message).toMatchObject({ stopReason: "aborted", usage: { input: 10 } });
    expect(message.content[0]).toEqual({ type: "text", text: "half" });
    expect(message).not.toHaveProperty("errorMessage");
    expect(await (await world.server.request(0)).closed).toBe(true);
  });

  it("before the first byte sends nothing on", async () => {
    const { message } = await world.ask({}, { signal: AbortSignal.abort() });
    expect(message).toMatchObject({ stopReason: "aborted", content: [] });
    expect(world.server.requests).toHaveLength(0);
  });
});

describe("a failure", () => {
  it("is one line that names status, kind and message, and never a key", async () => {
    const message = "bad\n key sk-test-0123456789 \u001b[31m or sk-ant-other-12345678";
    world.server.reply({ error: { status: 400, type: "invalid_request_error", message } });
    const { events, message: failed } = await world.ask();
    expect(failed.errorMessage).toBe("400 invalid_request_error: bad key [key] [31m or [key]");
    expect(events.map(({ type }) => type)).toEqual(["error"]);
  });

  it("is tried again by the SDK where that helps", async () => {
    const overloaded = { status: 529, type: "overloaded_error", message: "busy", retry: true };
    world.server.reply({ error: overloaded }, { error: overloaded }, "at last");
    expect((await world.ask()).message).toMatchObject({ stopReason: "stop" });
    expect(world.server.requests).toHaveLength(3);
  });

  it("in the middle keeps the part that had come", async () => {
    const half = { text: "half of it" };
    world.server.reply(
      { steps: [half, { failure: { type: "overloaded_error", message: "busy" } }] },
      { steps: [half, { cut: true }] },
    );
    const content = [{ type: "text", text: "half of it" }];
    const busy = /^overloaded_error: busy$/;
    expect((await world.ask()).message).toMatchObject({
      stopReason: "error",
      content,
      errorMessage: busy,
    });
    const lost = await world.ask();
    expect(lost.message).toMatchObject({ stopReason: "error", content });
    expect(lost.message.errorMessage).toMatch(/broke off/);
  });

  it("says which address cannot be reached", async () => {
    await world.server.close();
    const { url } = world.server;
    const once = anthropicProvider({ env: () => world.env, now: () => 1, retries: 0 });
    const stream = once.streamSimple(world.model(), { messages: [user("x")] });
    expect(await stream.result()).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringMatching(`^cannot reach ${url}: .*ECONNREFUSED`),
    });
    world.env = { ...world.env, ANTHROPIC_BASE_URL: url.replace("//", "//user:secret@") };
    const withPassword = once.streamSimple(world.model(), { messages: [user("x")] });
    expect((await withPassword.result()).errorMessage).not.toContain("secret");
    world = await anthropicWorld();
  });

  it("without credentials names the variables", async () => {
    world.env = { ANTHROPIC_BASE_URL: world.server.url };
    expect(world.provider.hasCredentials()).toBe(false);
    expect((await world.ask()).message.errorMessage).toMatch(/ANTHROPIC_API_KEY.*\/model offline/);
    expect(world.server.requests).toHaveLength(0);
  });
});

describe("credentials", () => {
  it("are read at each use, the key before the token", async () => {
    const one = world.provider;
    world.env = { ANTHROPIC_AUTH_TOKEN: "token-a", ANTHROPIC_BASE_URL: world.server.url };
    expect(one.hasCredentials()).toBe(true);
    await one.streamSimple(world.model(), { messages: [user("x")] }).result();
    world.env = { ...world.env, ANTHROPIC_API_KEY: " key-b " };
    await one.streamSimple(world.model(), { messages: [user("x")] }).result();
    expect(world.server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-a",
      "Bearer key-b",
    ]);
  });
});
