import { isBuiltin } from "node:module";

/** Scopes whose packages name the host's modules (extensions spec §1.4). */
const SCOPE = /^@(?:mariozechner|earendil-works|oh-my-pi)\//;
const CODING_AGENT = "coppice";

/** Package of a peer's scope → subpath → module of the host. */
const PEERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "pi-coding-agent": { "": CODING_AGENT },
  "pi-tui": { "": "coppice/tui" },
  "pi-ai": {
    "": "coppice/ai",
    "/compat": "coppice/ai",
    "/models": "coppice/ai",
    "/oauth": "coppice/ai",
    "/providers/all": "coppice/ai",
    "/utils/oauth": "coppice/ai",
  },
  "pi-agent-core": { "": "coppice:agent-core" },
  "pi-utils": { "": "coppice:utils" },
};

const OWN: ReadonlySet<string> = new Set(["coppice", "coppice/core", "coppice/tui", "coppice/ai"]);
const OWN_NAME = /^coppice(?:\/|$)/;

/** One schema library under both of its names; the old one calls its compiler differently. */
const SCHEMA_NAME = /^(?:@sinclair\/)?typebox(?:\/(.+))?$/;
const SCHEMA: Readonly<Record<string, string>> = {
  "": "typebox",
  compile: "typebox/compile",
  compiler: "typebox/compile",
  value: "typebox/value",
};

/** Where an import of a name leads that is no file of the package. */
export type HostName =
  /** A module of the host, by the name that `moduleText` knows. */
  | { readonly kind: "module"; readonly name: string }
  /** A name of the host without a module: every use of it is NOT_SUPPORTED. */
  | { readonly kind: "unknown"; readonly name: string };

/**
 * The host's module for an import, or `undefined` if it names a file or npm package. Names of the host
 * win over copies in `node_modules` (sandbox spec §5.3).
 */
export function hostName(specifier: string): HostName | undefined {
  if (specifier.startsWith("node:") || specifier.startsWith("bun:") || specifier === "bun") {
    return builtinName(specifier.replace(/^node:/, ""));
  }
  if (isBuiltin(specifier)) return builtinName(specifier);
  if (OWN_NAME.test(specifier)) return named(specifier, OWN.has(specifier) ? specifier : undefined);
  const schema = SCHEMA_NAME.exec(specifier);
  if (schema !== null) return named(specifier, SCHEMA[schema[1] ?? ""]);
  return SCOPE.test(specifier) ? peerName(specifier) : undefined;
}

/** Whether a name without a file may be the host's all the same: packages of the peers' scopes. */
export function isPeerScope(specifier: string): boolean {
  return SCOPE.test(specifier);
}

function builtinName(name: string): HostName {
  return { kind: "module", name };
}

function peerName(specifier: string): HostName | undefined {
  const [, name = "", ...rest] = specifier.split("/");
  const subpaths = PEERS[name];
  if (subpaths === undefined) return undefined;
  const subpath = rest.length === 0 ? "" : `/${rest.join("/")}`;
  return named(specifier, subpaths[subpath]);
}

function named(specifier: string, name: string | undefined): HostName {
  return name === undefined ? { kind: "unknown", name: specifier } : { kind: "module", name };
}
