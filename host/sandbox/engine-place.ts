import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { errorCode } from "../../core/index.ts";
import type { EnginePlace } from "./protocol.ts";

/** Where the engine of this Node lies, found without loading it (sandbox spec §11). */
export interface FoundEngine extends EnginePlace {
  /** Folders that a process which loads it must be able to read. */
  readonly folders: readonly string[];
}

/** The engine for a major version of Node: its package, its version, who brings it. */
function wanted(major: number): { readonly module: string; readonly version: string } {
  return major < 22
    ? { module: "coppice-engine-node20", version: "5.0.4" }
    : { module: "isolated-vm", version: "6.2.0" };
}

/** The engine for the running Node, or `undefined` if it is not installed. */
export function findEngine(
  node: string = process.versions.node,
  from: string = import.meta.url,
): FoundEngine | undefined {
  const { module: name, version } = wanted(Number(node.split(".")[0]));
  const require = createRequire(from);
  const module = resolved(require, name);
  if (module === undefined) return undefined;
  const nested = name === "isolated-vm" ? module : resolved(createRequire(module), "isolated-vm");
  if (nested === undefined) return undefined;
  const folder = packageFolder(nested);
  const folders = [...new Set([packageFolder(module), folder])];
  return { module, manifest: join(folder, "package.json"), version, folders };
}

function resolved(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch (error) {
    if (errorCode(error) === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** The nearest folder above a file that holds a manifest with a name. */
function packageFolder(file: string): string {
  const folder = dirname(file);
  return hasName(join(folder, "package.json")) || folder === dirname(folder)
    ? folder
    : packageFolder(folder);
}

function hasName(manifest: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { name?: unknown };
    return typeof name === "string";
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
