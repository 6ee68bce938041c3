import { globPattern, isGlob } from "./glob.ts";
import {
  FREE_SCOPES,
  PERMISSIONS,
  type PermissionDefault,
  type PermissionRow,
  type Risk,
  type ScopeKind,
} from "./permission-table.ts";

/** A permission as text says it, `exec:git` or `session:read` (extensions spec §6.1). */
export interface Permission {
  readonly text: string;
  /** The name in the table. */
  readonly name: string;
  /** Absent: asked case by case, never all. */
  readonly scope: string | undefined;
  readonly row: PermissionRow;
}

/** `undefined` for what is no permission; it can never be granted. */
export function parsePermission(text: string): Permission | undefined {
  const [area = "", second] = text.split(":", 2);
  const names = second === undefined ? [area] : [`${area}:${second}`, area];
  const name = names.find((candidate) => Object.hasOwn(PERMISSIONS, candidate));
  const row = name === undefined ? undefined : PERMISSIONS[name];
  if (name === undefined || !row) return undefined;
  if (text === name) return { text, name, scope: undefined, row };
  const scope = text.slice(name.length + 1);
  if (!row.scope || !SCOPES[row.scope].test(scope)) return undefined;
  return { text, name, scope, row };
}

const NO_CONTROL = "[^\\0-\\x1f\\x7f]";
const SCOPES: Readonly<Record<ScopeKind, RegExp>> = {
  glob: new RegExp(`^(?:/|~/|\\$(?:CWD|DATA|PKG|TMP|HOME)(?:/|$))${NO_CONTROL}*$`),
  program: /^(?:[\w.+@-]+|\/[^\0-\x1f\x7f*?]+)$/,
  host: /^(?:\*|(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/,
  name: /^[A-Za-z_]\w*\*?$/,
};

/** True for a permission that everybody has: those of default G, and the free scopes of others. */
export function isFree({ name, scope, row }: Permission): boolean {
  if (row.default === "G") return true;
  const free = FREE_SCOPES[name] ?? [];
  return scope !== undefined && free.some((item) => coversScope(row, item, scope));
}

/** How dangerous it is with its scope: variables with secret-like names are high. */
export function riskOf({ name, scope = "", row }: Permission): Risk {
  return name === "env" && /KEY|TOKEN|SECRET/i.test(scope) ? "high" : row.risk;
}

/**
 * When it is decided, if a package's code shows it (extensions spec §6.2): literal programs, hosts,
 * names and paths are asked at install, what is dynamic when it happens.
 */
export function defaultOf(permission: Permission): PermissionDefault {
  const { row, scope, name } = permission;
  if (isFree(permission)) return "G";
  if (row.default !== "F" || scope === undefined) return row.default;
  const isAskedEarly = name === "fs:read" ? scope === "$CWD/**" : !isGlob(scope);
  return isAskedEarly ? "I" : "F";
}

/** True if a granted or refused permission covers another one: the same name, a scope as wide. */
export function covers(holder: Permission, wanted: Permission): boolean {
  if (holder.name !== wanted.name) return false;
  if (!holder.row.scope || holder.text === wanted.text) return true;
  // Without a scope it says "case by case": it neither grants nor refuses a scope.
  if (holder.scope === undefined || wanted.scope === undefined) return false;
  return coversScope(holder.row, holder.scope, wanted.scope);
}

function coversScope({ scope }: PermissionRow, wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  if (scope === "name") return wide.endsWith("*") && narrow.startsWith(wide.slice(0, -1));
  if (scope === "host") return coversHost(wide.toLowerCase(), narrow.toLowerCase());
  if (scope === "glob") return !narrow.split("/").includes("..") && globPattern(wide).test(narrow);
  return false;
}

function coversHost(wide: string, narrow: string): boolean {
  const [wideHost = "", widePort] = splitPort(wide);
  const [host = "", port] = splitPort(narrow);
  if (widePort !== undefined && widePort !== port) return false;
  if (wideHost === "*") return !isNearby(host);
  if (wideHost.startsWith("*.")) return host.endsWith(wideHost.slice(1));
  return wideHost === host;
}

function splitPort(text: string): readonly [host: string, port: string | undefined] {
  const [, host = text, port] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return host.startsWith("[") && !host.endsWith("]") ? [text, undefined] : [host, port];
}

/** This machine and addresses are named, never covered by `*` (sandbox spec §8.3). */
function isNearby(host: string): boolean {
  return /^(?:localhost|.*\.localhost|.*\.local|[\d.]+|\[.*\])$/.test(host) || !host.includes(".");
}
