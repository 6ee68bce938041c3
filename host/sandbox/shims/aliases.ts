/** Scopes whose packages name the host's modules (extensions spec §1.4). */
const SCOPE = /^@(?:mariozechner|earendil-works|oh-my-pi)\//;
const OWN_NAME = /^coppice(?:\/|$)/;
const SCHEMA_NAME = /^(?:@sinclair\/)?typebox(?:\/|$)/;

/** A name of the host as imported, without its scope → the module that it names. */
const MODULES: Readonly<Record<string, string>> = {
  coppice: "coppice",
  "coppice/core": "coppice/core",
  "coppice/tui": "coppice/tui",
  "coppice/ai": "coppice/ai",
  "pi-coding-agent": "coppice",
  "pi-tui": "coppice/tui",
  "pi-ai": "coppice/ai",
  "pi-ai/compat": "coppice/ai",
  "pi-ai/models": "coppice/ai",
  "pi-ai/oauth": "coppice/ai",
  "pi-ai/providers/all": "coppice/ai",
  "pi-ai/utils/oauth": "coppice/ai",
  "pi-agent-core": "coppice:agent-core",
  "pi-utils": "coppice:utils",
  typebox: "typebox",
  "typebox/compile": "typebox/compile",
  "typebox/compiler": "typebox/compile",
  "typebox/value": "typebox/value",
};
const PEER_PACKAGES: ReadonlySet<string> = new Set([
  "pi-coding-agent",
  "pi-tui",
  "pi-ai",
  "pi-agent-core",
  "pi-utils",
]);

/** Where an import of a name leads that is no file of the package. */
export type HostName =
  /** A module of the host, by the name that `moduleTexts` knows. */
  | { readonly kind: "module"; readonly name: string }
  /** A name of the host without a module: every use of it is NOT_SUPPORTED. */
  | { readonly kind: "unknown"; readonly name: string };

/** The host's module for a name of its own, of the peers or of the schema library. */
export function hostAlias(specifier: string): HostName | undefined {
  if (OWN_NAME.test(specifier)) return named(specifier, specifier);
  if (SCHEMA_NAME.test(specifier)) return named(specifier, specifier.replace(/^@sinclair\//, ""));
  const name = specifier.replace(SCOPE, "");
  const [packageName = ""] = name.split("/");
  const isPeer = name !== specifier && PEER_PACKAGES.has(packageName);
  return isPeer ? named(specifier, name) : undefined;
}

/** Whether a name without a file may be the host's all the same: packages of the peers' scopes. */
export function isPeerScope(specifier: string): boolean {
  return SCOPE.test(specifier);
}

function named(specifier: string, key: string): HostName {
  const name = Object.hasOwn(MODULES, key) ? MODULES[key] : undefined;
  return name === undefined ? { kind: "unknown", name: specifier } : { kind: "module", name };
}
