import type { Environment } from "../../core/index.ts";
import {
  changeLock,
  type LoadFailure,
  type LockFile,
  type LockKey,
  lockedAt,
  type Registered,
  readLock,
  withLocked,
} from "./lock-file.ts";
import type { Places } from "./places.ts";

/** What the last load of a package came to. */
export type LoadOutcome =
  | { readonly key: LockKey; readonly registers: Registered }
  | { readonly key: LockKey; readonly error: Omit<LoadFailure, "time"> };

/**
 * Keeps what loads registered or why they failed, for lists and help that run no code (extensions
 * spec §5.3). Where nothing has changed, nothing is locked or written. Raises STATE_WRITE_FAILED.
 */
export async function recordLoads(
  places: Places,
  env: Environment,
  outcomes: readonly LoadOutcome[],
): Promise<void> {
  const change = (lock: LockFile) =>
    outcomes.reduce((before, outcome) => withOutcome(before, outcome, env), lock);
  const { lock, problem } = readLock(places);
  if (problem || change(lock) === lock) return;
  await changeLock(places, env, change);
}

function withOutcome(lock: LockFile, outcome: LoadOutcome, env: Environment): LockFile {
  const { key } = outcome;
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
}
