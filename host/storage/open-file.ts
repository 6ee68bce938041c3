import { dirname } from "node:path";
import { coreError, type Diagnostic, FORMAT_VERSION } from "../../core/index.ts";
import { hostError } from "../errors.ts";
import { AppendLog, isSystemError, systemReason, writeFailed } from "./append-log.ts";
import type { Disk, FileFacts } from "./disk.ts";
import { type FileSetup, type Loaded, loadRecords } from "./loading.ts";
import { acquireLock, type SessionLock } from "./lock.ts";

/** A file at the path of a session, opened. */
export type OpenedFile =
  | { readonly kind: "missing" }
  /** Empty or blank: a pending session, with the file that will be appended to. */
  | { readonly kind: "blank"; readonly appends: AppendLog }
  | {
      readonly kind: "session";
      readonly loaded: Loaded;
      /** For reading. */
      readonly fd: number;
      readonly readOnly: ReadOnly | undefined;
      /** Unless it is read-only. */
      readonly held: { readonly appends: AppendLog; readonly lock: SessionLock } | undefined;
    };

interface ReadOnly {
  readonly reason: string;
  readonly diagnostic?: Diagnostic;
}

/** Opens what is at a path (session tree §3.1); for writing it takes the lock. Changes no byte. */
export async function openFile(
  path: string,
  mode: "read" | "write",
  setup: FileSetup,
): Promise<OpenedFile> {
  const facts = readable(path, () => setup.disk.facts(path));
  if (!facts) return { kind: "missing" };
  if (facts.kind !== "file") {
    const reason = facts.kind === "folder" ? "it is a folder" : "it is no file";
    throw hostError("SESSION_UNREADABLE", { path, reason });
  }
  const fd = readable(path, () => setup.disk.open(path, "read"));
  try {
    const opened = await readOpened(path, fd, mode, setup);
    if (opened.kind !== "session") setup.disk.close(fd);
    return opened;
  } catch (error) {
    setup.disk.close(fd);
    throw unreadable(path, error);
  }
}

async function readOpened(
  path: string,
  fd: number,
  mode: "read" | "write",
  setup: FileSetup,
): Promise<OpenedFile> {
  const realPath = setup.disk.realPath(path);
  const { scan, loaded } = await loadRecords(realPath, fd, setup);
  if (scan.problem) throw coreError("SESSION_HEADER_INVALID", { path, ...scan.problem });
  if (!loaded) return { kind: "blank", appends: appendLog(realPath, fd, scan, setup) };
  const readOnly = whyReadOnly(path, realPath, mode, loaded, setup.disk);
  if (readOnly) return { kind: "session", loaded, fd, readOnly, held: undefined };
  const lock = takeLock(realPath, setup);
  try {
    return { kind: "session", fd, readOnly, ...(await reread(realPath, fd, loaded, lock, setup)) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** What was read before the lock was held is read again if it has changed by then. */
async function reread(
  realPath: string,
  fd: number,
  loaded: Loaded,
  lock: SessionLock,
  setup: FileSetup,
) {
  const isSame = setup.disk.factsOf(fd).size === loaded.size;
  const current = isSame ? loaded : ((await loadRecords(realPath, fd, setup)).loaded ?? loaded);
  return { loaded: current, held: { appends: appendLog(realPath, fd, current, setup), lock } };
}

function appendLog(
  realPath: string,
  fd: number,
  { size, endsWithLf }: { readonly size: number; readonly endsWithLf: boolean },
  { disk, durability }: FileSetup,
): AppendLog {
  const facts: FileFacts = { ...disk.factsOf(fd), size };
  return new AppendLog(disk, realPath, facts, { endsWithLf, durability });
}

/** Takes the lock. Raises SESSION_LOCKED, SESSION_WRITE_FAILED. */
export function takeLock(realPath: string, { env }: FileSetup): SessionLock {
  try {
    return acquireLock(realPath, env);
  } catch (error) {
    throw writeFailed(`${realPath}.lock`, error);
  }
}

function whyReadOnly(
  path: string,
  realPath: string,
  mode: "read" | "write",
  { version }: Loaded,
  disk: Disk,
): ReadOnly | undefined {
  if (version > FORMAT_VERSION) return newerVersion(version);
  const locked = [dirname(realPath), realPath].find((place) => !disk.canWrite(place));
  if (locked === undefined) return mode === "read" ? { reason: "it was opened so" } : undefined;
  const reason =
    locked === realPath
      ? "there is no right to write the file"
      : "there is no right to write its folder";
  const message = `${path} is opened read-only: ${reason}`;
  return { reason, diagnostic: { code: "READ_ONLY_FOLDER", message } };
}

function newerVersion(version: number): ReadOnly {
  const reason = `it has format version ${version}, newer than ${FORMAT_VERSION}`;
  const message =
    `the session has format version ${version}; this program knows versions up to ` +
    `${FORMAT_VERSION}, so it is opened read-only`;
  return { reason, diagnostic: { code: "VERSION_NEWER", message } };
}

function readable<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** SESSION_UNREADABLE for an error of the file system; other errors stay as they are. */
function unreadable(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return hostError("SESSION_UNREADABLE", { path, reason: systemReason(error) }, error);
}
