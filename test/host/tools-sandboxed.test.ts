import { expect, it } from "vitest";
import { calls, prompted, resultTexts } from "../contract/tool-calls.ts";
import { inSandbox, type Source } from "../contract/world.ts";

/** A list that lives in the results of its tool, as community packages keep theirs. */
const todo: Source = `
  import { Type } from "@sinclair/typebox";
  import { StringEnum } from "@mariozechner/pi-ai";
  import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
  import { Text } from "@mariozechner/pi-tui";

  export default function (pi: ExtensionAPI) {
    let items: string[] = [];
    const restore = (ctx: ExtensionContext) => {
      items = [];
      for (const entry of ctx.sessionManager.getBranch()) {
        if (entry.type !== "message" || entry.message.role !== "toolResult") continue;
        if (entry.message.toolName === "todo") items = [...entry.message.details.items];
      }
    };
    pi.registerTool({
      name: "todo",
      label: "Todo",
      description: "Keeps a list.",
      parameters: Type.Object({
        action: StringEnum(["add", "list"] as const),
        text: Type.Optional(Type.String({ minLength: 1 })),
      }),
      async execute(_id, params) {
        if (params.action === "add") items = [...items, params.text];
        pi.appendEntry("todo", { count: items.length });
        return { content: [{ type: "text", text: items.join() || "empty" }], details: { items } };
      },
      renderResult: (result) => new Text(String(result.details), 0, 0),
    });
    for (const name of ["session_start", "session_tree"]) pi.on(name, async (_event, ctx) => restore(ctx));
  }`;

inSandbox("a community package with a tool", (loadWorld) => {
  it("keeps its state in the branch: a move in the tree brings back what was there", async () => {
    const world = await loadWorld({ extensions: { todo } });
    const [first] = await prompted(world, calls(["todo", { action: "add", text: "one" }]));
    expect(first?.context.tools).toEqual([
      {
        name: "todo",
        description: "Keeps a list.",
        parameters: {
          type: "object",
          required: ["action"],
          properties: {
            action: { type: "string", enum: ["add", "list"] },
            text: { type: "string", minLength: 1 },
          },
        },
      },
    ]);
    const early = world.sessionManager.getLeafId() ?? "";
    await prompted(world, calls(["todo", { action: "add", text: "two" }]));
    await world.session.navigateTree(early);
    await prompted(world, calls(["todo", { action: "list" }], ["todo", { action: "drop" }]));
    const [one, same, wrong] = resultTexts(world);
    expect([one, same]).toEqual(["one", "one"]);
    expect(wrong).toMatch(/^error: The arguments do not fit: \/action/);
    expect(world.reports).toMatchObject([
      { code: "NOT_SUPPORTED", where: "api.registerTool with renderResult" },
    ]);
  });
});

inSandbox("a tool", (loadWorld) => {
  it("whose isolate ends is an error for the model, and gone for the next call", async () => {
    const world = await loadWorld({
      extensions: {
        loops: (api) => {
          api.registerTool({
            name: "loops",
            description: "Never ends.",
            parameters: { type: "object" },
            execute() {
              for (;;);
            },
          });
        },
      },
    });
    await prompted(world, calls(["loops", {}]), calls(["loops", {}]));
    const [crashed, gone] = resultTexts(world);
    expect(crashed).toMatch(/^error: .*loops.*timeout/);
    expect(gone).toBe('error: No tool is called "loops"; there are no tools.');
  });

  const twice = (next: string) => `{ anyOf: [${next}, ${next}] }`;
  const choices = Array.from({ length: 60 }, (_, i) => {
    const next = i < 59 ? `{ $ref: "#/$defs/c${i + 1}" }` : `{ type: "number" }`;
    return `c${i}: ${twice(next)}`;
  });

  it.each([
    ["a pattern that backtracks", `{ type: "string", pattern: "^(a+)+$" }`, `${"a".repeat(40)}!`],
    ["choices inside choices", `{ $ref: "#/$defs/c0" }`, "x"],
    ["a schema of itself", `{ $ref: "#/properties/text" }`, "x"],
  ])("that checks its arguments by %s holds nobody up", async (_name, schema, value) => {
    const parameters = `{ type: "object", properties: { text: ${schema} }, $defs: { ${choices} } }`;
    const slow = `export default (api) => api.registerTool({ name: "slow", description: "",
      parameters: ${parameters}, execute: () => ({ content: [] }) });`;
    const world = await loadWorld({ extensions: { slow } });
    await prompted(world, calls(["slow", { text: value }]));
    expect(resultTexts(world)[0]).toMatch(/^error: .*cannot be checked by its schema/);
  });
});

inSandbox("coppice/ai of a package", (loadWorld) => {
  const asks: Source = `
    import { complete, completeSimple, getModel, streamSimple } from "@mariozechner/pi-ai";
    const context = { messages: [{ role: "user", content: "what?", timestamp: 1 }] };
    export default (api) => {
      api.registerCommand("ask", { async handler(_args, ctx) {
        const model = getModel("test", "two");
        const stream = streamSimple(model, context);
        let pieces = 0;
        for await (const event of stream) if (event.type === "text_delta") pieces++;
        const replies = [await stream.result(), await complete(model, context), await completeSimple(model, context)];
        ctx.ui.notify(pieces + " " + replies.map((reply) => reply.content[0].text).join());
      } });
      api.registerCommand("stop", { async handler(_args, ctx) {
        const controller = new AbortController();
        const asked = complete(ctx.model, context, { signal: controller.signal });
        await ctx.ui.input("stop?");
        controller.abort();
        ctx.ui.notify((await asked).stopReason);
      } });
    };`;

  it("calls models by the host", async () => {
    const world = await loadWorld({ extensions: { asks } });
    const done = world.command("/ask");
    for (const text of ["one", "two", "three"]) {
      const call = await world.model.called();
      expect(call.model.id).toBe("two");
      call.say(text);
      call.finish();
    }
    await done;
    expect(world.said).toEqual(["1 one,two,three"]);
  });

  it("stops a call by its signal", async () => {
    const world = await loadWorld({ extensions: { asks } });
    const called = world.model.called();
    const done = world.command("/stop");
    (await called).say("half");
    (await world.ui.asked("stop?")).answer();
    await done;
    expect(world.said).toEqual(["aborted"]);
  });
});
