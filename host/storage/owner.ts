import { asId, isJsonObject } from "../../core/index.ts";
import type { HostIdentity, ProcessState } from "./processes.ts";

/** Who holds a lock, as it stands in `<session file>.owner` (session tree §5.5). */
export interface Owner extends HostIdentity {
  /** Random, different for every acquisition. */
  readonly id: string;
  readonly pid: number;
  /** Start of that process, as the system tells it. */
  readonly start?: string | undefined;
  /** Time of acquisition, milliseconds since the epoch. */
  readonly time: number;
}

/** A lock whose owner cannot be checked is given up when it was not refreshed for this long. */
export const UNCHECKED_MS = 30_000;

/** How far the clock may have been set while a machine ran, where the boot has no name. */
const BOOT_TOLERANCE_MS = 60_000;

/** The owner record of a file's text; `undefined` for a missing or broken one. */
export function parseOwner(text: string | undefined): Owner | undefined {
  const value = text === undefined ? undefined : parse(text);
  if (!isJsonObject(value)) return undefined;
  const { id, pid, host, boot, time } = value;
  const numbers = [pid, boot, time].every((number) => typeof number === "number");
  const isSafe = typeof id === "string" && /^[\w-]{1,64}$/.test(id);
  return numbers && isSafe && asId(host) ? (value as unknown as Owner) : undefined;
}

/** True if the owner's process can be looked up from here. */
export function isCheckable(owner: Owner | undefined, here: HostIdentity): owner is Owner {
  if (owner?.host !== here.host) return false;
  return owner.space === undefined || here.space === undefined || owner.space === here.space;
}

/**
 * True if nobody holds the lock any more. `refreshed` is when the lock was last refreshed; an owner
 * alive on this host is never stale, also when it is stopped.
 */
export function isStale(
  owner: Owner | undefined,
  here: HostIdentity,
  stateOf: (pid: number) => ProcessState,
  age: { readonly refreshed: number; readonly now: number },
): boolean {
  if (owner?.host === here.host && predatesBoot(owner, here)) return true;
  if (!isCheckable(owner, here)) return age.now - age.refreshed > UNCHECKED_MS;
  const { isAlive, start } = stateOf(owner.pid);
  if (!isAlive) return true;
  return start !== undefined && owner.start !== undefined && start !== owner.start;
}

function predatesBoot(owner: Owner, here: HostIdentity): boolean {
  if (owner.bootId !== undefined && here.bootId !== undefined) return owner.bootId !== here.bootId;
  return owner.time < here.boot - BOOT_TOLERANCE_MS;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
