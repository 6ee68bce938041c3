import { basename, join, resolve } from "node:path";
import {
  type Environment,
  newHeader,
  type SessionHeader,
  SessionManager,
} from "../../core/index.ts";
import { nodeEnvironment } from "../environment.ts";
import { hostError, type LockHolder } from "../errors.ts";
import { type Durability, isSystemError, writeFailed } from "./append-log.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { type Examination, examineFile } from "./doctor.ts";
import { type Repaired, repairInto } from "./doctor-repair.ts";
import { listItem, type SessionListItem, sessionPaths } from "./listing.ts";
import { ListingCache } from "./listing-cache.ts";
import type { FileSetup } from "./loading.ts";
import { removeLock } from "./lock.ts";
import { scanSession } from "./scan.ts";
import {
  coppiceHome,
  foldersOf,
  projectFolder,
  realPath,
  type SessionFolder,
  sessionFileName,
  sessionsRoot,
  type Variables,
} from "./session-dir.ts";
import { SessionFile } from "./session-file.ts";

export type { SessionListItem } from "./listing.ts";

/** What the entry points need from around them; all of it has a default. */
export interface StorageOptions {
  /** For `durability` and `limits.maxLineBytes`. */
  readonly settings?: { get(key: string): unknown };
  readonly env?: Environment;
  readonly disk?: Disk;
  /** `COPPICE_HOME`, `HOME`, `PI_CODING_AGENT_DIR`. */
  readonly variables?: Variables;
}

export interface CreateOptions extends StorageOptions {
  readonly id?: string;
  readonly parentSession?: string;
  /** Folder of the file; absent: that of the project. */
  readonly folder?: string;
}

export interface OpenOptions extends StorageOptions {
  /** `write` (default) takes the lock. */
  readonly mode?: "read" | "write";
  /** A path where nothing is gives a pending session. */
  readonly create?: boolean;
  /** The project whose sessions are looked at first for an id; absent: the folder of the process. */
  readonly cwd?: string;
}

/** A new, pending session of a project (session tree §5.1). */
export async function createSession(
  cwd: string,
  options: CreateOptions = {},
): Promise<SessionManager> {
  const { id, parentSession, folder } = options;
  const setup = setupOf(options, cwd);
  const header = newHeader(setup.env, { cwd: resolve(cwd), id, parentSession });
  const path = join(folder ?? setup.sessionFolder(cwd), sessionFileName(header));
  return new SessionManager(SessionFile.pending(path, header, setup), setup.env);
}

/**
 * Opens a session by path or by the beginning of its id. Raises SESSION_NOT_FOUND,
 * SESSION_AMBIGUOUS, SESSION_UNREADABLE, SESSION_HEADER_INVALID, SESSION_LOCKED.
 */
export async function openSession(
  pathOrId: string,
  options: OpenOptions = {},
): Promise<SessionManager> {
  const { mode = "write", create = false, cwd = process.cwd() } = options;
  const setup = setupOf(options, cwd);
  const path = create ? resolve(cwd, pathOrId) : await findSession(pathOrId, options);
  const file = new SessionFile(path, setup, { mode, create });
  await file.load();
  return new SessionManager(file, setup.env);
}

/**
 * Parses every record of a session and tells what is wrong; with `repair` it also writes what can be
 * read into a new file. The file itself stays as it is. Raises SESSION_NOT_FOUND, SESSION_AMBIGUOUS,
 * SESSION_UNREADABLE, SESSION_HEADER_INVALID, SESSION_WRITE_FAILED.
 */
export async function examineSession(
  pathOrId: string,
  options: StorageOptions & { readonly cwd?: string; readonly repair?: boolean } = {},
): Promise<Examination & { readonly repaired?: Repaired }> {
  const setup = setupOf(options, options.cwd ?? process.cwd());
  const path = await findSession(pathOrId, options);
  return examineFile(path, setup, (examination, content) => {
    const repaired = options.repair && content ? repairInto(path, content, setup) : undefined;
    return { ...examination, ...(repaired && { repaired }) };
  });
}

/**
 * Removes the lock of a session whose owner cannot be checked or is gone. Gives its file, and what is
 * known of the owner; `undefined` for `owner` if there was no lock. Raises SESSION_NOT_FOUND,
 * SESSION_AMBIGUOUS, SESSION_WRITE_FAILED, and SESSION_LOCKED for an owner that lives on this host.
 */
export async function unlockSession(
  pathOrId: string,
  options: StorageOptions & { readonly cwd?: string } = {},
): Promise<{ readonly file: string; readonly owner: LockHolder | undefined }> {
  const { env, disk } = setupOf(options, options.cwd ?? process.cwd());
  const path = await findSession(pathOrId, options);
  const file = disk.facts(path) ? disk.realPath(path) : path;
  try {
    return { file, owner: removeLock(file, env) };
  } catch (error) {
    throw writeFailed(`${file}.lock`, error);
  }
}

/** The most recent session of a project, opened for writing; without one, a new session. */
export async function continueRecent(
  cwd: string,
  options: StorageOptions = {},
): Promise<SessionManager> {
  const path = await mostRecent(cwd, options);
  return path === undefined ? createSession(cwd, options) : openSession(path, { ...options, cwd });
}

/** The valid session of a project whose file changed last (session tree §2.7). */
export async function mostRecent(
  cwd: string,
  options: StorageOptions = {},
): Promise<string | undefined> {
  const { disk } = setupOf(options, cwd);
  const folder: SessionFolder = {
    origin: "coppice",
    path: projectFolder(cwd, options.variables),
  };
  const files = sessionPaths(folder, disk)
    .map((path) => ({ path, modified: disk.facts(path)?.modified ?? 0 }))
    .sort((a, b) => b.modified - a.modified || (a.path < b.path ? 1 : -1));
  for (const { path } of files) {
    if (await readHeader(path, disk)) return path;
  }
  return undefined;
}

export interface ListSessionsOptions extends StorageOptions {
  /** Called after every file. */
  onProgress?(done: number, all: number): void;
}

/**
 * The sessions of a project, newest first, those of pi and omp included (session tree §2.7). Files
 * that are as they were when they were listed last are not read again.
 */
export async function listSessions(
  cwd: string,
  options: ListSessionsOptions = {},
): Promise<readonly SessionListItem[]> {
  const { disk, maxLineBytes, indexFolder } = setupOf(options, cwd);
  const project = realPath(cwd);
  const cache =
    indexFolder === undefined ? undefined : new ListingCache(indexFolder, project, maxLineBytes);
  const files = foldersOf(cwd, options.variables).flatMap((folder) =>
    sessionPaths(folder, disk).map((path) => ({ path, origin: folder.origin })),
  );
  const items: SessionListItem[] = [];
  for (const [index, { path, origin }] of files.entries()) {
    const list = { disk, maxLineBytes, origin, ...(cache && { cache }) };
    const item = await listItem(path, list);
    if (isOfProject(item, project)) items.push(item);
    options.onProgress?.(index + 1, files.length);
  }
  cache?.store();
  return items.sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

/** The folders of pi and omp may be shared by projects; the header then decides. */
function isOfProject({ origin, cwd }: SessionListItem, project: string): boolean {
  return origin === "coppice" || cwd === undefined || realPath(cwd) === project;
}

/**
 * The path of a session that is named by a path, or by its id or the beginning of it: this project's
 * sessions first, then all of coppice. Raises SESSION_NOT_FOUND, SESSION_AMBIGUOUS.
 */
export async function findSession(pathOrId: string, options: OpenOptions = {}): Promise<string> {
  const { cwd = process.cwd(), variables } = options;
  const { disk } = setupOf(options, cwd);
  const path = resolve(cwd, pathOrId);
  if (/[/\\]|\.jsonl$/.test(pathOrId) || isFile(path, disk)) return path;
  const own = await withId(pathOrId, foldersOf(cwd, variables), disk);
  const found = own.length > 0 ? own : await withId(pathOrId, allFolders(variables, disk), disk);
  const [first] = found;
  if (first && found.length === 1) return first.path;
  if (first) throw hostError("SESSION_AMBIGUOUS", { prefix: pathOrId, candidates: found });
  if (disk.facts(path)) return path;
  throw hostError("SESSION_NOT_FOUND", { path: pathOrId, kind: "id" });
}

interface Candidate {
  readonly id: string;
  readonly path: string;
}

/** Sessions whose id begins with a text; one whose id is the text stands alone. */
async function withId(
  prefix: string,
  folders: readonly SessionFolder[],
  disk: Disk,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const path of folders.flatMap((folder) => sessionPaths(folder, disk))) {
    const id = mayHaveId(path, prefix) ? (await readHeader(path, disk))?.id : undefined;
    if (id?.startsWith(prefix)) found.push({ id, path });
  }
  const exact = found.filter(({ id }) => id === prefix);
  return exact.length > 0 ? exact : found;
}

/** False if the file's name carries another id, so that it need not be read. */
function mayHaveId(path: string, prefix: string): boolean {
  const named = /^[\dTZ-]+_(.+)\.jsonl$/.exec(basename(path))?.[1];
  return named === undefined || named.startsWith(prefix);
}

function allFolders(variables: Variables | undefined, disk: Disk): readonly SessionFolder[] {
  const root = sessionsRoot(variables);
  if (disk.facts(root)?.kind !== "folder") return [];
  return disk.list(root).map((name) => ({ origin: "coppice", path: join(root, name) }));
}

async function readHeader(path: string, disk: Disk): Promise<SessionHeader | undefined> {
  try {
    if (!isFile(path, disk)) return undefined;
    const fd = disk.open(path, "read");
    try {
      const sink = { header: () => undefined, record: () => undefined };
      const options = { maxLineBytes: HEADER_BYTES, headerOnly: true };
      return (await scanSession(disk, fd, options, sink)).header?.record;
    } finally {
      disk.close(fd);
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}

/** Longer lines are no header. */
const HEADER_BYTES = 1 << 20;

function isFile(path: string, disk: Disk): boolean {
  return disk.facts(path)?.kind === "file";
}

function setupOf(options: StorageOptions, cwd: string): FileSetup {
  const { settings, env = nodeEnvironment, disk = nodeDisk, variables } = options;
  return {
    disk,
    env,
    cwd: resolve(cwd),
    maxLineBytes: Number(settings?.get("limits.maxLineBytes") ?? 64 << 20),
    durability: (settings?.get("durability") ?? "turn") as Durability,
    ...(disk === nodeDisk && { indexFolder: join(coppiceHome(variables), "cache", "sessions") }),
    sessionFolder: (project) => projectFolder(project, variables),
  };
}
