import { basename, dirname, join } from "node:path";
import type { NewRecord } from "../../core/index.ts";
import { AppendLog, afterFailure, writeFailed } from "./append-log.ts";
import type { FileSetup } from "./loading.ts";
import type { SessionLock } from "./lock.ts";
import { takeLock } from "./open-file.ts";
import type { RecordLog } from "./record-log.ts";

/** A file that holds a session since just now. */
export interface NewFile {
  /** For reading. */
  readonly fd: number;
  readonly appends: AppendLog;
  readonly lock: SessionLock;
  /** Bytes before the first line that was written. */
  readonly offset: number;
}

/** Lines of JSON texts, each with its line feed. */
export function linesOf(texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text}\n`).join(""));
}

/** Takes records into a log whose lines stand one after the other from `offset` on. */
export function pushLines(log: RecordLog, records: readonly NewRecord[], offset: number): void {
  let at = offset;
  for (const { row, json } of records) {
    const length = Buffer.byteLength(json);
    log.push(row, { offset: at, length });
    at += length + 1;
  }
}

/**
 * Creates the file of a pending session with its first lines, by one write (session tree §5.1).
 * `blank` is the blank file at the path, if there is one: it is appended to. On a failure nothing is
 * left of it. Raises SESSION_WRITE_FAILED, SESSION_LOCKED, SESSION_CHANGED.
 */
export function createFile(
  path: string,
  blank: AppendLog | undefined,
  lines: Buffer,
  setup: FileSetup,
): NewFile {
  const { disk } = setup;
  try {
    const made = disk.makeFolder(dirname(path));
    const realPath = blank?.path ?? join(disk.realPath(dirname(path)), basename(path));
    const lock = takeLock(realPath, setup);
    try {
      const appends = blank ?? newLog(realPath, setup);
      return { ...fill(appends, lines, foldersToSync(path, made), setup, blank), lock };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw writeFailed(path, error);
  }
}

function newLog(realPath: string, { disk, durability }: FileSetup): AppendLog {
  const fd = disk.open(realPath, "create");
  return new AppendLog(disk, realPath, disk.factsOf(fd), { endsWithLf: true, durability, fd });
}

function fill(
  appends: AppendLog,
  lines: Buffer,
  folders: readonly string[],
  { disk }: FileSetup,
  blank: AppendLog | undefined,
) {
  const before = appends.end;
  try {
    const { offset } = appends.append(lines);
    for (const folder of folders) appends.syncFolder(folder);
    return { fd: disk.open(appends.path, "read"), appends, offset };
  } catch (error) {
    throw afterFailure(appends.path, error, () => {
      if (blank) appends.takeBack(before);
      else {
        appends.abandon();
        disk.remove(appends.path);
      }
    });
  }
}

/** A new file's name, and those of the folders that were made for it, must survive a crash too. */
function foldersToSync(path: string, made: string | undefined): readonly string[] {
  const folders = [dirname(path)];
  const top = made === undefined ? folders[0] : dirname(made);
  while (folders[0] !== top) folders.unshift(dirname(folders[0] as string));
  return folders;
}
