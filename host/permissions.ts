import { hostError } from "./errors.ts";
import type { Instance } from "./extension.ts";

/**
 * Holds an extension to the permissions of its manifest, also a first-party one; only what runs
 * trusted has them all (extensions spec §1.1, §6). Raises PERMISSION_UNDECLARED.
 */
export function requirePermission(instance: Instance, permission: string, member: string): void {
  const { permissions, id } = instance.extension;
  if (permissions === "all" || permissions.has(permission)) return;
  throw hostError("PERMISSION_UNDECLARED", { extension: id, permission, member });
}
