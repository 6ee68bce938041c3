import { expect, it } from "vitest";
import { tree } from "../world.ts";
import { contract } from "./world.ts";

contract("navigation by an extension", (loadWorld) => {
  it("a command moves the leaf and gets the text of the user message", async () => {
    const world = await loadWorld({
      session: tree("u1 a1(u2 a2*)"),
      extensions: {
        mover: (api) => {
          api.registerCommand("go", {
            async handler(id, ctx) {
              const result = await ctx.navigateTree(id);
              ctx.ui.notify(JSON.stringify(result));
            },
          });
        },
      },
    });
    await world.command(`/go ${world.id("u2")}`);
    expect(world.said).toEqual([JSON.stringify({ cancelled: false, editorText: "u2" })]);
    expect(world.sessionManager.getLeafId()).toBe(world.id("a1"));
    expect(world.reports).toEqual([]);
  });
});
