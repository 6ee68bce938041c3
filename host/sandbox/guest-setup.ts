import { coreError, isJsonObject } from "../../core/index.ts";
import type { SessionSetup, WritableSessionManager } from "../api.ts";
import type { GuestLink } from "./guest-link.ts";

/** What may be asked for again on the new session. */
const APPEND = /^append[A-Z]/;

/** The setup of a guest: what it appended to a session of its own is appended to the new one. */
export function guestSetup(link: GuestLink, id: number): SessionSetup {
  return async (manager) => {
    const calls = await link.invoke(id, []);
    const ids = new Map<string, string>();
    for (const call of Array.isArray(calls) ? calls : []) appendAgain(manager, call, ids);
  };
}

function appendAgain(
  manager: WritableSessionManager,
  call: unknown,
  ids: Map<string, string>,
): void {
  const { member, values, id } = isJsonObject(call) ? call : {};
  if (typeof member !== "string" || !APPEND.test(member) || !Array.isArray(values)) {
    const reason = "it is no append";
    throw coreError("INVALID_ARGUMENT", { argument: "setup", reason });
  }
  // Only what a manager has; the new session checks the values as it does for anyone.
  const append = (manager as unknown as Record<string, unknown>)[member];
  const known = values.map((value) =>
    typeof value === "string" ? (ids.get(value) ?? value) : value,
  );
  const made: unknown =
    typeof append === "function" ? Reflect.apply(append, manager, known) : undefined;
  if (typeof id === "string" && typeof made === "string") ids.set(id, made);
}
