import { expect, it } from "vitest";
import { contract } from "./world.ts";

contract("flags", (loadWorld) => {
  it("have their default, also while the factory runs, and no other extension sees them", async () => {
    const world = await loadWorld({
      extensions: {
        one: `export default (api) => {
          api.registerFlag("plan", { description: "d", type: "boolean", default: true });
          api.registerFlag("file", { type: "string" });
          const early = api.getFlag("plan");
          api.registerCommand("one", { handler: (args, ctx) => ctx.ui.notify(
            JSON.stringify([early, api.getFlag("plan"), api.getFlag("file") ?? null])) });
        };`,
        two: `export default (api) => {
          api.registerCommand("two", { handler: (args, ctx) =>
            ctx.ui.notify(String(api.getFlag("plan"))) });
        };`,
      },
    });
    await world.command("/one");
    await world.command("/two");
    expect(world.said).toEqual(["[true,true,null]", "undefined"]);
    const flags = world.session.runtime.flags.all();
    expect(flags.map(({ name, options }) => [name, options.type])).toEqual([
      ["plan", "boolean"],
      ["file", "string"],
    ]);
  });

  it("are gone with their undo", async () => {
    const world = await loadWorld({
      extensions: {
        one: `export default (api) => {
          const undo = api.registerFlag("plan", { type: "boolean", default: true });
          api.registerCommand("undo", { handler: (args, ctx) => {
            undo();
            undo();
            ctx.ui.notify(String(api.getFlag("plan")));
          } });
        };`,
      },
    });
    expect(world.session.runtime.flags.all()).toHaveLength(1);
    await world.command("/undo");
    expect(world.said).toEqual(["undefined"]);
    expect(world.session.runtime.flags.all()).toEqual([]);
  });

  it.each([`{ type: "number" }`, `{ type: "boolean", default: "yes" }`, `{}`])(
    "of the form %s are refused at the call",
    async (options) => {
      const world = await loadWorld({
        extensions: {
          one: `export default (api) => {
          let code = "none";
          try {
            api.registerFlag("plan", ${options});
          } catch (error) {
            code = error.code;
          }
          api.registerCommand("say", { handler: (args, ctx) => ctx.ui.notify(code) });
        };`,
        },
      });
      await world.command("/say");
      expect(world.said).toEqual(["INVALID_ARGUMENT"]);
      expect(world.session.runtime.flags.all()).toEqual([]);
    },
  );
});

contract("renderers", (loadWorld) => {
  it("are kept by their custom type until they are undone", async () => {
    const world = await loadWorld({
      extensions: {
        one: `export default (api) => {
          const undo = api.registerMessageRenderer("note", () => undefined);
          api.registerEntryRenderer("mark", () => undefined);
          api.registerCommand("undo", { handler: () => undo() });
        };`,
      },
    });
    const kept = () =>
      world.session.runtime.renderers.all().map(({ kind, customType }) => `${kind} ${customType}`);
    expect(kept()).toEqual(["message note", "entry mark"]);
    await world.command("/undo");
    expect(kept()).toEqual(["entry mark"]);
    await world.close();
    expect(kept()).toEqual([]);
  });
});

contract("quiet members", (loadWorld) => {
  it("are accepted, do nothing, and are reported once", async () => {
    const world = await loadWorld({
      extensions: {
        one: `export default (api) => {
          const undo = api.registerToolRenderer(() => undefined);
          api.registerMarkdownTransformer(() => undefined);
          api.registerMarkdownTransformer(() => undefined)();
          api.registerCommand("say", { handler: (args, ctx) => {
            ctx.ui.setToolsExpanded(true);
            ctx.ui.notify([
              typeof undo, undo(), ctx.ui.getToolsExpanded(), ctx.ui.getEditorComponent(),
              api.supports("api.registerToolRenderer"),
            ].map(String).join(" "));
          } });
        };`,
      },
    });
    await world.command("/say");
    expect(world.said).toEqual(["function undefined false undefined false"]);
    expect(world.reports.map(({ code, where }) => `${code} ${where}`)).toEqual([
      "NOT_SUPPORTED api.registerToolRenderer",
      "NOT_SUPPORTED api.registerMarkdownTransformer",
      "NOT_SUPPORTED ctx.ui.setToolsExpanded",
      "NOT_SUPPORTED ctx.ui.getToolsExpanded",
      "NOT_SUPPORTED ctx.ui.getEditorComponent",
    ]);
  });
});
