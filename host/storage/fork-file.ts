import { basename, dirname, join } from "node:path";
import {
  encodeRecord,
  type ForkItem,
  type ForkPlan,
  type JsonObject,
  type RecordRow,
} from "../../core/index.ts";
import { hostError } from "../errors.ts";
import { AppendLog, afterFailure, writeFailed } from "./append-log.ts";
import type { FileSetup } from "./loading.ts";
import type { SessionLock } from "./lock.ts";
import { takeLock } from "./open-file.ts";
import { RecordLog } from "./record-log.ts";
import { TemporaryFile } from "./temporary-file.ts";

/** The session that a new one is made from. */
export interface ForkSource {
  readonly path: string;
  readonly log: RecordLog;
  /** False if another program may have changed the file: every copied entry is then checked. */
  readonly isTrusted: boolean;
}

export interface ForkedFile {
  /** For reading. */
  readonly fd: number;
  readonly appends: AppendLog;
  readonly lock: SessionLock;
  readonly log: RecordLog;
}

/**
 * Writes a new session file whole, under a temporary name, and gives it its name (session tree
 * §6.6.6). On a failure nothing of it is left. Raises SESSION_WRITE_FAILED, SESSION_UNREADABLE.
 */
export function forkFile(
  path: string,
  plan: ForkPlan,
  source: ForkSource,
  setup: FileSetup,
): ForkedFile {
  const { disk, env, durability } = setup;
  try {
    disk.makeFolder(dirname(path));
    const realPath = join(disk.realPath(dirname(path)), basename(path));
    const temporary = new TemporaryFile(disk, realPath, env);
    try {
      const log = writeItems(plan, source, temporary, new RecordLog(disk));
      temporary.finish(durability !== "none");
      return { ...takePlace(realPath, temporary, log, setup), log };
    } catch (error) {
      throw afterFailure(path, error, () => temporary.remove());
    }
  } catch (error) {
    throw writeFailed(path, error);
  }
}

function takePlace(realPath: string, temporary: TemporaryFile, log: RecordLog, setup: FileSetup) {
  const { disk, durability } = setup;
  const lock = takeLock(realPath, setup);
  try {
    temporary.takeName();
    const fd = disk.open(realPath, "read");
    const facts = disk.factsOf(fd);
    const appends = new AppendLog(disk, realPath, facts, { endsWithLf: true, durability });
    appends.syncFolder(dirname(realPath));
    log.attach(fd);
    return { fd, appends, lock };
  } catch (error) {
    lock.release();
    throw afterFailure(realPath, error, () => temporary.removeEither());
  }
}

function writeItems(
  plan: ForkPlan,
  source: ForkSource,
  to: TemporaryFile,
  log: RecordLog,
): RecordLog {
  const oversized = oversizedIds(source.log);
  to.writeText(`${encodeRecord(plan.header)}\n`);
  let line = 1;
  for (const item of plan.items ?? []) {
    const offset = to.position;
    const row = "copy" in item ? (source.log.rows.at(item.copy) as RecordRow) : item.record.row;
    const big = oversized.get(row.id);
    if (big !== undefined) copyOversized(big, item, source, to);
    else if ("copy" in item) copyRecord(item.copy, source, to);
    else to.writeText(item.record.json);
    const place = { offset, length: to.position - offset };
    to.writeText("\n");
    log.push({ ...row, line: ++line }, big === undefined ? place : { ...place, isOversized: true });
  }
  return log;
}

function copyRecord(index: number, source: ForkSource, to: TemporaryFile): void {
  const { log, isTrusted } = source;
  const isPlain = isTrusted && !log.isMigrating();
  const found = isPlain ? undefined : log.migrate(index);
  if (isPlain || found?.isChanged === false) {
    if (!log.copyTo(index, to)) throw lostError(index, source);
    return;
  }
  const record = found?.record ?? log.cached(index);
  if (!record) throw lostError(index, source);
  to.writeText(encodeRecord(record));
}

function copyOversized(index: number, item: ForkItem, source: ForkSource, to: TemporaryFile): void {
  const { log } = source;
  if (!log.writeOversized(index, to, bigFields(item, log, index))) throw lostError(index, source);
}

function lostError(index: number, { path, log }: ForkSource) {
  const reason = `entry ${log.ids(index).id} was changed or cut off by another program`;
  return hostError("SESSION_UNREADABLE", { path, reason });
}

/** Entries whose content is not loaded: what changes in them is set beside it. */
function oversizedIds(log: RecordLog): ReadonlyMap<string, number> {
  const ids = new Map<string, number>();
  if (!log.hasOversized) return ids;
  for (let index = 0; index < log.rows.length; index++) {
    const id = log.rows.idAt(index);
    if (log.isOversized(index)) ids.set(id, index);
    else ids.delete(id);
  }
  return ids;
}

/** What is set beside the content of an oversized entry in the new file. */
function bigFields(item: ForkItem, log: RecordLog, index: number): JsonObject | undefined {
  if ("copy" in item) return log.isMigrating() ? log.ids(index) : undefined;
  const { oversizedBytes, ...fields } = JSON.parse(item.record.json) as JsonObject;
  return fields;
}
