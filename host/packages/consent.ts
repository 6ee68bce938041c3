import type { PackageManifest } from "../manifest.ts";
import { packageError } from "./errors.ts";
import { covers, defaultOf, isFree, type Permission, parsePermission } from "./permission.ts";

/** What is decided about a package's permissions; texts of extensions spec §6.1. */
export interface Decided {
  readonly granted: readonly string[];
  /** Refused for good: beats every grant. */
  readonly denied: readonly string[];
}

/** What a package may want, and when each is decided (extensions spec §6.2, §6.3). */
export interface ConsentPlan {
  /** True if it is held to the lists of its manifest. */
  readonly isDeclared: boolean;
  /** Has them without being asked. */
  readonly free: readonly string[];
  /** To be decided at install. */
  readonly asked: readonly string[];
  /** To be decided at install, each by its name and never by "all". */
  readonly explicit: readonly string[];
  /** Asked when it happens. */
  readonly later: readonly string[];
  /** What is no permission: reported, never granted. */
  readonly unknown: readonly string[];
  /** Permission → the author's reason. */
  readonly reasons: Readonly<Record<string, string>>;
}

type Wanting = Pick<
  PackageManifest,
  "isDeclaring" | "permissions" | "optionalPermissions" | "permissionReasons"
>;

type When = "free" | "asked" | "explicit" | "later" | "unknown";

/** The plan of a package: by its manifest, or where that declares nothing, by the scan. */
export function consentPlan(manifest: Wanting, scanned: readonly string[]): ConsentPlan {
  const { isDeclaring, permissions, optionalPermissions } = manifest;
  const wanted: readonly (readonly [string, When])[] = isDeclaring
    ? [
        ...permissions.map((text) => [text, whenDeclared(text)] as const),
        ...optionalPermissions.map((text) => [text, whenOptional(text)] as const),
      ]
    : scanned.map((text) => [text, whenInferred(text)] as const);
  const at = (when: When) => [
    ...new Set(wanted.flatMap(([text, found]) => (found === when ? text : []))),
  ];
  return {
    isDeclared: isDeclaring,
    free: at("free"),
    asked: at("asked"),
    explicit: at("explicit"),
    later: at("later"),
    unknown: at("unknown"),
    reasons: manifest.permissionReasons,
  };
}

function whenDeclared(text: string): When {
  const permission = parsePermission(text);
  if (!permission) return "unknown";
  if (isFree(permission)) return "free";
  if (permission.row.default === "X") return "explicit";
  // Without the scope it could have, it is asked case by case.
  return permission.row.scope && permission.scope === undefined ? "later" : "asked";
}

function whenOptional(text: string): When {
  const when = whenDeclared(text);
  return when === "asked" ? "later" : when;
}

function whenInferred(text: string): When {
  const permission = parsePermission(text);
  if (!permission) return "unknown";
  return ({ G: "free", I: "asked", F: "later", X: "explicit" } as const)[defaultOf(permission)];
}

/** What of a plan is neither granted nor denied yet and is decided before it is switched on. */
export function undecided(plan: ConsentPlan, decided: Decided): readonly string[] {
  const known = [...decided.granted, ...decided.denied].flatMap(
    (text) => parsePermission(text) ?? [],
  );
  return [...plan.asked, ...plan.explicit].filter((text) => {
    const permission = parsePermission(text);
    return permission && !known.some((one) => covers(one, permission));
  });
}

/** What a person, or the command line, decides. */
export interface ConsentAnswer {
  readonly accept: readonly string[];
  /** All of `asked`, none of `explicit`. */
  readonly acceptAll: boolean;
  readonly deny: readonly string[];
}

/**
 * The decisions after an answer; a later one replaces an earlier one. Raises PERMISSION_UNKNOWN for
 * what the package does not ask for.
 */
export function decide(plan: ConsentPlan, before: Decided, answer: ConsentAnswer): Decided {
  for (const text of [...answer.accept, ...answer.deny]) requireWanted(plan, text);
  const denied = new Set([...before.denied, ...answer.deny]);
  for (const text of answer.accept) denied.delete(text);
  const all = answer.acceptAll ? plan.asked : [];
  const granted = new Set([...before.granted, ...all, ...answer.accept]);
  for (const text of denied) granted.delete(text);
  return { granted: [...granted], denied: [...denied] };
}

/** Raises PERMISSION_UNKNOWN for a permission that a package does not ask for, naming what it does. */
export function requireWanted(plan: ConsentPlan, text: string): void {
  const permission = parsePermission(text);
  const wanted = [...plan.free, ...plan.asked, ...plan.explicit, ...plan.later];
  if (permission && isDecidable(permission) && isWanted(wanted, permission)) return;
  const allowed = wanted.filter((one) => isDecidable(parsePermission(one)));
  throw packageError("PERMISSION_UNKNOWN", { permission: text, allowed });
}

/** A scope is decided, never "some scope". */
function isDecidable(permission: Permission | undefined): boolean {
  return permission !== undefined && (!permission.row.scope || permission.scope !== undefined);
}

/** A package that asks for `exec` case by case can be given `exec:git` beforehand. */
export function isWanted(wanted: readonly string[], permission: Permission): boolean {
  return wanted.some((text) => {
    const one = parsePermission(text);
    return one?.name === permission.name && (one.scope === undefined || covers(one, permission));
  });
}
