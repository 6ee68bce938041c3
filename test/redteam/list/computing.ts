import { expect } from "vitest";
import type { Attack } from "../attack.ts";
import type { Arena } from "../world.ts";
import { until } from "../world.ts";

const crashes = ({ reports }: Arena) => reports.filter(({ code }) => code === "EXTENSION_CRASHED");

/** R24–R33: computing without end. */
export const COMPUTING: readonly Attack[] = [
  {
    id: "R24",
    title: "an endless loop at module level",
    module: "for (;;); export default () => {};",
    reports: ["EXTENSION_LOAD_FAILED"],
    check: ({ reports }) =>
      expect(reports.map(({ code }) => code)).toEqual(["EXTENSION_LOAD_FAILED"]),
  },
  {
    id: "R25",
    title: "an endless loop in a handler; it starts again after its rest",
    command: "for (;;);",
    fault: ["timeout"],
    drive: async (arena) => {
      await arena.command("/attack");
      await until(() => expect(crashes(arena)).toHaveLength(1));
      expect(crashes(arena)[0]?.message).toContain("again in 1 s");
      arena.elapse();
      const names = () => arena.session.runtime.commands.all().map(({ name }) => name);
      await until(() => expect(names()).toContain("attack"));
    },
  },
  {
    id: "R26",
    title: "an endless loop after an awaited host call",
    command: "await ctx.waitForIdle(); for (;;);",
    fault: ["timeout"],
  },
  {
    id: "R27",
    title: "a microtask that queues itself",
    command: "const f = () => queueMicrotask(f); f(); await new Promise(() => {});",
    fault: ["timeout", "stuck"],
  },
  {
    id: "R28",
    open: "fails, and why is not known yet",
    title: "a search that the engine cannot interrupt",
    command: "return [].indexOf.call({ length: 2 ** 53 - 1 }, 1);",
    fault: ["wedged"],
  },
  {
    id: "R29",
    title: "a regular expression with exponential backtracking",
    command: 'return /^(a+)+$/.test("a".repeat(60) + "b");',
    fault: ["timeout"],
  },
  {
    id: "R30",
    title: "a stack overflow",
    command: "const f = () => f() + 1; try { f(); } catch (error) { return error.name; }",
    says: /= RangeError$/,
  },
  {
    id: "R31",
    title: "a million timers",
    command: "let n = 0; for (; n < 1e6; n++) setTimeout(() => {}, 0);",
    says: /LIMIT_EXCEEDED.*200/,
  },
  {
    id: "R32",
    title: "a timer callback that never ends",
    command: 'setTimeout(() => { for (;;); }, 0); return "set";',
    fault: ["timeout"],
  },
  {
    id: "R33",
    title: "Atomics.wait on shared memory",
    command: "return [typeof Atomics, typeof SharedArrayBuffer];",
    says: /\["undefined","undefined"\]/,
  },
];
