import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { withCompiler } from "../compiler.ts";
import { GLOBAL_MODULES } from "./global-names.ts";
import { SOURCES, smallText, textFile } from "./names.ts";

export type { GuestSettings } from "./settings.ts";

const texts = new Map<string, Promise<string | undefined>>();

/**
 * The text of a shim or host module by its canonical name (`path`, `fs/promises`, `coppice/core`), or
 * `undefined` if there is no such module. It is an expression: a function `(require, settings) =>
 * exports` in the form of a CommonJS module. Builtins without a shim have a text as well: it can be
 * imported, and whatever is used of it is NOT_SUPPORTED.
 */
export function moduleText(name: string): Promise<string | undefined> {
  let text = texts.get(name);
  if (text === undefined) {
    text = readText(name);
    texts.set(name, text);
  }
  return text;
}

/** The texts of these modules and of all that they ask for, by name. Unknown names are left out. */
export async function moduleTexts(names: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const text = await moduleText(name);
    if (text === undefined) continue;
    found.set(name, text);
    open.push(...requiredNames(text));
  }
  return found;
}

/** The globals that these modules of the host provide: name → module. */
export function globalsOf(modules: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(GLOBAL_MODULES).filter(([, module]) => modules.includes(module)),
  );
}

function requiredNames(text: string): string[] {
  return [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = ""]) => name);
}

async function readText(name: string): Promise<string | undefined> {
  if (!Object.hasOwn(SOURCES, name)) return smallText(name);
  // In a clone the sources run as they are, without a build.
  if (import.meta.url.endsWith(".ts")) return await bundled(name);
  return await readFile(new URL(`texts/${textFile(name)}`, import.meta.url), "utf8");
}

async function bundled(name: string): Promise<string> {
  const { bundleText } = await import("./bundle.ts");
  const folder = fileURLToPath(new URL("../../..", import.meta.url));
  return (await withCompiler(() => bundleText(name, folder))).text;
}
