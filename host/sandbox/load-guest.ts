import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { callOf } from "../context.ts";
import type { Extension } from "../extension.ts";
import type { ExtensionPackage } from "../packages/package-facts.ts";
import { preludeText } from "./bundles.ts";
import { type CompiledPackage, compileCached } from "./compile/index.ts";
import type { GuestLink } from "./guest-link.ts";
import { GUEST_SUPPORTED, MEMBER_ROWS } from "./guest-rows.ts";
import type { GuestSettings } from "./guest-settings.ts";
import type { SandboxLimits } from "./limits.ts";
import { globalsOf, moduleTexts } from "./shims/index.ts";

/** Modules that every guest has. */
const ALWAYS = ["coppice:globals"];
/** Variables that need no grant (extensions spec §6.2). */
const FREE_VARIABLES =
  /^(HOME|USER|SHELL|PATH|TERM|LANG|LC_.*|EDITOR|VISUAL|TMPDIR|NO_COLOR|COLORTERM)$/;

/** The package of an extension that runs in the sandbox; its one file if it has none. */
function packageOf(extension: Extension): Pick<ExtensionPackage, "root" | "entries"> & {
  readonly dataFolder?: string;
} {
  const { package: known, entry } = extension;
  return known ?? { root: entry, entries: [{ path: entry, flavour: "coppice" }] };
}

/** Compiles a package without running it. */
export function compileGuest(extension: Extension, cache: string): Promise<CompiledPackage> {
  const { root, entries } = packageOf(extension);
  const paths = entries.map(({ path }) => path);
  return compileCached({ id: extension.id, root, entries: paths }, cache);
}

export interface GuestPlan {
  readonly extension: Extension;
  readonly compiled: CompiledPackage;
  readonly limits: SandboxLimits;
  readonly cwd: string;
}

/** Makes the isolate of a guest; the host answers with `started`. */
export async function sendLoad(link: GuestLink, plan: GuestPlan): Promise<void> {
  const { compiled, limits, extension } = plan;
  const modules = await moduleTexts([...compiled.modules, ...ALWAYS]);
  const settings = JSON.stringify(settingsOf(link, plan, modules));
  const texts: [string, string][] = [
    ["prelude", await preludeText()],
    ["settings", settings],
    ...modules,
  ];
  const isReader = extension.permissions !== "all" && extension.permissions.has("session:read");
  link.send(
    {
      t: "load",
      g: link.parts.g,
      memoryMb: isReader ? limits.memoryWithSessionMb : limits.memoryMb,
      waits: isReader,
      parts: texts.map(([name, text]) => ({ name, bytes: Buffer.byteLength(text) })),
    },
    texts.map(([, text]) => text).join(""),
  );
}

/** Runs module code, then the factories in the order of the manifest (sandbox spec §5.5). */
export async function runGuest(link: GuestLink, { compiled, limits }: GuestPlan): Promise<void> {
  const count = await link.request("load", compiled.code, limits.moduleSliceMs);
  const entries = typeof count === "number" ? Math.min(count, 100) : 0;
  for (let index = 0; index < entries; index++) await link.request("factory", String(index));
}

function settingsOf(
  link: GuestLink,
  { extension, limits, cwd }: GuestPlan,
  modules: ReadonlyMap<string, string>,
): GuestSettings {
  const { root, dataFolder = "" } = packageOf(extension);
  const { runtime, instance } = link.parts;
  const call = callOf(runtime, instance);
  return {
    id: extension.id,
    limits,
    rows: MEMBER_ROWS,
    supported: GUEST_SUPPORTED,
    apiKey: link.leases.keyOf({ call, isCommand: true }, "api"),
    contextKey: link.leases.keyOf({ call, isCommand: false }, "ctx"),
    root: extension.package?.isFile === false ? root : dirname(extension.entry),
    globals: globalsOf([...modules.keys()]),
    world: {
      platform: process.platform,
      arch: process.arch,
      nodeVersion: process.version,
      coppiceVersion: "0.1.0",
      cwd,
      home: homedir(),
      tmp: join(dataFolder, "tmp"),
      agentDir: join(dataFolder, "agent"),
      columns: 80,
      rows: 24,
      env: variablesOf(extension),
    },
    seed: randomBytes(32).toString("hex"),
  };
}

/** The variables that a package may read. */
function variablesOf({ permissions, package: about }: Extension): Record<string, string> {
  if (permissions === "all") return {};
  const isOpen = about?.declared === undefined;
  const isHeld = (name: string) =>
    permissions.has(`env:${name}`) || (isOpen && FREE_VARIABLES.test(name));
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && isHeld(name)) variables[name] = value;
  }
  return variables;
}
