import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { cruise, type IConfiguration, type ICruiseResult } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(import.meta.url);
const folders = ["core", "host", "tui", "extensions", "examples", "test"];
const rules: IConfiguration = require("../../.dependency-cruiser.cjs");
const runtimeRules: IConfiguration = require("../../.dependency-cruiser.runtime.cjs");

const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const packages = [
  ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
  ...["esbuild", "semver", "vitest"],
];

/** Files that keep every rule: what the planted ones import, and imports that are allowed. */
const lawful = {
  "host/n.ts": `import type { O } from "./far/o.ts"; export type N = O | 1;`,
  "host/far/o.ts": `export type O = 2;`,
  "core/index.ts": `export { tree } from "./tree.ts";`,
  "core/tree.ts": `export const tree = 1;`,
  "host/index.ts": `import "../core/index.ts"; import "./hooks.ts"; export const host = 1;`,
  "host/api.ts": `export const api = 1;`,
  "host/ai.ts": `export const ai = 1;`,
  "host/testing.ts": `export const testing = 1;`,
  "host/components/index.ts": `export const components = 1;`,
  "host/hooks.ts": `import "tapable"; import "node:fs";`,
  "host/load-trusted.ts": `import "jiti";`,
  "host/sandbox/entry.ts": `import "jiti";`,
  "host/sandbox/compile/a.ts": `import "@babel/parser"; import "enhanced-resolve"; import "esbuild";`,
  "host/sandbox/shims/guest/text.ts": `import "vitest";`,
  "host/packages/scan.ts": `import "@babel/parser"; import "semver";`,
  "host/tools-validate.ts": `import "typebox/schema";`,
  "host/storage/lock.ts": `import "proper-lockfile";`,
  "host/text/width.ts": `import "get-east-asian-width";`,
  "tui/main.ts": `import "../host/index.ts"; import "../core/index.ts"; import "commander";`,
  "tui/screen.ts": `import "blessed";`,
  "extensions/anthropic/package.json": `{ "dependencies": { "@anthropic-ai/sdk": "1" } }`,
  "extensions/anthropic/index.ts": `import "@anthropic-ai/sdk"; import "./models.ts"; import "coppice/ai";`,
  "extensions/anthropic/models.ts": `import type { api } from "coppice"; export type A = typeof api;`,
  "examples/tour.ts": `import "coppice"; import "coppice/core"; import "coppice/tui"; import "node:fs";`,
  "examples/headless.ts": `import { host } from "coppice/host"; export { host };`,
  "host/pair/a.ts": `import type { B } from "./b.ts"; export type A = B | 1;`,
  "host/pair/b.ts": `import type { A } from "./a.ts"; export type B = A | 2;`,
  "test/all.test.ts": `import "../core/tree.ts"; import "vitest";`,
};

/** One violation each: the file that breaks the rule, its text, what it must not import. */
const planted: readonly (readonly [rule: string, from: string, text: string, to: string])[] = [
  ["core-is-pure", "core/a.ts", `import "../host/index.ts";`, "host/index.ts"],
  ["core-is-pure", "core/b.ts", `import "node:fs";`, "fs"],
  ["core-is-pure", "core/c.ts", `import type {} from "tapable";`, "tapable"],
  ["host-enters-core-by-its-door", "host/a.ts", `import "../core/tree.ts";`, "core/tree.ts"],
  ["host-knows-no-screen-and-no-extension", "host/b.ts", `import "../tui/main.ts";`, "tui/main.ts"],
  [
    "host-knows-no-screen-and-no-extension",
    "host/c.ts",
    `export const load = () => import("../extensions/anthropic/models.ts");`,
    "extensions/anthropic/models.ts",
  ],
  ["tui-enters-by-the-doors", "tui/a.ts", `import "../host/hooks.ts";`, "host/hooks.ts"],
  ["tui-enters-by-the-doors", "tui/b.ts", `import "../core/tree.ts";`, "core/tree.ts"],
  ["tui-knows-no-extension", "tui/c.ts", `import "../examples/tour.ts";`, "examples/tour.ts"],
  ["names-are-for-extensions", "host/d.ts", `import "coppice/core";`, "core/index.ts"],
  [
    "extensions-import-names-only",
    "extensions/x/a.ts",
    `import "../../core/index.ts";`,
    "core/index.ts",
  ],
  ["extensions-import-known-names", "extensions/x/b.ts", `import "coppice/host";`, "host/index.ts"],
  ["extensions-import-known-names", "examples/a.ts", `import "coppice/host";`, "host/index.ts"],
  [
    "extensions-import-names-only",
    "examples/headless.ts",
    `import "../host/index.ts";`,
    "host/index.ts",
  ],
  [
    "extensions-stand-alone",
    "extensions/x/c.ts",
    `import "../anthropic/models.ts";`,
    "extensions/anthropic/models.ts",
  ],
  ["extensions-stand-alone", "examples/b.ts", `import "./tour.ts";`, "examples/tour.ts"],
  ["extensions-declare-their-packages", "extensions/x/d.ts", `import "vitest";`, "vitest"],
  ["program-uses-its-own-packages", "tui/d.ts", `import "vitest";`, "vitest"],
  ["nothing-imports-tests", "host/e.ts", `import "../test/all.test.ts";`, "test/all.test.ts"],
  ["blessed-has-one-home", "tui/e.ts", `import "blessed";`, "blessed"],
  ["commander-has-one-home", "host/f.ts", `import "commander";`, "commander"],
  ["tapable-has-one-home", "host/g.ts", `import type {} from "tapable";`, "tapable"],
  ["jiti-has-one-home", "host/h.ts", `import "jiti";`, "jiti"],
  ["proper-lockfile-has-one-home", "host/i.ts", `import "proper-lockfile";`, "proper-lockfile"],
  [
    "get-east-asian-width-has-one-home",
    "tui/f.ts",
    `import "get-east-asian-width";`,
    "get-east-asian-width",
  ],
  ["babel-parser-has-one-home", "host/u.ts", `import "@babel/parser";`, "@babel/parser"],
  ["semver-has-one-home", "host/v.ts", `import "semver";`, "semver"],
  ["typebox-has-one-home", "host/x.ts", `import "typebox/schema";`, "typebox"],
  ["enhanced-resolve-has-one-home", "host/w.ts", `import "enhanced-resolve";`, "enhanced-resolve"],
  ["isolated-vm-has-one-home", "host/j.ts", `import "isolated-vm";`, "isolated-vm"],
  [
    "isolated-vm-has-one-home",
    "host/k.ts",
    `import "coppice-engine-node20";`,
    "coppice-engine-node20",
  ],
  ["esbuild-has-one-home", "host/l.ts", `import "esbuild";`, "esbuild"],
  [
    "anthropic-ai-sdk-has-one-home",
    "host/m.ts",
    `import "@anthropic-ai/sdk";`,
    "@anthropic-ai/sdk",
  ],
  [
    "type-cycles-stay-in-a-folder",
    "host/far/o.ts",
    `import type { N } from "../n.ts"; export type O = N | 2;`,
    "host/n.ts",
  ],
  ["imports-resolve", "host/p.ts", `import "./gone.ts";`, "./gone.ts"],
];

/** `q` → `r` → `s` → `q` waits for itself; in front of it stands `q` → `r` ⇢ `t` ⇢ `q`, of types. */
const plantedCycle = {
  "host/q.ts": `import { r } from "./r.ts"; export const q = (): number => r();`,
  "host/r.ts": `import type { t } from "./t.ts"; import { s } from "./s.ts";
    export const r = (a?: typeof t): number => s(a);`,
  "host/s.ts": `import { q } from "./q.ts"; export const s = (_: unknown): number => q();`,
  "host/t.ts": `import type { q } from "./q.ts"; export const t = (f: typeof q) => f;`,
};

/** Runs as the command does, in `base`: names of packages are looked up from the current folder. */
async function violations(base: string, config: IConfiguration): Promise<ICruiseResult> {
  process.chdir(base);
  const options = { ...config.options, baseDir: base, ruleSet: config, validate: true };
  const tsConfig = extractTSConfig(path.join(base, "tsconfig.json"));
  const resolution = config.options?.enhancedResolveOptions;
  const result = await cruise(folders, options, resolution, { tsConfig });
  return result.output as ICruiseResult;
}

function found(result: ICruiseResult): string[] {
  return result.summary.violations
    .map(({ rule, from, to }) => `${rule.name}: ${from} → ${packageName(to)}`)
    .sort();
}

function packageName(resolved: string): string {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(resolved)?.[1] ?? resolved;
}

function sourcesUnder(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.posix.join(folder, file));
}

describe("the dependency rules", () => {
  let base = "";

  function write(file: string, text: string): void {
    const target = path.join(base, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, `${text}\n`);
  }

  beforeAll(() => {
    base = realpathSync(mkdtempSync(path.join(tmpdir(), "coppice-arrows-")));
    for (const file of ["tsconfig.json", "tsconfig.base.json"]) {
      write(file, readFileSync(path.join(root, file), "utf8"));
    }
    const dependencies = { ...manifest.dependencies, esbuild: "*" };
    write("package.json", JSON.stringify({ ...manifest, dependencies }));
    for (const name of packages) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0" }));
      write(`node_modules/${name}/index.js`, "");
    }
  });

  afterAll(() => {
    process.chdir(root);
    rmSync(base, { recursive: true, force: true });
  });

  test("allow what the architecture allows", async () => {
    for (const [file, text] of Object.entries(lawful)) write(file, text);
    expect(found(await violations(base, rules))).toEqual([]);
    expect(found(await violations(base, runtimeRules))).toEqual([]);
  });

  test("find each planted violation, and nothing else", async () => {
    write("extensions/x/package.json", `{ "dependencies": {} }`);
    for (const [, file, text] of planted) write(file, text);
    const expected = planted.map(([rule, from, , to]) => `${rule}: ${from} → ${to}`);
    expect(found(await violations(base, rules))).toEqual(expected.sort());
  });

  test("find a cycle at run time that hides behind a cycle of types", async () => {
    for (const [file, text] of Object.entries(plantedCycle)) write(file, text);
    const cycles = found(await violations(base, runtimeRules));
    expect(cycles).toEqual(["no-runtime-cycle: host/q.ts → host/r.ts"]);
  });

  test("are each broken by a planted violation", () => {
    const names = rules.forbidden?.map(({ name }) => name) ?? [];
    expect([...new Set(planted.map(([rule]) => rule))].sort()).toEqual([...names].sort());
    expect(runtimeRules.forbidden?.map(({ name }) => name)).toEqual(["no-runtime-cycle"]);
  });

  test("give every package that ships one home", () => {
    const homes = rules.forbidden?.filter(({ name }) => name?.endsWith("-has-one-home")) ?? [];
    const shipped = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    const homeless = shipped.filter(
      (name) => !homes.some(({ comment }) => comment?.includes(name)),
    );
    expect(homeless).toEqual([]);
  });

  test("see every module of the project", async () => {
    const result = await violations(root, rules);
    const seen = new Set(result.modules.map(({ source }) => source));
    const sources = folders.flatMap(sourcesUnder);
    expect(sources.length).toBeGreaterThan(20);
    expect(sources.filter((file) => !seen.has(file))).toEqual([]);
  });
});
