import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type CoppiceError, type Environment, errorCode } from "../../core/index.ts";
import { nodeDisk } from "../storage/disk.ts";
import { acquireLock } from "../storage/lock.ts";
import { realPath } from "../storage/session-dir.ts";

export interface HoldOptions {
  /** Called once if somebody else holds it, with what is known of them. */
  readonly waiting?: (holder: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const PAUSE_MS = 50;

/**
 * Waits until nobody else holds the lock of a path, and holds it; gives the way to release it. Ends
 * with the signal's reason if that comes first.
 */
export async function holdLock(
  path: string,
  env: Environment,
  { waiting, signal }: HoldOptions = {},
): Promise<() => void> {
  nodeDisk.makeFolder(dirname(path));
  const place = join(realPath(dirname(path)), basename(path));
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted();
    const held = tryLock(place, env);
    if (typeof held === "function") return held;
    if (isFirst) waiting?.(held.pid === undefined ? "another process" : `process ${held.pid}`);
    await wait(PAUSE_MS, undefined, { signal });
  }
}

/** The way to release the lock, or who holds it. */
function tryLock(place: string, env: Environment): (() => void) | { readonly pid?: number } {
  try {
    return acquireLock(place, env).release;
  } catch (error) {
    if (errorCode(error) !== "SESSION_LOCKED") throw error;
    return (error as CoppiceError).details as { readonly pid?: number };
  }
}
