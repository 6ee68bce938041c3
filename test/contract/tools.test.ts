import type { AssistantMessage } from "coppice/core";
import { expect, it, vi } from "vitest";
import { calls, prompted, results, resultTexts } from "./tool-calls.ts";
import { contract, type Source } from "./world.ts";

const echo: Source = (api) => {
  api.registerTool<{ text: string; times?: number }>({
    name: "echo",
    description: "Gives back a text.",
    parameters: {
      type: "object",
      properties: { text: { type: "string" }, times: { type: "integer" } },
      required: ["text"],
    },
    execute: async (id, { text, times = 1 }) => ({
      content: [{ type: "text", text: `${id} ${text.repeat(times)}` }],
      details: { times },
    }),
  });
};

contract("a tool", (loadWorld) => {
  it("is told to the model, runs when it is called, and its result goes back", async () => {
    const world = await loadWorld({ extensions: { echo } });
    const [first, second] = await prompted(world, calls(["echo", { text: "ab", times: 2 }]));
    expect(first?.context.tools).toEqual([
      {
        name: "echo",
        description: "Gives back a text.",
        parameters: {
          type: "object",
          properties: { text: { type: "string" }, times: { type: "integer" } },
          required: ["text"],
        },
      },
    ]);
    expect(second?.context.messages.at(-1)).toMatchObject({
      role: "toolResult",
      toolCallId: "call-1",
      toolName: "echo",
      content: [{ type: "text", text: "call-1 abab" }],
      details: { times: 2 },
      isError: false,
    });
    expect(world.sessionManager.buildSessionContext().messages).toEqual(world.session.messages);
    expect(world.session.messages.map(({ role }) => role).slice(-4)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
    ]);
    expect(world.reported).toEqual([]);
  });

  it("runs for every call of a reply, in order, as often as the model asks", async () => {
    const world = await loadWorld({ extensions: { echo } });
    await prompted(
      world,
      calls(["echo", { text: "a" }], ["echo", { text: "b" }]),
      calls(["echo", { text: "c" }]),
    );
    expect(resultTexts(world)).toEqual(["call-1 a", "call-2 b", "call-1 c"]);
  });

  it("that is not there, fails or gets wrong arguments is an error for the model", async () => {
    const world = await loadWorld({
      extensions: {
        echo,
        bad: (api) => {
          api.registerTool({
            name: "bad",
            description: "Fails.",
            parameters: { type: "object" },
            execute: () => {
              throw new Error("no such shelf");
            },
          });
        },
      },
    });
    await prompted(
      world,
      calls(["nothing", {}], ["bad", {}], ["echo", { text: 5 }], ["echo", { text: "on" }]),
    );
    const [nothing, bad, wrong, right] = resultTexts(world);
    expect(nothing).toMatch(/^error: No tool is called "nothing"; the tools are echo, bad\.$/);
    expect(bad).toBe("error: no such shelf");
    expect(wrong).toMatch(/^error: The arguments do not fit: \/text must be string$/);
    expect(right).toBe("call-4 on");
  });

  it("that gives no result is an error for the model", async () => {
    const world = await loadWorld({
      extensions: {
        odd: `export default (api) => {
          api.registerTool({ name: "odd", description: "", parameters: { type: "object" },
            execute: async () => ({ content: "text" }) });
        };`,
      },
    });
    await prompted(world, calls(["odd", {}]));
    expect(resultTexts(world)[0]).toMatch(/^error: .*the result\.content must be a list/);
  });

  it("prepares its arguments before they are validated", async () => {
    const world = await loadWorld({
      extensions: {
        prepares: (api) => {
          api.registerTool<{ n: number }>({
            name: "count",
            description: "Counts.",
            parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
            prepareArguments: (args) => ({ n: Number((args as { n: string }).n) }),
            execute: (_id, { n }) => ({ content: [{ type: "text", text: String(n + 1) }] }),
          });
        },
      },
    });
    await prompted(world, calls(["count", { n: "4" }]));
    expect(resultTexts(world)).toEqual(["5"]);
  });

  it("whose output is long is cut in whole lines, with a note of its size", async () => {
    const world = await loadWorld({
      extensions: {
        long: (api) => {
          api.registerTool({
            name: "long",
            description: "Writes a lot.",
            parameters: { type: "object" },
            execute: () => ({
              content: [
                { type: "text", text: Array.from({ length: 3000 }, (_, i) => i).join("\n") },
              ],
            }),
          });
        },
      },
    });
    await prompted(world, calls(["long", {}]));
    const [kept, note] = results(world)[0]?.content ?? [];
    const lines = kept?.type === "text" ? kept.text.split("\n") : [];
    expect([lines.length, lines.at(-1)]).toEqual([2000, "1999"]);
    expect(note).toMatchObject({ text: expect.stringMatching(/cut here.*3000 lines/) });
  });

  it("may tell how far it is, and knows its context", async () => {
    const world = await loadWorld({
      extensions: {
        steps: (api) => {
          api.registerTool({
            name: "steps",
            description: "Goes step by step.",
            parameters: { type: "object" },
            async execute(_id, _params, signal, onUpdate, ctx) {
              onUpdate({ content: [{ type: "text", text: "half" }] });
              const last = ctx.sessionManager.getBranch().at(-1);
              return {
                content: [
                  { type: "text", text: `${signal.aborted} ${ctx.isIdle()} ${last?.type}` },
                ],
              };
            },
          });
          api.on("tool_execution_update", ({ toolName, partialResult }, ctx) => {
            ctx.ui.notify(`${toolName} ${JSON.stringify(partialResult)}`);
          });
        },
      },
    });
    await prompted(world, calls(["steps", {}]));
    expect(resultTexts(world)).toEqual(["false false message"]);
    const told = 'steps {"content":[{"type":"text","text":"half"}]}';
    await vi.waitFor(() => expect(world.said).toEqual([told]));
  });

  it("is stopped by Escape: its signal fires, and a result in time counts", async () => {
    const world = await loadWorld({
      extensions: {
        waits: (api) => {
          api.registerTool({
            name: "waits",
            description: "Waits.",
            parameters: { type: "object" },
            execute: (_id, _params, signal, _onUpdate, ctx) =>
              new Promise((resolve) => {
                signal.addEventListener("abort", () =>
                  resolve({ content: [{ type: "text", text: "stopped in time" }] }),
                );
                void ctx.ui.input("waiting");
              }),
          });
        },
      },
    });
    const done = world.session.prompt("go");
    (await world.model.called()).finish(calls(["waits", {}], ["waits", {}]));
    await world.ui.asked("waiting");
    expect(world.session.activity).toBe("tools");
    world.session.abort();
    await done;
    expect(resultTexts(world)).toEqual(["stopped in time"]);
    expect(world.model.calls).toHaveLength(1);
    expect(world.session.activity).toBe("idle");
  });

  it("that ignores Escape is given up", async () => {
    const world = await loadWorld({
      extensions: {
        deaf: (api) => {
          api.registerTool({
            name: "deaf",
            description: "Never ends.",
            parameters: { type: "object" },
            execute: (_id, _params, _signal, _onUpdate, ctx) => {
              void ctx.ui.input("waiting");
              return new Promise(() => undefined);
            },
          });
        },
      },
    });
    const done = world.session.prompt("go");
    (await world.model.called()).finish(calls(["deaf", {}]));
    await world.ui.asked("waiting");
    world.session.abort();
    await done;
    expect(resultTexts(world)).toEqual(["error: The call was aborted."]);
  });

  it("ends the run where every result of a reply says so", async () => {
    const world = await loadWorld({
      extensions: {
        ends: (api) => {
          api.registerTool({
            name: "ends",
            description: "Ends.",
            parameters: { type: "object" },
            execute: () => ({ content: [], terminate: true }),
          });
        },
      },
    });
    const done = world.session.prompt("go");
    (await world.model.called()).finish(calls(["ends", {}], ["ends", {}]));
    await done;
    expect(world.model.calls).toHaveLength(1);
    expect(results(world)).toHaveLength(2);
  });

  it("is refused where it can be none, and is gone when it is undone", async () => {
    const world = await loadWorld({
      extensions: {
        tries: (api) => {
          const tool = {
            name: "one",
            description: "One.",
            parameters: { type: "object" },
            execute: () => ({ content: [] }),
          };
          api.registerCommand("try", {
            handler(_args, ctx) {
              for (const fields of [{ name: "" }, { description: "x".repeat(70_000) }]) {
                try {
                  api.registerTool({ ...tool, ...fields });
                } catch (error) {
                  ctx.ui.notify(String((error as { code: string }).code));
                }
              }
              api.registerTool(tool)();
            },
          });
        },
      },
    });
    await world.command("/try");
    expect(world.said).toEqual(["INVALID_ARGUMENT", "INVALID_ARGUMENT"]);
    const [first] = await prompted(world);
    expect(first?.context).not.toHaveProperty("tools");
  });

  it("has an alias for the model where its name is taken", async () => {
    const world = await loadWorld({ extensions: { echo, "second.one": echo } });
    const [first] = await prompted(world, calls(["echo__second_one", { text: "b" }]));
    expect(first?.context.tools?.map(({ name }) => name)).toEqual(["echo", "echo__second_one"]);
    expect(resultTexts(world)).toEqual(["call-1 b"]);
    expect(world.reported).toEqual(["second.one NAME_TAKEN"]);
  });

  it("can be switched off, and adds its lines to the system prompt while it is on", async () => {
    const world = await loadWorld({
      extensions: {
        echo,
        hints: (api) => {
          api.registerTool({
            name: "hints",
            label: "Hints",
            description: "Hints.",
            parameters: { type: "object" },
            promptSnippet: "looks things up",
            promptGuidelines: ["Look before you leap."],
            execute: () => ({ content: [] }),
          });
          api.registerCommand("off", {
            handler(_args, ctx) {
              ctx.ui.notify(
                JSON.stringify(api.getAllTools().map(({ name, label }) => [name, label])),
              );
              ctx.ui.notify(api.getActiveTools().join());
              api.setActiveTools(["echo", "unknown"]);
              ctx.ui.notify(api.getActiveTools().join());
            },
          });
        },
      },
    });
    const [on] = await prompted(world);
    expect(on?.context.systemPrompt).toContain(
      "Tool hints: looks things up\nLook before you leap.",
    );
    await world.command("/off");
    expect(world.said).toEqual(['[["echo",null],["hints","Hints"]]', "echo,hints", "echo"]);
    const off = (await prompted(world)).at(-1);
    expect(off?.context.tools?.map(({ name }) => name)).toEqual(["echo"]);
    expect(off?.context.systemPrompt).not.toContain("Look before");
  });
});

contract("tool_call", (loadWorld) => {
  it("may block a call, with a reason for the model", async () => {
    const world = await loadWorld({
      extensions: {
        echo,
        guard: (api) => {
          api.on("tool_call", ({ toolName, toolCallId, input }) =>
            input.text === "b"
              ? { block: true, reason: `${toolName} ${toolCallId} looks wrong` }
              : undefined,
          );
        },
      },
    });
    await prompted(world, calls(["echo", { text: "a" }], ["echo", { text: "b" }]));
    expect(resultTexts(world)).toEqual([
      "call-1 a",
      "error: The call was blocked by the extension guard: echo call-2 looks wrong",
    ]);
  });

  it("may change the arguments in place or by its result, one handler after the other", async () => {
    const world = await loadWorld({
      extensions: {
        echo,
        edits: (api) => {
          api.on("tool_call", ({ input }) => {
            input.text = `${input.text}!`;
            return undefined;
          });
        },
        returns: (api) => {
          api.on("tool_call", ({ input }) => ({ input: { ...input, times: 2 } }));
        },
      },
    });
    await prompted(world, calls(["echo", { text: "a" }]));
    expect(resultTexts(world)).toEqual(["call-1 a!a!"]);
    const { content } = world.session.messages.at(-3) as AssistantMessage;
    expect(content).toMatchObject([{ arguments: { text: "a" } }]);
  });

  it("blocks what its handlers have made invalid, and names who did", async () => {
    const world = await loadWorld({
      extensions: {
        echo,
        breaks: (api) => {
          api.on("tool_call", () => ({ input: { text: 7 } }));
        },
      },
    });
    await prompted(world, calls(["echo", { text: "a" }]));
    expect(resultTexts(world)[0]).toMatch(/^error: Blocked: breaks has made .*\/text/);
  });

  it.each([
    ["throws", `() => { throw new Error("boom"); }`, "HOOK_FAILED"],
    ["answers with what is no result", `() => "no"`, "HOOK_RESULT_INVALID"],
  ])("blocks when a handler %s", async (_name, handler, code) => {
    const world = await loadWorld({
      extensions: {
        echo,
        broken: `export default (api) => { api.on("tool_call", ${handler}); };`,
      },
    });
    await prompted(world, calls(["echo", { text: "a" }]));
    expect(resultTexts(world)).toEqual([
      "error: The call was blocked by the extension broken: the extension broken failed in tool_call",
    ]);
    expect(world.reported).toEqual([`broken ${code}`]);
  });
});

contract("a handler of tool_call that takes too long", (loadWorld) => {
  it("blocks the call", async () => {
    const world = await loadWorld({
      settings: { "extensions.handlerTimeoutMs": 20 },
      extensions: {
        echo,
        hangs: (api) => {
          api.on("tool_call", () => new Promise(() => undefined));
        },
      },
    });
    await prompted(world, calls(["echo", { text: "a" }]));
    expect(resultTexts(world)[0]).toMatch(/^error: The call was blocked by the extension hangs/);
    expect(world.reported).toEqual(["hangs HOOK_TIMEOUT"]);
  });
});

contract("tool_result", (loadWorld) => {
  it("may patch a result, and the next handler sees the patch", async () => {
    const world = await loadWorld({
      extensions: {
        echo,
        first: (api) => {
          api.on("tool_result", ({ content }) => ({
            content: [...content, { type: "text", text: "more" }],
          }));
        },
        second: (api) => {
          api.on("tool_result", ({ content, details, input }) => ({
            isError: true,
            details: { parts: content.length, before: details, input },
          }));
        },
      },
    });
    await prompted(world, calls(["echo", { text: "a" }]));
    expect(results(world)).toMatchObject([
      {
        isError: true,
        content: [{ text: "call-1 a" }, { text: "more" }],
        details: { parts: 2, before: { times: 1 }, input: { text: "a" } },
      },
    ]);
  });
});

contract("turns with tools", (loadWorld) => {
  it("tell what was called and stored, one turn a reply", async () => {
    const world = await loadWorld({
      extensions: {
        echo,
        watch: (api) => {
          for (const name of ["turn_start", "turn_end", "tool_execution_end"] as const) {
            api.on(name, (event, ctx) => {
              const { type, ...fields } = event as unknown as Record<string, unknown>;
              const { turnIndex, toolCallId, toolResultEntryIds = [], messageEntryId } = fields;
              const ids = [messageEntryId, ...(toolResultEntryIds as string[])].filter(Boolean);
              const known = ids.map((id) => ctx.sessionManager.getEntry(String(id))?.type);
              ctx.ui.notify([type, turnIndex ?? toolCallId, ...known].join(" "));
            });
          }
        },
      },
    });
    await prompted(world, calls(["echo", { text: "a" }], ["echo", { text: "b" }]));
    expect(world.said).toEqual([
      "turn_start 0",
      "tool_execution_end call-1",
      "tool_execution_end call-2",
      "turn_end 0 message message message",
      "turn_start 1",
      "turn_end 1 message",
    ]);
  });
});
