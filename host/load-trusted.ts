import { join } from "node:path";
import * as core from "../core/index.ts";
import * as ai from "./ai.ts";
import type { ExtensionFactory } from "./api.ts";
import * as api from "./api.ts";
import * as tui from "./components/index.ts";
import { hostError } from "./errors.ts";
import type { Extension } from "./extension.ts";
import { coppiceHome } from "./storage/session-dir.ts";

/**
 * The modules that the host hands to every extension, so that there is one core at run time
 * (extensions spec §1.4). Peers' scopes name the same modules.
 */
const MODULES: Readonly<Record<string, unknown>> = {
  coppice: api,
  "coppice/core": core,
  "coppice/tui": tui,
  "coppice/ai": ai,
};

/**
 * Loads the module of an extension that runs in this process, TypeScript or JavaScript, and gives
 * its factory. Raises EXTENSION_LOAD_FAILED if the default export is no function; what the module
 * itself throws goes through.
 */
export async function loadTrusted(extension: Extension): Promise<ExtensionFactory> {
  // Loaded only now: what runs without extensions starts without it.
  const { createJiti } = await import("jiti");
  const jiti = createJiti(extension.entry, {
    // Sources of first-party ones are only loaded in a clone, where its node_modules has a cache.
    fsCache: extension.firstParty || join(coppiceHome(), "cache", "jiti"),
    moduleCache: false,
    virtualModules: { ...MODULES },
    nativeModules: ["@anthropic-ai/sdk"],
    ...(isCompiled(extension) && { transform: ({ source }) => ({ code: source }) }),
  });
  const factory = await jiti.import<unknown>(extension.entry, { default: true });
  if (typeof factory === "function") return factory as ExtensionFactory;
  throw hostError("EXTENSION_LOAD_FAILED", {
    extension: extension.id,
    entry: extension.entry,
    reason: "its default export is no function",
  });
}

/** Built-ins ship as CommonJS: nothing is left to transform, and Babel need not be loaded. */
function isCompiled({ firstParty, entry }: Extension): boolean {
  return firstParty && entry.endsWith(".js");
}
