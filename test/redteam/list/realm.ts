import type { Attack } from "../attack.ts";

/** R50–R60: the guest's own realm, values, re-entry. */
export const REALM: readonly Attack[] = [
  {
    id: "R50",
    title: "two million opening brackets as an argument",
    command: 'ctx.ui.notify("[".repeat(2e6)); return "carried";',
    says: /= carried/,
    reports: ["INVALID_ARGUMENT", "LIMIT_EXCEEDED"],
  },
  {
    id: "R51",
    title: "new Function and eval see only the guest's realm",
    command:
      'return [new Function("return globalThis")() === globalThis, (0, eval)("1 + 1"), (0, eval)("typeof require")];',
    says: /= \[true,2,"undefined"\]/,
  },
  {
    id: "R52",
    title: "a handler that calls the host while the host waits for the guest's command",
    top: "const order = [];",
    command:
      'order.push("before"); await ctx.waitForIdle(); order.push("after"); return order.join(" ");',
    input: 'await Promise.resolve(); ctx.ui.notify("A inner");',
    says: /= before after/,
  },
  {
    id: "R53",
    title: "builtins deleted from the global before a call",
    command:
      'for (const name of ["Promise", "JSON", "Map", "Object", "Array", "Reflect", "Error"]) delete globalThis[name]; ctx.ui.notify("A works"); await ctx.waitForIdle(); ctx.ui.notify("A still"); return "x";',
    says: /A works\nA still/,
  },
  {
    id: "R54",

    title: "Promise.prototype.then replaced",
    command: 'Promise.prototype.then = function () { return this; }; return "x";',
    drive: async (arena) => {
      void arena.command("/attack");
    },
  },
  {
    id: "R55",
    title: "the prototype of a value of the host is the guest's",
    permissions: ["session:read"],
    command:
      "const list = ctx.sessionManager.getEntries(); return [Object.getPrototypeOf(list[0]) === Object.prototype, Object.getPrototypeOf(list) === Array.prototype];",
    says: /= \[true,true\]/,
  },
  {
    id: "R56",
    title: "a result with Date, Map, Set, RegExp and private fields",
    input:
      'return new (class { #p = 1; action = "continue"; d = new Date(0); m = new Map(); s = new Set(); r = /x/; })();',
    reports: [],
  },
  {
    id: "R57",
    title: "a deep throw with an unlimited stack",
    input:
      "Error.stackTraceLimit = Infinity; const f = (n) => { if (n === 0) throw new Error('deep'); f(n - 1); }; f(500);",
    reports: ["HOOK_FAILED"],
    check: ({ reports }) => {
      const lines = reports[0]?.stack?.split("\n").length ?? 0;
      if (reports.length !== 1 || lines > 31) throw new RangeError(`${lines} lines`);
    },
  },
  {
    id: "R58",
    title: "ten million Intl.NumberFormat in one turn",
    command: 'for (let i = 0; i < 1e7; i++) new Intl.NumberFormat("en");',
    fault: ["timeout", "rss", "oom", "stuck", "catastrophic"],
  },
  {
    id: "R59",
    title: "finalisation callbacks that never end",
    command:
      'const r = new FinalizationRegistry(() => { for (;;); }); for (let i = 0; i < 1e5; i++) r.register({ i }, i); return "registered";',
    says: /= registered/,
    fault: ["timeout", "stuck", "wedged"],
  },
  {
    id: "R60",
    title: "no fine clock",
    command:
      "const all = []; for (let i = 0; i < 1000; i++) all.push(performance.now()); return all.every(Number.isInteger);",
    says: /= true/,
  },
];
