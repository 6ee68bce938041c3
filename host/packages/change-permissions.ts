import type { Environment } from "../../core/index.ts";
import { type AuditRecord, audit, auditOf } from "./audit.ts";
import { type ConsentPlan, type Decided, decide, requireWanted, undecided } from "./consent.ts";
import { pathOf } from "./examine.ts";
import { exclusively, store } from "./install.ts";
import type { LockedPackage } from "./lock-file.ts";
import type { Places } from "./places.ts";
import { consentRequired } from "./question.ts";
import { readPackages, requirePackage } from "./state.ts";
import { contentHash } from "./tree.ts";
import type { PackageWork } from "./work.ts";

export interface PermissionChange {
  readonly grant: readonly string[];
  readonly deny: readonly string[];
  /** Asked again. */
  readonly reset: readonly string[];
  /** Run with the user's own rights, after `confirm`; or back into the sandbox. */
  readonly runTrusted?: boolean | undefined;
  /** Asks the person to confirm *run trusted*; false is no. */
  readonly confirm?: ((id: string) => Promise<boolean>) | undefined;
}

export interface PermissionsResult {
  readonly id: string;
  readonly version: string;
  readonly plan: ConsentPlan;
  readonly permissions: Decided;
  readonly waiting: readonly string[];
  readonly isTrusted: boolean;
}

/**
 * Shows and changes what is decided about a package (extensions spec §6). Runs no code. Raises
 * EXTENSION_NOT_FOUND, PERMISSION_UNKNOWN; CONSENT_REQUIRED for a package that was never switched on.
 */
export function changePermissions(
  id: string,
  change: PermissionChange,
  work: PackageWork,
): Promise<PermissionsResult> {
  return exclusively(work, async () => {
    const { key, facts, locked, version, ...found } = requirePackage(readPackages(work), id);
    if (!locked) throw consentRequired(found.id, [], "enable");
    for (const text of change.reset) requireWanted(locked.asks, text);
    const permissions = decide(locked.asks, without(locked.permissions, change.reset), {
      accept: change.grant,
      acceptAll: false,
      deny: change.deny,
    });
    const path = facts && pathOf(facts);
    const trusted = await trustedHash(found.id, path, locked, change);
    const value: LockedPackage = { ...locked, permissions, trusted };
    if (isChange(change)) {
      await store(key, value, work);
      auditChange(work, { extension: found.id, version }, change, value);
    }
    return {
      id: found.id,
      version,
      plan: locked.asks,
      permissions,
      waiting: undecided(locked.asks, permissions),
      isTrusted: trusted !== null,
    };
  });
}

/** The lines of the audit log about a package. */
export function permissionLog(id: string, work: PackageWork): readonly AuditRecord[] {
  return auditOf(work.places, id);
}

function without({ granted, denied }: Decided, reset: readonly string[]): Decided {
  const kept = (list: readonly string[]) => list.filter((text) => !reset.includes(text));
  return { granted: kept(granted), denied: kept(denied) };
}

function isChange({ grant, deny, reset, runTrusted }: PermissionChange): boolean {
  return runTrusted !== undefined || [...grant, ...deny, ...reset].length > 0;
}

/** *Run trusted* is bound to the files as they are now (extensions spec §6.6). */
async function trustedHash(
  id: string,
  path: string | undefined,
  { trusted }: LockedPackage,
  { runTrusted, confirm }: PermissionChange,
): Promise<string | null> {
  if (runTrusted === undefined || path === undefined) return trusted;
  if (!runTrusted) return null;
  return (await confirm?.(id)) ? contentHash(path) : trusted;
}

function auditChange(
  { places, env }: { readonly places: Places; readonly env: Environment },
  about: Pick<AuditRecord, "extension" | "version">,
  { grant, deny, reset, runTrusted }: PermissionChange,
  { trusted }: LockedPackage,
): void {
  const by = "command line";
  const note = (permission: string, decision: string) =>
    audit(places, env, { event: "permission", ...about, permission, decision, by });
  for (const permission of grant) note(permission, "granted");
  for (const permission of deny) note(permission, "denied");
  for (const permission of reset) note(permission, "reset");
  if (runTrusted === undefined) return;
  const decision = trusted === null ? "sandboxed" : "trusted";
  audit(places, env, { event: "run trusted", ...about, decision, by });
}
