import { expect, it, onTestFinished, vi } from "vitest";
import { startAnthropicServer } from "../anthropic-server.ts";
import type { WireBlock } from "../anthropic-wire.ts";
import { type LoadWorld, loadWorld, type Source } from "../contract/world.ts";

const shelf: Source = (api) => {
  api.registerTool<{ title: string }>({
    name: "find_book",
    description: "Finds a book.",
    parameters: {
      type: "object",
      properties: { title: { type: "string" } },
      required: ["title"],
    },
    execute: async (_id, { title }) => ({ content: [{ type: "text", text: `${title} is on 7` }] }),
  });
};

/** A session that talks to a local server of the Messages API. */
async function anthropicSession(options: Parameters<LoadWorld>[0] = {}) {
  const server = await startAnthropicServer();
  onTestFinished(() => server.close());
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-test-0123456789");
  vi.stubEnv("ANTHROPIC_BASE_URL", server.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const world = await loadWorld({
    model: "none",
    builtins: ["anthropic"],
    extensions: { shelf },
    options: { model: "anthropic/claude-sonnet-5-5" },
    ...options,
  });
  return { world, server };
}

const call = (id: string, title: unknown) => ({ tool: "find_book", id, input: { title } });

function blocks(content: readonly WireBlock[] | undefined): readonly Partial<WireBlock>[] {
  return (content ?? []).map(({ cache_control: _, ...block }) => block);
}

it("a tool is offered, called and answered over the Messages API, until the model is done", async () => {
  const { world, server } = await anthropicSession();
  server.reply(
    { steps: [{ text: "Let me look." }, call("toolu_1", "Emma"), call("toolu_2", 3)] },
    { steps: [call("toolu_3", "Persuasion")] },
    "Both are on shelf 7.",
  );
  await world.session.prompt("Where are they?");
  expect(server.requests.map(({ body }) => body.messages.length)).toEqual([3, 5, 7]);
  const [first, second, third] = server.requests.map(({ body }) => body);
  expect(first?.tools).toEqual([
    {
      name: "find_book",
      description: "Finds a book.",
      input_schema: {
        type: "object",
        properties: { title: { type: "string" } },
        required: ["title"],
      },
    },
  ]);
  expect(blocks(second?.messages.at(-2)?.content)).toEqual([
    { type: "text", text: "Let me look." },
    { type: "tool_use", id: "toolu_1", name: "find_book", input: { title: "Emma" } },
    { type: "tool_use", id: "toolu_2", name: "find_book", input: { title: 3 } },
  ]);
  const answered = blocks(second?.messages.at(-1)?.content);
  expect(answered).toMatchObject([
    {
      type: "tool_result",
      tool_use_id: "toolu_1",
      is_error: false,
      content: [{ text: "Emma is on 7" }],
    },
    { type: "tool_result", tool_use_id: "toolu_2", is_error: true },
  ]);
  expect(blocks(third?.messages.at(-1)?.content)).toMatchObject([{ tool_use_id: "toolu_3" }]);
  expect(world.session.messages.slice(-6).map(({ role }) => role)).toEqual([
    "assistant",
    "toolResult",
    "toolResult",
    "assistant",
    "toolResult",
    "assistant",
  ]);
  expect(world.session.messages.at(-1)).toMatchObject({
    content: [{ text: "Both are on shelf 7." }],
    stopReason: "stop",
  });
});

it("a call that was stopped goes back as one that was not run, and the next prompt goes through", async () => {
  const deaf: Source = (api) => {
    api.registerTool({
      name: "deaf",
      description: "Never ends.",
      parameters: { type: "object" },
      execute(_id, _params, _signal, _onUpdate, ctx) {
        void ctx.ui.input("running");
        return new Promise(() => undefined);
      },
    });
  };
  const { world, server } = await anthropicSession({ extensions: { deaf } });
  const tool = "deaf";
  server.reply({
    steps: [
      { tool, id: "toolu_1", input: {} },
      { tool, id: "toolu_2", input: {} },
    ],
  });
  const prompt = world.session.prompt("Go.");
  await world.ui.asked("running");
  world.session.abort();
  await prompt;
  expect(world.session.activity).toBe("idle");
  await world.session.prompt("And now?");
  const { messages = [] } = server.requests.at(-1)?.body ?? {};
  expect(blocks(messages.at(-2)?.content)).toMatchObject([
    { tool_use_id: "toolu_1", content: [{ text: "The call was aborted." }] },
    { tool_use_id: "toolu_2", content: [{ text: "This call was not run." }] },
  ]);
  expect(world.session.messages.at(-1)).toMatchObject({
    content: [{ text: "You said: And now?" }],
  });
});

it("the offline model calls no tools", async () => {
  const { world } = await anthropicSession({
    builtins: ["offline"],
    model: "none",
    options: { model: "offline/offline" },
  });
  await world.session.prompt("Where is Emma?");
  expect(world.session.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
  expect(world.session.messages.filter(({ role }) => role === "toolResult")).toEqual([]);
});
