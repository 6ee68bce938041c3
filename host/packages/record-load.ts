import type { Environment } from "../../core/index.ts";
import {
  changeLock,
  type LoadFailure,
  type LockKey,
  lockedAt,
  type Registered,
  withLocked,
} from "./lock-file.ts";
import type { Places } from "./places.ts";

/** What the last load of a package came to. */
export type LoadOutcome =
  | { readonly registers: Registered }
  | { readonly error: Omit<LoadFailure, "time"> };

/**
 * Keeps what a load registered or why it failed, for lists and help that run no code (extensions spec
 * §5.3). Writes only what has changed. Raises STATE_WRITE_FAILED.
 */
export async function recordLoad(
  places: Places,
  env: Environment,
  key: LockKey,
  outcome: LoadOutcome,
): Promise<void> {
  await changeLock(places, env, (lock) => {
    const locked = lockedAt(lock, key);
    if (!locked) return lock;
    if ("error" in outcome) {
      const isKnown = locked.lastError?.message === outcome.error.message;
      if (isKnown) return lock;
      return withLocked(lock, key, { ...locked, lastError: { ...outcome.error, time: env.now() } });
    }
    const { registers } = outcome;
    const isSame = JSON.stringify(locked.registers) === JSON.stringify(registers);
    if (isSame && !locked.lastError) return lock;
    return withLocked(lock, key, { ...locked, registers, lastError: null });
  });
}
