import { renameSync } from "node:fs";
import { type Environment, errorCode, isJsonObject } from "../../core/index.ts";
import type { ConsentPlan, Decided } from "./consent.ts";
import { packageError } from "./errors.ts";
import type { EntryFlavour } from "./flavour.ts";
import { holdLock } from "./hold-lock.ts";
import type { Places } from "./places.ts";
import { readObject, writeObject } from "./state-file.ts";

/** What the last load of a package registered; `--help`, completion and lists read it (§5.3). */
export interface Registered {
  readonly events: readonly string[];
  readonly commands: readonly string[];
  readonly tools: readonly string[];
  readonly flags: readonly string[];
  readonly shortcuts: readonly string[];
}

/** One version of a package as it lies on the disk. */
export interface LockedVersion {
  readonly version: string;
  /** `sha512-…` of the tarball, `git:<commit>`; `null` for what is used in place. */
  readonly integrity: string | null;
  /** Hash over all files, dependencies included; `null` for what is used in place. */
  readonly tree: string | null;
  /** Below the folder of packages; absolute for what is used in place. */
  readonly folder: string;
  readonly entries: readonly EntryFlavour[];
  /** What it asks for, and when each is decided. */
  readonly asks: ConsentPlan;
}

/** The state of a package (extensions spec §5.3). */
export interface LockedPackage extends LockedVersion {
  /** As it was given; what it is fetched and updated by. */
  readonly source: string;
  readonly scope: "user" | "project";
  /** Milliseconds since the epoch; the order of loading. */
  readonly installed: number;
  readonly enabled: boolean;
  /** True once the user has answered the question whether to switch it on. */
  readonly consented: boolean;
  /** The hash of the files for which *run trusted* was chosen. */
  readonly trusted: string | null;
  /** omp's features that are on; `null`: those that are by themselves. */
  readonly features: readonly string[] | null;
  readonly permissions: Decided;
  readonly registers: Registered | null;
  /** A version that waits for consent. */
  readonly pending: LockedVersion | null;
  readonly lastError: LoadFailure | null;
}

export interface LoadFailure {
  readonly code: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

type ById = Readonly<Record<string, LockedPackage>>;

export interface LockFile {
  /** Installed for the user, by id. */
  readonly packages: ById;
  /** Found in a folder or in settings, by real path. */
  readonly found: ById;
  /** Installed for a project, by its real path and then by id. */
  readonly projects: Readonly<Record<string, ById>>;
}

/** Where in the lock file a package's state stands. */
export type LockKey =
  | { readonly kind: "package"; readonly id: string }
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "project"; readonly root: string; readonly id: string };

export interface LockReading {
  readonly lock: LockFile;
  /** STATE_INVALID if the file could not be read; it is kept aside then. */
  readonly problem?: unknown;
}

const VERSION = 1;
const EMPTY: LockFile = { packages: {}, found: {}, projects: {} };
const REMEDY =
  "it is kept as .broken and all third-party extensions are off; `coppice ext doctor --fix` makes a new one";

/** The state of all packages; an unreadable file is kept aside and counts as empty (§5.5). */
export function readLock(places: Places): LockReading {
  try {
    return { lock: checked(readObject(places.lockFile, REMEDY) ?? {}, places.lockFile) };
  } catch (problem) {
    if (errorCode(problem) !== "STATE_INVALID") throw problem;
    return { lock: EMPTY, problem };
  }
}

/**
 * Changes the lock file while nobody else does, and replaces it in one step. Raises
 * STATE_WRITE_FAILED.
 */
export async function changeLock(
  places: Places,
  env: Environment,
  change: (lock: LockFile) => LockFile,
): Promise<LockFile> {
  const release = await holdLock(places.lockFile, env);
  try {
    const { lock, problem } = readLock(places);
    if (problem) renameSync(places.lockFile, `${places.lockFile}.broken`);
    const changed = change(lock);
    if (changed !== lock) writeObject(places.lockFile, { version: VERSION, ...changed }, env);
    return changed;
  } finally {
    release();
  }
}

export function lockedAt(lock: LockFile, key: LockKey): LockedPackage | undefined {
  if (key.kind === "package") return own(lock.packages, key.id);
  if (key.kind === "found") return own(lock.found, key.path);
  return own(own(lock.projects, key.root) ?? {}, key.id);
}

/** The lock file with one package set, or with `undefined` removed. */
export function withLocked(
  lock: LockFile,
  key: LockKey,
  value: LockedPackage | undefined,
): LockFile {
  if (key.kind === "package") return { ...lock, packages: withKey(lock.packages, key.id, value) };
  if (key.kind === "found") return { ...lock, found: withKey(lock.found, key.path, value) };
  const project = withKey(own(lock.projects, key.root) ?? {}, key.id, value);
  return { ...lock, projects: { ...lock.projects, [key.root]: project } };
}

/** Every package of the lock file with the place of its state. */
export function allLocked(lock: LockFile): readonly (readonly [LockKey, LockedPackage])[] {
  const of = (values: ById, keyOf: (name: string) => LockKey) =>
    Object.entries(values).map(([name, value]) => [keyOf(name), value] as const);
  return [
    ...of(lock.packages, (id) => ({ kind: "package", id })),
    ...of(lock.found, (path) => ({ kind: "found", path })),
    ...Object.entries(lock.projects).flatMap(([root, values]) =>
      of(values, (id) => ({ kind: "project", root, id })),
    ),
  ];
}

function own<T>(values: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function withKey(values: ById, key: string, value: LockedPackage | undefined): ById {
  const { [key]: _, ...others } = values;
  return value === undefined ? others : { ...others, [key]: value };
}

function checked(json: object, path: string): LockFile {
  const { packages = {}, found = {}, projects = {} } = json as Partial<LockFile>;
  const projectValues = isJsonObject(projects) ? Object.values(projects) : [undefined];
  const isFit = [packages, found, ...projectValues].every(
    (values) => isJsonObject(values) && Object.values(values).every(isLocked),
  );
  if (isFit) return { packages, found, projects };
  const reason = "it is no lock file of this version";
  throw packageError("STATE_INVALID", { path, reason, remedy: REMEDY });
}

function isLocked(value: unknown): boolean {
  if (!isJsonObject(value) || !isVersion(value) || !isJsonObject(value.permissions)) return false;
  const { source, enabled, consented, permissions, pending } = value;
  return (
    typeof source === "string" &&
    typeof enabled === "boolean" &&
    typeof consented === "boolean" &&
    isTexts(permissions.granted) &&
    isTexts(permissions.denied) &&
    (pending === null || (isJsonObject(pending) && isVersion(pending)))
  );
}

function isVersion({ version, folder, entries, asks }: Readonly<Record<string, unknown>>) {
  const isFolder = typeof version === "string" && typeof folder === "string";
  return isFolder && Array.isArray(entries) && isJsonObject(asks) && isTexts(asks.asked);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
