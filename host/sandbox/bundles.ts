import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Scripts that are bundled into one file each: name → source, and the form it takes. */
export const BUNDLES = {
  "child.cjs": { entry: "child/main.ts", format: "cjs", platform: "node" },
  "prelude.js": { entry: "guest/prelude.ts", format: "iife", platform: "neutral" },
} as const;

export type BundleName = keyof typeof BUNDLES;

const here = fileURLToPath(new URL(".", import.meta.url));
const isBuilt = import.meta.url.endsWith(".js");

/** Path of the extension host's script. */
export function childScript(): Promise<string> {
  return pathOf("child.cjs");
}

/**
 * The prelude as one text: a function body that gives its dispatch function. Builtins are bound
 * before any other code runs, so that a guest may delete them.
 */
export async function preludeText(): Promise<string> {
  const bundle = readFileSync(await pathOf("prelude.js"), "utf8").replace('"use strict";', "");
  const bound = `const { ${BOUND.join(", ")} } = globalThis;`;
  return `"use strict"; ${bound}\n${bundle}\nreturn $prelude.start($0, $1, $2);`;
}

/** Builtins that the prelude uses by name. */
const BOUND = [
  "Array",
  "ArrayBuffer",
  "Date",
  "Error",
  "Float64Array",
  "Infinity",
  "Int8Array",
  "Int32Array",
  "JSON",
  "Map",
  "Math",
  "Number",
  "Object",
  "Promise",
  "Proxy",
  "RangeError",
  "Reflect",
  "RegExp",
  "Set",
  "String",
  "Symbol",
  "TypeError",
  "Uint32Array",
  "Uint8Array",
  "WeakMap",
  "WeakSet",
];

/** In a built program the bundles lie ready; sources are bundled when they are first needed. */
async function pathOf(name: BundleName): Promise<string> {
  if (isBuilt) return join(here, "bundles", name);
  made[name] ??= bundleFromSource(name);
  return made[name];
}

const made: Partial<Record<BundleName, Promise<string>>> = {};

async function bundleFromSource(name: BundleName): Promise<string> {
  return stored(name, await bundled(name, here));
}

/** One script made from the sources in a folder. */
export async function bundled(name: BundleName, folder: string): Promise<string> {
  const { build } = await import("esbuild");
  const { entry, format, platform } = BUNDLES[name];
  const result = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    write: false,
    format,
    platform,
    target: "node20",
    charset: "utf8",
    logLevel: "silent",
    ...(format === "iife" && { globalName: "$prelude" }),
  });
  return result.outputFiles[0]?.text ?? "";
}

/** Kept under its hash, so that programs that run at once never see half a file. */
function stored(name: string, text: string): string {
  const folder = join(here, "../../node_modules/.cache/coppice-bundles");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const path = join(folder, `${hash}-${name}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const half = `${path}.${process.pid}`;
  writeFileSync(half, text);
  renameSync(half, path);
  return path;
}
