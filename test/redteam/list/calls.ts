import { expect } from "vitest";
import type { Attack } from "../attack.ts";
import { until } from "../world.ts";

const TODAY = "no file system and no network in the sandbox yet: nothing is read or asked";

/** R40–R49: calls, contexts, capabilities. */
export const CALLS: readonly Attack[] = [
  {
    id: "R40",
    title: "a million host calls in one turn",
    command: `let n = 0; try { for (; n < 1e6; n++) ctx.waitForIdle().catch(() => {}); } catch (error) { return error.code + " " + n; } return await Promise.race([ctx.waitForIdle()]);`,
    says: /LIMIT_EXCEEDED/,
    fault: ["timeout"],
  },
  {
    id: "R41",
    title: "a million log lines",
    command: 'for (let i = 0; i < 1e5; i++) console.log("line " + i); return "logged";',
    limits: { sliceMs: 5000 },
    says: /= logged$/,
  },
  {
    id: "R42",
    limits: { sliceMs: 5000 },
    title: "an argument of 16 MB",
    command: 'return await ctx.ui.input("x".repeat(16e6));',
    says: /LIMIT_EXCEEDED/,
  },
  {
    id: "R43",
    title: "a context saved by one command and used by the next",
    top: "let saved;",
    command: `const first = saved; saved = ctx; if (!first) return "saved"; try { await first.navigateTree(first.sessionManager.getHeader?.().id ?? "x"); return "moved"; } catch (error) { return error.code; }`,
    permissions: ["session:read", "session:navigate"],
    drive: async (arena) => {
      await arena.command("/attack");
      await arena.command("/attack");
    },
    says: /= saved\n.*[A-Z_]{6,}/,
    reports: ["PERMISSION_UNDECLARED"],
  },
  {
    id: "R44",
    title: "a command's context used from a timer to move the leaf",
    command: `setTimeout(async () => { try { await ctx.navigateTree("${"u2"}"); } catch {} ctx.ui.notify("A late"); }, 10); return "set";`,
    permissions: ["session:read"],
    says: /A late/,
    reports: ["PERMISSION_UNDECLARED"],
  },
  {
    id: "R45",
    title: "100,000 handlers with invented event names",
    module: `export default (api) => { for (let i = 0; i < 1e5; i++) api.on("invented" + i, () => {}); };`,
    reports: [
      "EXTENSION_LOAD_FAILED",
      "LIMIT_EXCEEDED",
      "EVENT_UNKNOWN",
      "NOT_SUPPORTED",
      "INVALID_ARGUMENT",
    ],
  },
  {
    id: "R46",
    title: "an interval that goes on after unload",
    command: 'setInterval(() => ctx.ui.notify("A tick"), 10); return "set";',
    drive: async (arena) => {
      await arena.command("/attack");
      await until(() => expect(arena.said.length).toBeGreaterThan(1));
      arena.unload();
      const count = arena.said.length;
      for (let i = 0; i < 3; i++) await arena.canary();
      expect(arena.said).toHaveLength(count);
    },
  },
  {
    id: "R47",
    title: "an abort listener that never ends",
    input: `ctx.signal; await new Promise((_, reject) => { const c = new AbortController(); c.signal.addEventListener("abort", () => { for (;;); }); setTimeout(() => c.abort(), 1); });`,
    fault: ["timeout"],
    reports: ["HOOK_TIMEOUT", "HOOK_FAILED"],
  },
  {
    id: "R48",
    title: "reads by every spelling of a path outside",
    note: TODAY,
    top: 'import * as fs from "node:fs"; import * as later from "node:fs/promises";',
    command: `const out = [];
      for (const path of ["../canary/index.ts", "/etc/passwd", "a\\0b", "..\\\\x", "/proc/self/root/etc/passwd", "/", "index.ts"]) {
        for (const look of [() => fs.readFileSync(path, "utf8"), () => later.readFile(path), () => fs.readdirSync(path), () => fs.existsSync(path) || undefined]) {
          try { const got = await look(); if (got !== undefined) out.push("got " + path); } catch (error) { if (error.code === undefined) out.push(String(error)); }
        }
      }
      return out;`,
    says: /= \[\]$/,
    reports: ["NOT_SUPPORTED", "SYNC_LANE"],
  },
  {
    id: "R49",
    title: "requests to loopback in every notation",
    note: TODAY,
    command: `const out = [];
      for (const url of ["http://127.0.0.1:9", "http://2130706433", "http://0x7f.1", "http://[::1]", "http://169.254.169.254", "file:///etc/passwd", "http://a@127.0.0.1", "http://localhost."]) {
        try { await fetch(url); out.push("got " + url); } catch (error) { if (error.code !== "NOT_SUPPORTED") out.push(error.code + " " + error.message); }
      }
      return out;`,
    says: /= \[\]$/,
    reports: ["NOT_SUPPORTED"],
  },
];
