import { describe, expect, it, vi } from "vitest";
import { GuestCalls } from "../../host/sandbox/guest-calls.ts";
import { sandboxed } from "../contract/loaders.ts";
import { arena } from "./world.ts";

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`fuzz-guest seed ${seed}`);

/** The prelude gives the guest its two ways out. */
vi.mock("../../host/sandbox/bundles.ts", async (original) => {
  const real = await original<typeof import("../../host/sandbox/bundles.ts")>();
  const leak = "globalThis.post = $0; globalThis.wait = $2; return $prelude.start";
  return {
    ...real,
    preludeText: async () =>
      (await real.preludeText()).replace("return $prelude.start", () => leak),
  };
});

const MESSAGES = 30_000;
const A_TURN = 1500;

const FUZZ = `
  let state = Number(args) >>> 0;
  const random = (n) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % n;
  const pick = (list) => list[random(list.length)];
  const kinds = ["call", "cancel", "error", "log", "post", "result"];
  const members = ["api.appendEntry", "ctx.navigateTree", "api.registerCommand", "ctx.ui.notify", "undo", "fn", "report", "__proto__", "constructor", "ctx.ui.select", "api.on", "api.setLabel", "ctx.sessionManager.getEntries", "", "api.registerTool"];
  const bodies = ["[]", "{}", "", "null", "[[[[", '[{"__proto__":{"polluted":1}}]', '{"constructor":{"prototype":{"polluted":1}}}', '["x","y"]', "[1e999]", "\\ud800", "[".repeat(5000), '["$f1","$x{}"]', '[{"$":"f9"}]', '"' + "x".repeat(500) + '"', "!{}", '!{"code":"X"}', "[" + "0,".repeat(3000) + "0]"];
  const number = () => pick([0, 1, -1, 2, 3, random(1e6), NaN, Infinity, 2 ** 53, 0.5]);
  const key = () => [number(), pick(members), pick(["0", "1", "2", "api", "ctx", "", random(1e9)]), number(), number()].join(pick([" ", " ", " ", "", "\\n"]));
  for (let i = 0; i < ${A_TURN}; i++) {
    const kind = pick(kinds);
    const a = /call|post/.test(kind) ? key() : kind === "log" ? pick(["warn", "\\u001b[2J"]) : 1e6 + random(1e6);
    post(kind, a, pick(bodies));
  }
  return "sent";`;

describe.skipIf(sandboxed.missing !== undefined)("a guest that holds the ways out", () => {
  it("hurts nobody but itself", { timeout: 120_000 }, async () => {
    const arrived = vi.spyOn(GuestCalls.prototype, "post");
    const limits = { faults: 1e6, packageDelays: Array.from({ length: 1000 }, () => 0) };
    let place = await arena({ id: "", title: "", command: FUZZ, limits });
    const before = place.state();
    const isThere = () =>
      place.session.runtime.commands.all().some(({ name }) => name === "attack");
    for (let n = 0; arrived.mock.calls.length < MESSAGES; n++) {
      expect(n).toBeLessThan(200);
      // What it has sent may have ended or undone its own command.
      if (!isThere()) place = await arena({ id: "", title: "", command: FUZZ, limits });
      await place.command(`/attack ${seed + n}`);
      await place.canary();
      expect({ ...(place.state() as object), files: 0 }).toEqual({
        ...(before as object),
        files: 0,
      });
      expect(Reflect.has({}, "polluted")).toBe(false);
      expect(place.reports.filter(({ extension }) => extension !== "attacker")).toEqual([]);
    }
  });

  it.each([
    [
      "unknown kinds",
      'post("x".repeat(9), 1, ""); post("__proto__", 1, ""); post("fault", 1, "");',
    ],
    [
      "keys of other types",
      'post("call", {}, []); post("result", null, undefined); post(undefined);',
    ],
    ["a flood", 'for (let i = 0; i < 1e5; i++) post("result", 1e6, "x".repeat(1000));'],
  ])("is ended or ignored for %s", async (_, text) => {
    const place = await arena({ id: "", title: "", command: `${text} return "sent";` });
    const before = place.state();
    await place.command("/attack");
    await place.canary();
    expect(place.state()).toEqual(before);
    expect(place.reports.filter(({ extension }) => extension !== "attacker")).toEqual([]);
  });
});
