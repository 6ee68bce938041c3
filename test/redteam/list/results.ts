import { expect } from "vitest";
import type { Attack } from "../attack.ts";
import type { Arena } from "../world.ts";

const laterRan = ({ ui }: Arena) => expect(ui.notes).toContain("C input");
const loud = ["HOOK_FAILED", "HOOK_RESULT_INVALID", "HOOK_TIMEOUT", "LIMIT_EXCEEDED"];

/** R10–R23: results and throws. */
export const RESULTS: readonly Attack[] = [
  {
    id: "R10",
    title: "a result with a getter that never ends",
    input: "return { get action() { for (;;); } };",
    fault: ["timeout"],
    reports: loud,
    check: laterRan,
  },
  {
    id: "R11",
    title: "a thenable that never settles",
    input: "return { then() {} };",
    reports: loud,
    check: laterRan,
  },
  {
    id: "R12",
    title: "a cyclic result is told with its path",
    input: 'const a = { action: "continue" }; a.self = { a }; return a;',
    reports: loud,
    check: (arena) => {
      laterRan(arena);
      expect(arena.reports.map(({ message }) => message).join()).toMatch(/self/);
    },
  },
  {
    id: "R13",
    title: "symbols, functions, undefined and NaN cross as JSON does",
    input: 'return { action: "continue", [Symbol("s")]: 1, f() {}, u: undefined, n: NaN };',
    reports: [],
    check: laterRan,
  },
  {
    id: "R14",
    title: "a Proxy as result is a plain copy of what it shows",
    input: `return new Proxy({ action: "continue" }, { get: (t, k) => Reflect.get(t, k), ownKeys: (t) => Reflect.ownKeys(t), getPrototypeOf: () => Array.prototype });`,
    reports: loud,
    check: laterRan,
  },
  {
    id: "R15",
    title: "a string of 100 MB as result",
    input: 'return { action: "transform", text: "x".repeat(1e8) };',
    reports: loud,
    check: (arena) => {
      laterRan(arena);
      expect(arena.reports.length).toBeGreaterThan(0);
      expect(JSON.stringify(arena.outcome ?? null).length).toBeLessThan(1000);
    },
  },
  {
    id: "R16",
    title: "an array nested a million deep as result",
    input: 'let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return { action: "continue", a };',
    reports: loud,
    check: (arena) => {
      laterRan(arena);
      expect(arena.reports.length).toBeGreaterThan(0);
    },
  },
  {
    id: "R17",
    title: "a handler whose promise never resolves",
    input: "return new Promise(() => {});",
    reports: ["HOOK_TIMEOUT"],
    check: (arena) => {
      laterRan(arena);
      expect(arena.reports.map(({ code }) => code)).toEqual(["HOOK_TIMEOUT"]);
    },
  },
  {
    id: "R18",
    open: "fails, and why is not known yet",
    title: "an answer after the deadline, and a second one",
    input: `return await new Promise((resolve) => setTimeout(() => { resolve({ action: "handled" }); resolve({ action: "handled" }); }, 2400));`,
    reports: ["HOOK_TIMEOUT"],
    check: (arena) => {
      laterRan(arena);
      expect(JSON.stringify(arena.outcome ?? null)).not.toContain("handled");
    },
  },
  {
    id: "R19",
    title: "a thrown Proxy whose traps never end",
    input:
      "const spin = () => { for (;;); }; throw new Proxy({}, { get: spin, has: spin, ownKeys: spin, getPrototypeOf: spin });",
    fault: ["timeout"],
    reports: loud,
    check: laterRan,
  },
  {
    id: "R20",
    title: "an unhandled rejection with an endless message getter",
    command: `const error = new Error("x"); Object.defineProperty(error, "message", { get() { for (;;); } }); Promise.reject(error); return "stands";`,
    says: /= stands$/,
    fault: ["stuck", "timeout", "wedged"],
  },
  {
    id: "R21",
    title: "a plain unhandled rejection",
    command: 'Promise.reject(new Error("nobody")); return "stands";',
    says: /= stands$/,
  },
  {
    id: "R22",
    title: "an error with terminal sequences and invented host frames",
    input: `const error = new Error("\\u001b]0;owned\\u0007\\u001b[2Jbad"); error.stack = "Error: bad\\n at host (/host/sandbox/sandbox.ts:1:1)\\n at ext:attacker:1:1"; throw error;`,
    reports: ["HOOK_FAILED"],
    check: ({ reports }) => {
      const text = JSON.stringify(reports.map(({ message, stack }) => [message, stack]));
      expect(reports).toHaveLength(1);
      expect(text).not.toMatch(/\\u001b|\\u0007|sandbox\.ts/);
    },
  },
  {
    id: "R23",
    title: "a symbol thrown at module level",
    module: 'throw Symbol("x"); export default () => {};',
    reports: ["EXTENSION_LOAD_FAILED"],
    check: ({ reports }) =>
      expect(reports.map(({ code }) => code)).toEqual(["EXTENSION_LOAD_FAILED"]),
  },
];
