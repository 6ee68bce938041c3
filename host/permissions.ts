import type { CoppiceError } from "../core/index.ts";
import { hostError } from "./errors.ts";
import type { Instance } from "./extension.ts";

/** Whether an instance holds a permission; only what runs trusted has them all. */
export function isGranted({ extension }: Instance, permission: string): boolean {
  return extension.permissions === "all" || extension.permissions.has(permission);
}

/** The first of the permissions of a call that an instance does not hold. */
export function missingPermission(
  instance: Instance,
  needed: string | readonly string[] | undefined,
): string | undefined {
  return missingPermissions(instance, needed)[0];
}

/** Those of the permissions of a call that an instance does not hold. */
export function missingPermissions(
  instance: Instance,
  needed: string | readonly string[] | undefined,
): readonly string[] {
  if (needed === undefined) return [];
  const list = typeof needed === "string" ? [needed] : needed;
  return list.filter((permission) => !isGranted(instance, permission));
}

/** The error for a permission that the manifest does not declare (extensions spec §6.3). */
export function undeclared(instance: Instance, permission: string, member: string): CoppiceError {
  const { id: extension } = instance.extension;
  return hostError("PERMISSION_UNDECLARED", { extension, permission, member });
}

/**
 * Holds an extension to the permissions of its manifest, also a first-party one (extensions spec
 * §1.1, §6). Raises PERMISSION_UNDECLARED.
 */
export function requirePermission(instance: Instance, permission: string, member: string): void {
  if (!isGranted(instance, permission)) throw undeclared(instance, permission, member);
}
