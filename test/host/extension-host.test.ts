import * as ai from "coppice/ai";
import * as core from "coppice/core";
import * as tui from "coppice/tui";
import { describe, expect, it } from "vitest";
import * as api from "../../host/api.ts";
import { loadWorld, type Source } from "../contract/world.ts";

/** What an extension in this process leaves for the test to look at. */
const left = globalThis as unknown as { coppiceTest: Record<string, never> };

it("there is exactly one core at run time, and one of every other module", async () => {
  await loadWorld({
    extensions: {
      modules: `
        import * as api from "coppice";
        import * as core from "coppice/core";
        import * as tui from "coppice/tui";
        import * as ai from "coppice/ai";
        globalThis.coppiceTest = { api, core, tui, ai };
        export default () => {};`,
    },
  });
  for (const [name, module] of Object.entries({ api, core, tui, ai })) {
    const given = left.coppiceTest[name] as unknown as Record<string, unknown>;
    for (const [member, value] of Object.entries(module)) {
      expect(given[member], `${name}.${member}`).toBe(value);
    }
  }
});

it("an extension that was given up cannot register any more", async () => {
  const world = await loadWorld({
    settings: { "extensions.loadTimeoutMs": 20 },
    extensions: {
      stuck: `export default (api) => {
        globalThis.coppiceTest = { late: () => api.registerCommand("late", { handler() {} }) };
        return new Promise(() => {});
      };`,
    },
  });
  expect(left.coppiceTest.late).toThrow(expect.objectContaining({ code: "STALE_CONTEXT" }));
  await expect(world.command("/late")).rejects.toMatchObject({ code: "COMMAND_UNKNOWN" });
});

describe("an instance that has ended", () => {
  it("is not kept by the host, and neither is what it registered", async () => {
    const keeps: Source = `export default (api) => {
      const big = { of: "this instance" };
      globalThis.coppiceTest ??= {};
      globalThis.coppiceTest.refs = [...(globalThis.coppiceTest.refs ?? []), new WeakRef(big)];
      for (const name of ["session_start", "session_before_tree", "session_tree", "input"]) {
        api.on(name, () => { String(big); });
      }
      api.registerCommand("one", { handler: () => String(big) });
      api.registerShortcut("ctrl+y", { handler: () => String(big) });
      api.registerProvider("kept", { models: [], hasCredentials: () => big.of === "", streamSimple() {} });
      api.contribute("tree.filter", { id: "f", title: "f", tag: "f", predicate: () => [String(big) === ""] });
      api.contribute("status.item", { id: "s", text: () => String(big) });
    };`;
    left.coppiceTest = {};
    const world = await loadWorld({ extensions: { keeps } });
    await world.session.navigateTree(world.id("u1"));
    for (let n = 0; n < 3; n++) await world.session.newSession();
    const refs = left.coppiceTest.refs as unknown as WeakRef<object>[];
    expect(refs).toHaveLength(4);
    await collectGarbage();
    const alive = refs.map((ref) => ref.deref() !== undefined);
    expect(alive).toEqual([false, false, false, true]);
  });
});

/** Collects what is unreachable. Targets of weak references live to the end of their turn. */
async function collectGarbage(): Promise<void> {
  const { setFlagsFromString } = await import("node:v8");
  const { runInNewContext } = await import("node:vm");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let n = 0; n < 5; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}
