import { isBuiltin } from "node:module";
import { GLOBAL_MODULES } from "../shims/global-names.ts";
import { identifierOf, type ModuleValue } from "./module-values.ts";
import { type Findings, PACKAGE, REGISTRY } from "./plugin.ts";

/** Modules of the host that are needed where a name occurs: what is global, and what is large. */
const NAMED: Readonly<Record<string, string>> = {
  ...GLOBAL_MODULES,
  DynamicBorder: "coppice:components",
  BorderedLoader: "coppice:components",
  CustomEditor: "coppice:components",
  parseFrontmatter: "coppice:yaml",
};
const NAMES = new RegExp(`(?<![\\w$])(?:${Object.keys(NAMED).join("|")})(?![\\w$])`, "g");
const ASKED = /\$require\("([^"]+)"\)/g;
const STRINGS = /["'`](?:node:)?([a-z_]+(?:\/[a-z]+)?)["'`]/g;

/** The module that imports all entries and hands out their namespaces. */
export function entrySource(entries: readonly string[], hasRegistry: boolean): string {
  const imports = entries.map(
    (entry, i) => `import * as $${i} from ${JSON.stringify(`./${entry}`)};`,
  );
  const registry = hasRegistry ? [`import ${JSON.stringify(REGISTRY)};`] : [];
  const names = entries.map((_, i) => `$${i}`);
  return [
    ...registry,
    ...imports,
    `$entries.push(${names.map((name) => `$entry(${name})`).join(", ")});`,
  ].join("\n");
}

/** An entry that was compiled to CommonJS: what it exports stands for it. */
const ENTRY = `const $entry = (entry) => typeof entry.default === "function" || typeof entry.default?.default !== "function" ? entry : entry.default;`;

/** The table for computed imports: the package's own modules, and npm packages by their names. */
export function registrySource(
  { modules, bareNames, required }: Findings,
  { isEsmRequired }: { isEsmRequired: boolean },
): string {
  const own = [...modules.keys()].filter((name) => !name.split("/").includes("node_modules"));
  const names = [...new Set([...own, ...bareNames.values(), ...required])].sort();
  const rows = names.map((name) => {
    const path = JSON.stringify(`./${name}`);
    const canRequire = isEsmRequired || /\.(?:cjs|cts|json)$/.test(name);
    const request = canRequire ? `, require: () => require(${path})` : "";
    return `${JSON.stringify(name)}: { import: () => import(${path})${request} },`;
  });
  const bare = JSON.stringify(Object.fromEntries(bareNames));
  return `$package.register({\n${rows.join("\n")}\n}, ${bare});`;
}

/** The compiled code as an async function, with the values of its modules before it. */
export function wrap(
  code: string,
  findings: Findings,
): { readonly code: string; readonly modules: readonly string[]; readonly lines: number } {
  const values = [...findings.modules].flatMap(([name, { number, uses }]) =>
    uses.map((value) => valueSource(name, number, value)),
  );
  const isPlaced = values.length > 0 || findings.isComputed || findings.hostModules.has("module");
  const head = [
    `(async function (require, $root) {"use strict"; const $entries = [], $hosts = new WeakSet();`,
    `const $require = (name) => { const module = require(name); if (Object(module) === module) $hosts.add(module); return module; };`,
    ENTRY,
    isPlaced ? `const $package = $require("coppice:package").open($root);${values.join("")}` : "",
  ];
  const script = `${head.join("\n")}\n${withNodeDefaults(code)}\nreturn $entries;\n})\n`;
  return { code: script, modules: namedModules(script, findings), lines: head.length };
}

/**
 * Modules that the script names: by an import, by a global, and for imports that only show at run time by
 * any text that could be one.
 */
function namedModules(script: string, { isComputed }: Findings): readonly string[] {
  const modules = new Set<string>();
  for (const [, name = ""] of script.matchAll(ASKED)) modules.add(name);
  for (const [name] of script.matchAll(NAMES)) modules.add(NAMED[name] ?? name);
  if (isComputed) {
    for (const [, name = ""] of script.matchAll(STRINGS)) if (isBuiltin(name)) modules.add(name);
  }
  return [...modules].sort();
}

function valueSource(name: string, number: number, value: ModuleValue): string {
  return `const ${identifierOf(value, number)} = $package.${value}(${JSON.stringify(name)});`;
}

/**
 * The map moved down by some lines, its files named relative to the package. Changed as text: a large
 * one takes long to parse.
 */
export function shiftMap(map: string, lines: number): string {
  return map
    .replaceAll(new RegExp(`(?<!\\\\)"${PACKAGE}:`, "g"), '"')
    .replace(/"mappings":\s*"/, (start) => start + ";".repeat(lines));
}

const INTEROP = "var __toESM = (mod, isNodeMode, target) => (";

/**
 * The default export of a CommonJS module is what it exports, as in Node and with jiti, whether or not
 * it was compiled from ES modules; modules of the host have default exports of their own.
 */
function withNodeDefaults(code: string): string {
  return code.replace(INTEROP, `${INTEROP}isNodeMode ||= !$hosts.has(mod), `);
}
