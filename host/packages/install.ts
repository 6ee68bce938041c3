import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../core/index.ts";
import { realPath } from "../storage/session-dir.ts";
import { audit } from "./audit.ts";
import { type Decided, undecided } from "./consent.ts";
import { holdLock } from "./hold-lock.ts";
import {
  allLocked,
  changeLock,
  type LockedPackage,
  type LockedVersion,
  type LockFile,
  type LockKey,
  lockedAt,
  readLock,
  withLocked,
} from "./lock-file.ts";
import { addProjectSource } from "./project-sources.ts";
import { type Consent, type ConsentWay, consentTo } from "./question.ts";
import { identityOf, parseSource, type Source } from "./source.ts";
import { moveIntoPlace, removeUnused, type StagedPackage, stage, withStaging } from "./stage.ts";
import type { PackageWork } from "./work.ts";

export interface InstallOptions extends ConsentWay {
  /** Only for the project in the working folder (extensions spec §5.6). */
  readonly isProject: boolean;
}

/** What became of a package that was to be installed or updated. */
export interface InstallResult {
  readonly id: string;
  readonly version: string;
  readonly source: string;
  readonly integrity: string | null;
  /** `update-pending`: the version in use runs on. */
  readonly state: "active" | "needs-consent" | "update-pending" | "off" | "cancelled";
  readonly permissions: Decided;
  /** What `--accept` would take: asked for and not decided. */
  readonly waiting: readonly string[];
  /** Asked when it happens. */
  readonly later: readonly string[];
  readonly remarks: readonly string[];
}

/**
 * Installs a package: fetch, unpack, dependencies, scan, question, commit (extensions spec §5.3). No
 * code of it runs, and nothing is left if it fails or is cancelled.
 */
export function installPackage(
  text: string,
  options: InstallOptions,
  work: PackageWork,
): Promise<InstallResult> {
  const source = parseSource(text, { cwd: work.cwd });
  return exclusively(work, () =>
    withStaging(work, async (folder) => {
      const staged = await stage(source, folder, work);
      const key = keyFor(staged.id, options.isProject, work);
      const result = await settle(staged, key, "install", options, work);
      if (options.isProject && result.state !== "cancelled") {
        await addProjectSource(source, work);
      }
      return result;
    }),
  );
}

/** Runs work on packages while no other process does; waits for the others. */
export async function exclusively<T>(work: PackageWork, run: () => Promise<T>): Promise<T> {
  const { places, env, signal } = work;
  const release = await holdLock(join(places.packages, ".install"), env, {
    signal,
    waiting: (holder) => work.note(`waiting for ${holder}, which works on the packages`),
  });
  try {
    return await run();
  } finally {
    release();
  }
}

function keyFor(id: string, isProject: boolean, { cwd }: PackageWork): LockKey {
  return isProject ? { kind: "project", root: realPath(cwd), id } : { kind: "package", id };
}

/** Asks for consent to a staged version and puts it where it belongs. */
export async function settle(
  staged: StagedPackage,
  key: LockKey,
  purpose: "install" | "update",
  way: ConsentWay,
  work: PackageWork,
): Promise<InstallResult> {
  const before = knownBefore(staged.source, key, work);
  const { id, version, source, entries, asks: plan, remarks } = staged;
  const decided = before?.permissions ?? { granted: [], denied: [] };
  const isMore = !before?.consented || more(plan, decided, before).length > 0;
  const about = { purpose, id, version, source: source.text, entries, plan, decided, remarks };
  const consent: Consent =
    purpose === "update" && !isMore
      ? { kind: "given", decided, by: "command line" }
      : await consentTo(about, way);
  if (consent.kind === "cancelled") return resultOf(staged, "cancelled", decided);
  const state = await commit(staged, key, { consent, before, isMore, purpose }, work);
  return resultOf(staged, state, consent.decided);
}

/** What a plan asks for beyond what an earlier version asked for and what is decided. */
function more(plan: StagedPackage["asks"], decided: Decided, before: LockedVersion) {
  const known = [...before.asks.asked, ...before.asks.explicit];
  return undecided(plan, decided).filter((text) => !known.includes(text));
}

/** The state of the same package from the same source; another source begins anew (§6.4). */
function knownBefore(
  source: Source,
  key: LockKey,
  { places, cwd }: PackageWork,
): LockedPackage | undefined {
  const locked = lockedAt(readLock(places).lock, key);
  if (!locked) return undefined;
  return sameSource(locked.source, source, cwd) ? locked : undefined;
}

function sameSource(text: string, source: Source, cwd: string): boolean {
  try {
    return identityOf(parseSource(text, { cwd })) === identityOf(source);
  } catch (error) {
    if (errorCode(error) !== "SOURCE_INVALID") throw error;
    return false;
  }
}

interface Settled {
  readonly consent: Exclude<Consent, { readonly kind: "cancelled" }>;
  readonly before: LockedPackage | undefined;
  /** True if it asks for more than is decided. */
  readonly isMore: boolean;
  readonly purpose: "install" | "update";
}

async function commit(
  staged: StagedPackage,
  key: LockKey,
  settled: Settled,
  work: PackageWork,
): Promise<InstallResult["state"]> {
  const { consent, before, isMore } = settled;
  const version = moveIntoPlace(staged, work);
  const isWaiting = consent.kind === "waiting" && isMore;
  const value =
    isWaiting && before?.consented
      ? { ...before, pending: version }
      : activeVersion(version, staged, key, settled, work);
  await store(key, value, work);
  const state = value.pending ? "update-pending" : stateOf(value);
  const { id } = staged;
  const decision = consent.kind === "given" ? state : `${state}, waiting`;
  audit(work.places, work.env, {
    event: settled.purpose,
    extension: id,
    version: staged.version,
    object: staged.source.text,
    decision,
    by: consent.kind === "given" ? consent.by : "no terminal",
  });
  return state;
}

function stateOf({ consented, enabled }: LockedPackage): "active" | "needs-consent" | "off" {
  if (!consented) return "needs-consent";
  return enabled ? "active" : "off";
}

function activeVersion(
  version: LockedVersion,
  { source }: StagedPackage,
  key: LockKey,
  { consent, before, isMore, purpose }: Settled,
  { env }: PackageWork,
): LockedPackage {
  const consented = consent.kind === "given" || (!isMore && before?.consented === true);
  // An update leaves a package off that was off; whoever installs it again wants it.
  const enabled = consented && (purpose === "install" || before?.enabled !== false);
  return {
    ...version,
    source: source.text,
    scope: key.kind === "project" ? "project" : "user",
    installed: before?.installed ?? env.now(),
    enabled,
    consented,
    trusted: null,
    features: before?.features ?? null,
    permissions: consent.decided,
    registers: before?.registers ?? null,
    pending: null,
    lastError: null,
  };
}

/** Replaces the lock file, and then removes what no version needs any more. */
export async function store(
  key: LockKey,
  value: LockedPackage | undefined,
  work: PackageWork,
): Promise<LockFile> {
  const lock = await changeLock(work.places, work.env, (before) => withLocked(before, key, value));
  clearUnused(lock, work);
  return lock;
}

/** While a lock file lies aside as broken, the folders it named are kept for its repair. */
function clearUnused(lock: LockFile, work: PackageWork): void {
  if (existsSync(`${work.places.lockFile}.broken`)) return;
  const versions = allLocked(lock).flatMap(([, { folder, pending }]) =>
    pending ? [folder, pending.folder] : [folder],
  );
  removeUnused(work, new Set(versions));
}

function resultOf(
  { id, version, source, integrity, asks, remarks }: StagedPackage,
  state: InstallResult["state"],
  permissions: Decided,
): InstallResult {
  const waiting = undecided(asks, permissions);
  const { later } = asks;
  return {
    id,
    version,
    source: source.text,
    integrity,
    state,
    permissions,
    waiting,
    later,
    remarks,
  };
}
