import type { ExtensionAPI, ExtensionContext } from "coppice";
import { expect, it } from "vitest";
import { contract, type Source } from "./world.ts";

contract("ctx.modelRegistry.complete", (loadWorld) => {
  const asks: Source = (api: ExtensionAPI) => {
    const ask = async (ctx: ExtensionContext, signal: AbortSignal) => {
      if (!ctx.model) throw new Error("no model");
      const messages = [{ role: "user" as const, content: "what?", timestamp: 1 }];
      const options = { signal, maxTokens: 7 };
      const reply = await ctx.modelRegistry.complete(ctx.model, { messages }, options);
      ctx.ui.notify(`${reply.stopReason} ${JSON.stringify(reply.content)}`);
    };
    api.registerCommand("ask", {
      handler: (_args, ctx) => ask(ctx, new AbortController().signal),
    });
    api.registerCommand("stop", {
      async handler(_args, ctx) {
        const controller = new AbortController();
        const asked = ask(ctx, controller.signal);
        await ctx.ui.input("stop?");
        controller.abort();
        await asked;
      },
    });
  };

  it("asks a model by the host, and gives its message", async () => {
    const world = await loadWorld({ extensions: { asks } });
    const called = world.model.called();
    const done = world.command("/ask");
    const call = await called;
    call.say("that");
    call.finish();
    await done;
    expect(call.options?.maxTokens).toBe(7);
    expect(call.context.messages).toMatchObject([{ content: "what?" }]);
    expect(world.said).toEqual(['stop [{"type":"text","text":"that"}]']);
  });

  it("is aborted by its signal", async () => {
    const world = await loadWorld({ extensions: { asks } });
    const called = world.model.called();
    const done = world.command("/stop");
    (await called).say("half");
    (await world.ui.asked("stop?")).answer();
    await done;
    expect(world.said).toEqual(['aborted [{"type":"text","text":"half"}]']);
  });
});
