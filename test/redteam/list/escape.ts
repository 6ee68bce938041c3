import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Attack } from "../attack.ts";

const WALK = `
  const seen = new Set(), found = [], todo = [api, ctx, globalThis, ctx.ui, ctx.sessionManager];
  while (todo.length > 0 && seen.size < 20000) {
    const one = todo.pop();
    if (one === null || (typeof one !== "object" && typeof one !== "function") || seen.has(one)) continue;
    seen.add(one);
    look(one, found);
    let keys = [];
    try { keys = Reflect.ownKeys(one); todo.push(Reflect.getPrototypeOf(one)); } catch {}
    for (const key of keys) { try { todo.push(one[key]); } catch {} }
  }
  return seen.size > 500 ? found : "too few: " + seen.size;`;

/** R01–R09: ways out of the isolate. */
export const ESCAPE: readonly Attack[] = [
  {
    id: "R01",
    title: "constructors of everything in reach give only the guest's realm",
    command: `const look = (one, found) => {
      if (typeof one !== "function") return;
      let made;
      try { made = one.constructor("return globalThis")(); } catch { return; }
      if (typeof made?.then === "function" || typeof made?.next === "function") return;
      if (made !== globalThis && made !== undefined && typeof made === "object" && made?.Object !== Object)
        found.push(String(one).slice(0, 40));
      for (const name of ["require", "module"]) if (made?.[name] !== undefined) found.push(name);
      if (made?.process?.binding !== undefined) found.push("process");
    };${WALK}`,
    says: /= \[\]$/,
    reports: ["NOT_SUPPORTED"],
  },
  {
    id: "R02",
    title: "no class of the engine and no unnamed native function is in reach",
    command: `const names = /^(Isolate|Context|Reference|ExternalCopy|Callback|NativeModule|Script|Module)$/;
    const look = (one, found) => {
      if (typeof one !== "function") return;
      let text, name;
      try { text = Function.prototype.toString.call(one); name = one.name; } catch { return; }
      if (names.test(name)) found.push(name);
      if (name === "" && one !== Function.prototype && /^function \\(\\) \\{ \\[native code\\] \\}$/.test(text)) found.push(text);
    };${WALK}`,
    says: /= \[\]$/,
  },
  {
    id: "R03",
    title: "stack-trace hooks see no function and no receiver of the prelude",
    command: `const found = [];
      Error.prepareStackTrace = (error, sites) => {
        for (const site of sites) {
          let run, that;
          try { run = site.getFunction(); that = site.getThis(); } catch {}
          const file = String(site.getFileName());
          if (!file.startsWith("ext:") && (run !== undefined || (that !== undefined && that !== globalThis)))
            found.push(file);
        }
        return "";
      };
      const evil = { get label() { void new Error().stack; return "x"; }, toJSON() { void new Error().stack; return 1; } };
      try { api.appendEntry("x", evil); } catch {}
      try { await ctx.ui.select("x", evil); } catch {}
      delete Error.prepareStackTrace;
      return found;`,
    says: /= \[\]$/,
    reports: ["PERMISSION_UNDECLARED", "NOT_SUPPORTED", "INVALID_ARGUMENT"],
  },
  {
    id: "R04",
    title: "toJSON on shared prototypes forges nobody's call",
    command: `Object.prototype.toJSON = () => ["forged"];
      Array.prototype.toJSON = () => ({ forged: true });
      try { await api.setSessionName({ a: 1 }); } catch {}
      delete Object.prototype.toJSON; delete Array.prototype.toJSON;
      return "done";`,
    says: /= done$/,
    reports: ["PERMISSION_UNDECLARED", "INVALID_ARGUMENT", "NOT_SUPPORTED"],
  },
  {
    id: "R05",
    title: "own keys __proto__ and constructor.prototype stay plain data",
    permissions: ["session:write"],
    command: `const evil = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
      try { await ctx.ui.select("x", [evil], evil); } catch {}
      return "done " + ({}).polluted;`,
    says: /= done undefined$/,
    reports: ["INVALID_ARGUMENT"],
    check: () => expect(Reflect.has({}, "polluted")).toBe(false),
  },
  {
    id: "R06",
    title: "a host call that fails tells no path, stack or class of the host",
    command: `const errors = [];
      for (const look of [() => ctx.switchSession("/nowhere/x.jsonl"), () => ctx.navigateTree("nothing"), () => ctx.fork("nothing")]) {
        try { await look(); } catch (error) { errors.push(error.code + " " + error.message + " " + JSON.stringify(error.details ?? {}) + error.stack); }
      }
      return errors.join(";");`,
    permissions: ["session:read", "session:navigate"],
    says: /= [A-Z_]+/,
    check: ({ said }) => {
      expect(said.join("")).not.toMatch(/\/host\/|node:|node_modules/);
      expect(said.join("")).not.toContain(process.cwd());
    },
    reports: ["PERMISSION_UNDECLARED"],
  },
  {
    id: "R07",
    title: "environment, arguments and runtime names are not on the global",
    command: `return ["require", "module", "Deno", "Bun", "__dirname", "__filename", "WebAssembly", "SharedArrayBuffer"]
      .filter((name) => typeof globalThis[name] !== "undefined")
      .concat(typeof process === "undefined" || process.pid === 1 ? [] : ["process"]);`,
    says: /= \[\]$/,
  },
  {
    id: "R08",
    title: "a builtin is its shim, and what has none is refused",
    top: `import * as vm from "node:vm"; import * as fs from "node:fs"; import { binding } from "node:process"; import process from "node:process";`,
    command: `const out = [typeof binding, typeof process.dlopen, process.pid];
      for (const look of [() => vm.runInThisContext("1"), () => fs.readFileSync("/etc/hostname", "utf8"), () => process.binding("fs")]) {
        try { out.push("got " + look()); } catch (error) { out.push(error.code ?? error.name); }
      }
      return out.join(" ");`,
    reports: ["NOT_SUPPORTED"],
    says: /= (?!.*got )/,
  },
  {
    id: "R09",
    title: "an import of a link that points outside is a build error",
    module: `import { secret } from "./inside.ts"; export default (api) => api.registerCommand("attack", { handler: (a, ctx) => ctx.ui.notify("A " + secret) });`,
    prepare: (folder) => {
      writeFileSync(join(folder, "..", "secret.ts"), 'export const secret = "SECRET";');
      symlinkSync(join(folder, "..", "secret.ts"), join(folder, "inside.ts"));
    },
    reports: ["EXTENSION_LOAD_FAILED"],
    check: ({ reports, said }) => {
      expect(reports.map(({ code }) => code)).toEqual(["EXTENSION_LOAD_FAILED"]);
      expect(JSON.stringify([reports, said])).not.toContain("SECRET");
    },
  },
];
