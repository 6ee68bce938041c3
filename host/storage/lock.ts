import fs from "node:fs";
import { lockSync } from "proper-lockfile";
import { type CoppiceError, type Environment, errorCode } from "../../core/index.ts";
import { hostError, type LockHolder } from "../errors.ts";
import { isCheckable, isStale, type Owner, parseOwner, UNCHECKED_MS } from "./owner.ts";
import { hostIdentity, processState } from "./processes.ts";

/** A held lock of a session file. */
export interface SessionLock {
  /** Raises SESSION_LOCKED if the lock was lost; the holder must not write any more. */
  check(): void;
  /** True once it is known that the lock was lost. */
  isLost(): boolean;
  /** Gives the lock up. Idempotent; leaves alone what belongs to somebody else by now. */
  release(): void;
}

/** How often the lock folder is touched, for those who cannot look the owner up. */
const REFRESH_MS = 10_000;

/**
 * Takes the advisory lock of a session file (session tree §5.5): a folder held and refreshed by
 * proper-lockfile, and an owner record, by which alone it is judged whether the lock is stale. `path`
 * has no symbolic links; the file need not exist. Raises SESSION_LOCKED.
 */
export function acquireLock(path: string, env: Environment): SessionLock {
  const files = lockFiles(path);
  const owner = newOwner(env);
  // A folder that is gone again was given up between the two looks.
  const isFolderOurs =
    isMade(files.folder) || (modified(files.folder) === 0 && isMade(files.folder));
  if (!isFolderOurs || !isFirstOwner(files, owner)) takeOver(files, owner, isFolderOurs);
  return holdLock(files, owner);
}

interface LockFiles {
  readonly path: string;
  readonly folder: string;
  readonly owner: string;
}

/**
 * Removes the lock of a session file for good, for a person who knows that nobody writes it any more.
 * Gives the owner that was recorded, `undefined` if there was no lock. Raises SESSION_LOCKED for an
 * owner that is alive on this host.
 */
export function removeLock(path: string, env: Environment): LockHolder | undefined {
  const files = lockFiles(path);
  const before = readOwner(files);
  if (!before && modified(files.folder) === 0 && modified(files.owner) === 0) return undefined;
  const here = newOwner(env);
  const age = { refreshed: 0, now: here.time };
  if (!isStale(before, here, processState, age)) throw lockedError(files, before, here);
  const claim = claimOf(files, before, modified(files.folder));
  if (!isClaimed(claim, here.time)) throw lockedError(files, readOwner(files), here);
  try {
    const now = readOwner(files);
    if (now?.id !== before?.id) throw lockedError(files, now, here);
    fs.rmSync(files.owner, { force: true });
    fs.rmSync(files.folder, { recursive: true, force: true });
  } finally {
    fs.rmdirSync(claim);
  }
  return before ?? {};
}

function lockFiles(path: string): LockFiles {
  return { path, folder: `${path}.lock`, owner: `${path}.owner` };
}

function claimOf({ path }: LockFiles, owner: Owner | undefined, refreshed: number): string {
  return `${path}.${owner?.id ?? `unknown-${Math.floor(refreshed)}`}.claim`;
}

function newOwner(env: Environment): Owner {
  const now = env.now();
  const { pid } = process;
  const id = Buffer.from(env.randomBytes(16)).toString("hex");
  return { id, pid, start: processState(pid).start, ...hostIdentity(now), time: now };
}

/** Writes the owner record of a lock folder that we made, unless an older one lies there. */
function isFirstOwner(files: LockFiles, owner: Owner): boolean {
  try {
    fs.writeFileSync(files.owner, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Replaces the record of an owner that is gone. Several processes may try: whoever makes the folder
 * named after that owner reads the record again, so that it replaces the old one or nothing.
 */
function takeOver(files: LockFiles, owner: Owner, isFolderOurs: boolean): void {
  const refreshed = modified(files.folder);
  const before = readOwner(files);
  if (!isGone(before, owner, refreshed, isFolderOurs)) throw lockedError(files, before, owner);
  const claim = claimOf(files, before, refreshed);
  if (!isClaimed(claim, owner.time)) throw lockedError(files, readOwner(files), owner);
  try {
    const now = readOwner(files);
    if (now?.id !== before?.id) throw lockedError(files, now, owner);
    replaceFile(files.owner, JSON.stringify(owner), owner.id);
  } finally {
    fs.rmdirSync(claim);
  }
}

/** A record whose lock folder was missing tells nothing unless its owner can be looked up. */
function isGone(
  before: Owner | undefined,
  owner: Owner,
  refreshed: number,
  isFolderOurs: boolean,
): boolean {
  if (isFolderOurs && !isCheckable(before, owner)) return true;
  return isStale(before, owner, processState, { refreshed, now: owner.time });
}

/** Makes the folder; one that a dead process left behind is made anew. */
function isClaimed(claim: string, now: number): boolean {
  if (isMade(claim)) return true;
  if (now - modified(claim) < UNCHECKED_MS) return false;
  fs.rmdirSync(claim);
  return isMade(claim);
}

function holdLock(files: LockFiles, owner: Owner): SessionLock {
  let isLost = false;
  let isHeld = true;
  const isOurs = () => readOwner(files)?.id === owner.id;
  const release = lockSync(files.path, {
    realpath: false,
    stale: Number.POSITIVE_INFINITY,
    update: REFRESH_MS,
    onCompromised: () => {
      isLost = true;
      isHeld = false;
    },
    fs: {
      ...fs,
      // The folder is there already: which process it belongs to was decided by the owner record.
      mkdirSync: isMade,
      // Also called when the process exits.
      rmdirSync: (folder: string) => {
        if (!isOurs()) return;
        fs.unlinkSync(files.owner);
        fs.rmdirSync(folder);
      },
    },
  });
  return {
    check: () => {
      isLost ||= !isOurs();
      if (isLost) throw lockedError(files, readOwner(files), owner, true);
    },
    isLost: () => isLost,
    release: () => {
      if (isHeld) release();
      isHeld = false;
    },
  };
}

function lockedError(
  { path, folder }: LockFiles,
  holder: Owner | undefined,
  here: Owner,
  isLost = false,
): CoppiceError {
  const { pid, host } = holder ?? {};
  const isUnchecked = !isCheckable(holder, here);
  return hostError("SESSION_LOCKED", { path, lockPath: folder, isLost, isUnchecked, pid, host });
}

function readOwner({ owner }: LockFiles): Owner | undefined {
  try {
    return parseOwner(fs.readFileSync(owner, "utf8"));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function replaceFile(path: string, text: string, unique: string): void {
  const temporary = `${path}.${unique}.tmp`;
  fs.writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
  fs.renameSync(temporary, path);
}

/** True if the folder was made now, false if it was there. */
function isMade(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return false;
  }
}

/** Milliseconds; 0 if there is nothing. */
function modified(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
