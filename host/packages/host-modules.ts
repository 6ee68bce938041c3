import { hostAlias } from "../sandbox/shims/aliases.ts";

/** True for a package that the host resolves itself, also where there is a copy (extensions spec §1.4). */
export function isHostPackage(name: string): boolean {
  return hostAlias(name) !== undefined;
}
