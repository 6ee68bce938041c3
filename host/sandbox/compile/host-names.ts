import { isBuiltin } from "node:module";
import { type HostName, hostAlias } from "../shims/aliases.ts";

/**
 * The host's module for an import, or `undefined` if it names a file or npm package. Names of the host
 * win over copies in `node_modules` (sandbox spec §5.3).
 */
export function hostName(specifier: string): HostName | undefined {
  const isNamed = /^(?:node|bun):|^bun$/.test(specifier) || isBuiltin(specifier);
  if (isNamed) return { kind: "module", name: specifier.replace(/^node:/, "") };
  return hostAlias(specifier);
}
