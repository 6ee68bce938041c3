import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Attack } from "../attack.ts";
import { until } from "../world.ts";

const SEQUENCES = String.raw`\u001b[2J\u001b]52;c;AAAA\u0007\u202e\u0000\u009b31m\r\nforged`;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;

/** Kinds of attack beyond the list. */
export const MORE: readonly Attack[] = [
  {
    id: "X01",
    open: "fails, and why is not known yet",
    title: "terminal sequences in a notice",
    command: `ctx.ui.notify("A ${SEQUENCES}"); return "x";`,
    says: /= x/,
    check: ({ said }) => expect(said.join("")).not.toMatch(controls),
  },
  {
    id: "X02",
    title: "terminal sequences in the name of a command",
    module: `export default (api) => { try { api.registerCommand("${SEQUENCES}", { handler() {} }); } catch {} };`,
    reports: ["INVALID_ARGUMENT", "EXTENSION_LOAD_FAILED", "NAME_INVALID"],
    check: ({ session }) =>
      expect(
        session.runtime.commands
          .all()
          .map(({ name }) => name)
          .join(""),
      ).not.toMatch(controls),
  },
  {
    id: "X03",
    title: "the name of another package's command",
    module: `export default (api) => api.registerCommand("canary", { handler: (a, ctx) => ctx.ui.notify("A stolen") });`,
    reports: ["NAME_TAKEN"],
    isLast: true,
    check: ({ said }) => expect(said).toEqual([]),
  },
  {
    id: "X04",
    title: "a hundred thousand commands",
    module: `export default (api) => { for (let i = 0; i < 1e5; i++) api.registerCommand("c" + i, { handler() {} }); };`,
    reports: ["EXTENSION_LOAD_FAILED", "LIMIT_EXCEEDED"],
    check: ({ session }) => expect(session.runtime.commands.all().length).toBeLessThan(102),
  },
  {
    id: "X05",
    title: "a description of a million characters",
    module: `export default (api) => api.registerCommand("attack", { description: "x".repeat(1e6), handler() {} });`,
    reports: ["EXTENSION_LOAD_FAILED", "INVALID_ARGUMENT", "LIMIT_EXCEEDED"],
    check: ({ session }) =>
      expect(
        JSON.stringify(session.runtime.commands.all().map(({ name }) => name)).length,
      ).toBeLessThan(200),
  },
  {
    id: "X06",
    title: "a Proxy as definition of a command",
    module: `export default (api) => api.registerCommand("attack", new Proxy({ handler: (a, ctx) => ctx.ui.notify("A proxied") }, { get: (t, k) => { if (k === "description") throw new Error("trap"); return t[k]; } }));`,
    reports: ["EXTENSION_LOAD_FAILED"],
  },
  {
    id: "X07",
    title: "a Proxy whose traps never end as definition of a tool",
    module: `const spin = () => { for (;;); }; export default (api) => api.registerTool(new Proxy({}, { get: spin, ownKeys: spin, has: spin }));`,
    reports: ["EXTENSION_LOAD_FAILED"],
    check: ({ reports }) => expect(reports.length).toBeGreaterThan(0),
  },
  {
    id: "X08",
    open: "fails, and why is not known yet",
    title: "a thenable as a handler's result that answers twice",
    input: 'return { then(done) { done({ action: "continue" }); done({ action: "handled" }); } };',
    check: ({ outcome }) => expect(JSON.stringify(outcome ?? null)).not.toContain("handled"),
  },
  {
    id: "X09",
    open: "fails, and why is not known yet",
    title: "a thenable that resolves with itself",
    input: "const t = { then(done) { done(t); } }; return t;",
    fault: ["timeout", "stuck"],
    reports: ["HOOK_TIMEOUT"],
  },
  {
    id: "X10",
    title: "prototype pollution by the details of an error",
    input: `throw Object.assign(new Error("x"), { code: "X", details: JSON.parse('{"__proto__":{"polluted":1}}') });`,
    reports: ["HOOK_FAILED"],
    check: () => expect(Reflect.has({}, "polluted")).toBe(false),
  },
  {
    id: "X11",
    title: "a code of the host forged by the guest",
    input: `throw Object.assign(new Error("no"), { code: "SESSION_LOCKED" });`,
    reports: ["HOOK_FAILED"],
    check: ({ reports }) => expect(reports.map(({ code }) => code)).toEqual(["HOOK_FAILED"]),
  },
  {
    id: "X12",
    title: "names of the object prototype as names of commands",
    module: `export default (api) => { for (const name of ["constructor", "toString", "hasOwnProperty", "valueOf"]) try { api.registerCommand(name, { handler: (a, ctx) => ctx.ui.notify("A " + name) }); } catch {} };`,
    reports: ["INVALID_ARGUMENT", "EXTENSION_LOAD_FAILED"],
  },
  {
    id: "X13",
    title: "a hard link to a file outside the package",
    top: 'import { word } from "./linked.ts";',
    command: "return word;",
    prepare: (folder) => {
      writeFileSync(join(folder, "..", "outside.ts"), 'export const word = "shared";');
      linkSync(join(folder, "..", "outside.ts"), join(folder, "linked.ts"));
    },
    says: /= shared/,
    note: "a hard link is a file of the package: whoever may write there could have copied it",
  },
  {
    id: "X14",
    title: "a linked folder that leads outside",
    module: 'import x from "./out/index.ts"; export default x;',
    prepare: (folder) => symlinkSync(join(folder, "..", "canary"), join(folder, "out")),
    reports: ["EXTENSION_LOAD_FAILED"],
    check: ({ reports }) =>
      expect(reports.map(({ code }) => code)).toEqual(["EXTENSION_LOAD_FAILED"]),
  },
  {
    id: "X15",
    title: "a link swapped after the package was loaded",
    command: 'return (await import("./late.ts")).default;',
    files: { "late.ts": 'export default "first";' },
    says: /= first/,
  },
  {
    id: "X16",
    title: "an install script in the manifest",
    command: 'return "ran";',
    files: {
      "package.json": JSON.stringify({
        name: "attacker",
        version: "1.0.0",
        type: "module",
        scripts: { install: "touch ../INSTALLED", prepare: "touch ../INSTALLED" },
        coppice: { extensions: ["./index.ts"] },
      }),
    },
    says: /= ran/,
    check: (arena) => expect(JSON.stringify(arena.state())).not.toContain("INSTALLED"),
  },
  {
    id: "X17",
    title: "a context made by hand with another's key",
    command: `const forged = Object.assign(Object.create(Object.getPrototypeOf(ctx)), ctx, { key: "1", isCommand: true, n: 1 }); try { await forged.navigateTree?.("x"); return "moved"; } catch (error) { return error.code ?? error.name; }`,
    says: /= (?!moved)/,
    reports: ["NOT_SUPPORTED", "PERMISSION_UNDECLARED"],
  },
  {
    id: "X18",
    title: "questions by the thousand",
    command:
      'let n = 0; try { for (; n < 1e5; n++) ctx.ui.input("q" + n).catch(() => {}); } catch (error) { return error.code; }',
    says: /LIMIT_EXCEEDED/,
    fault: ["timeout"],
  },
  {
    id: "X19",
    open: "fails, and why is not known yet",
    title: "notices by the hundred thousand",
    command:
      'try { for (let i = 0; i < 1e5; i++) ctx.ui.notify("A n" + i); } catch (error) { return error.code; }',
    fault: ["timeout"],
    check: ({ said }) => expect(said.length).toBeLessThanOrEqual(2001),
    drive: async (arena) => {
      await arena.command("/attack");
      await until(() => expect(arena.said.length + arena.reports.length).toBeGreaterThan(0));
    },
    says: /A n1/,
    reports: ["LIMIT_EXCEEDED", "COMMAND_FAILED", "HOOK_FAILED"],
  },
  {
    id: "X20",
    title: "a label with a line feed and sequences, without the grant",
    command: `try { await api.setLabel("u1", "${SEQUENCES}"); } catch (error) { return error.code; } return "asked";`,
    says: /= \w+/,
    reports: ["PERMISSION_UNDECLARED", "ENTRY_NOT_FOUND", "INVALID_ARGUMENT"],
  },
  {
    id: "X21",
    title: "an entry, without the grant",
    command: `try { await api.appendEntry("x", { a: 1 }); } catch (error) { return error.code; } return "asked";`,
    says: /= \w+/,
    reports: ["PERMISSION_UNDECLARED"],
  },
  {
    id: "X22",
    title: "module code that replaces the host's modules",
    command:
      'globalThis.require = () => ({}); globalThis.$prelude = {}; globalThis.$0 = 1; ctx.ui.notify("A works"); return "x";',
    says: /A works/,
  },
];
