import { HOOKS, SPELLINGS } from "../hook-catalogue.ts";
import { METHODS } from "../methods/index.ts";
import type { Method } from "../methods/method.ts";
import type { MemberRow } from "./guest-settings.ts";

/** Members that first-party extensions alone have. */
const NOT_IN_GUESTS: ReadonlySet<string> = new Set(["ctx.getContributions"]);

/** Rows by name, as own keys of an object without prototype: no other name finds one. */
const GUEST_METHODS: Readonly<Record<string, Method>> = Object.assign(
  Object.create(null) as Record<string, Method>,
  Object.fromEntries(
    METHODS.filter(({ name }) => !NOT_IN_GUESTS.has(name)).map((row) => [row.name, row]),
  ),
);

export function guestMethod(name: string): Method | undefined {
  return GUEST_METHODS[name];
}

/** The rows as a prelude makes members of them. */
export const MEMBER_ROWS: readonly MemberRow[] = Object.values(GUEST_METHODS).map((row) => ({
  name: row.name,
  box: row.box,
  permission: typeof row.permission === "string" ? [row.permission] : (row.permission ?? []),
  degrades: row.refused !== undefined,
  isAsync: row.isAsync === true,
  getter: row.getter === true,
  commandOnly: row.commandOnly === true,
  inFactory: row.inFactory === true,
  args: row.args,
}));

/** Members and events that work for a guest. */
export const GUEST_SUPPORTED: readonly string[] = [
  ...Object.keys(GUEST_METHODS),
  ...[...Object.keys(HOOKS), ...Object.keys(SPELLINGS)].map((event) => `on:${event}`),
];
