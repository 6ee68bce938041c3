import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { onTestFinished } from "vitest";
import { type CompiledPackage, compilePackage } from "../../host/sandbox/compile/index.ts";
import { type GuestSettings, globalsOf, moduleTexts } from "../../host/sandbox/shims/index.ts";

export type Files = Readonly<Record<string, string>>;
export type Exports = Record<string, never> & { readonly default: never };

/** A package folder that is gone after the test. Gives its real path. */
export function packageFolder(files: Files): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "coppice-package-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

export function compile(root: string, ...entries: string[]): Promise<CompiledPackage> {
  return compilePackage({
    id: "sample",
    root,
    entries: entries.length > 0 ? entries : ["index.ts"],
  });
}

export interface Guest {
  readonly require: (name: string) => Record<string, never>;
  readonly log: string[];
  readonly reports: string[];
  evaluate(text: string, fileName?: string): unknown;
}

/** A realm with the host's modules and no more, as an isolate has it. */
export async function guestWith(
  modules: readonly string[],
  settings: Partial<GuestSettings> = {},
): Promise<Guest> {
  const texts = await moduleTexts(["coppice:globals", ...modules]);
  const context = createContext({
    console,
    setTimeout,
    clearTimeout,
    setImmediate,
    queueMicrotask,
  });
  runInContext(REMOVE, context);
  const [log, reports]: [string[], string[]] = [[], []];
  const values: GuestSettings = {
    ...FIXED,
    log: (level, text) => log.push(`${level} ${text}`),
    report: ({ message }) => reports.push(message),
    ...settings,
  };
  const made = new Map<string, unknown>();
  const require = (name: string): Record<string, never> => {
    const text = texts.get(name);
    if (text === undefined) throw Object.assign(new Error(name), { code: "MODULE_NOT_FOUND" });
    if (!made.has(name))
      made.set(name, runInContext(text, context, { filename: name })(require, values));
    return made.get(name) as Record<string, never>;
  };
  Object.assign(context, { global: context }, require("coppice:globals"));
  for (const [name, module] of Object.entries(globalsOf(modules))) {
    const exports = require(module);
    context[name] = name in exports ? exports[name] : exports;
  }
  const evaluate = (text: string, fileName = "test") =>
    runInContext(text, context, { filename: fileName });
  return { require, log, reports, evaluate };
}

/** What the prelude takes away before any text runs. */
const REMOVE = `
  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics"]) delete globalThis[name];
  for (const name of ["resize", "transfer", "transferToFixedLength", "maxByteLength", "resizable"])
    delete ArrayBuffer.prototype[name];
`;

const FIXED: GuestSettings = {
  platform: "linux",
  arch: "x64",
  nodeVersion: "v20.11.0",
  coppiceVersion: "1.2.3",
  cwd: "/project",
  home: "/home/person",
  tmp: "/tmp/sample",
  root: "/package",
  agentDir: "/data/agent",
  columns: 80,
  rows: 24,
  env: { HOME: "/home/person" },
  seed: "5a".repeat(32),
  now: () => 1_700_000_000_000,
  log: () => undefined,
  report: () => undefined,
  host: {},
};

/** Runs a compiled package; gives the namespaces of its entries. */
export async function run(
  compiled: CompiledPackage,
  root: string,
  guest?: Guest,
): Promise<Exports[]> {
  const { require, evaluate } = guest ?? (await guestWith(compiled.modules));
  const start = evaluate(compiled.code, "ext:sample") as (
    require: unknown,
    root: string,
  ) => Promise<Exports[]>;
  return await start(require, root);
}

/** Compiles and runs the package with these files; gives the namespace of its one entry. */
export async function load(files: Files, entry = Object.keys(files)[0] ?? ""): Promise<Exports> {
  const root = packageFolder(files);
  const [namespace] = await run(await compile(root, entry), root);
  return namespace as Exports;
}
