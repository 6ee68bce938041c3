import { encodeRecord, migrateHeader } from "../../core/index.ts";
import { hostError } from "../errors.ts";
import { AppendLog, afterFailure, writeFailed } from "./append-log.ts";
import type { Disk } from "./disk.ts";
import type { FileSetup, Legacy } from "./loading.ts";
import type { FilePlace } from "./places.ts";
import type { RecordLog } from "./record-log.ts";
import type { Span } from "./scan.ts";
import { TemporaryFile } from "./temporary-file.ts";

/** A session file that is to be rewritten in the present format. */
export interface OldFile {
  readonly fd: number;
  readonly appends: AppendLog;
  readonly log: RecordLog;
  readonly legacy: Legacy;
  /** Version as it stands in the file: the backup is named after it. */
  readonly version: number;
}

/** What takes the place of an old file. */
export interface RewrittenFile {
  readonly fd: number;
  readonly appends: AppendLog;
  readonly places: readonly FilePlace[];
}

/**
 * Rewrites a file of an old format (session tree §5.4): only the objects that migration changes are
 * written anew, every other byte is copied. The original stays as a backup, and at any time either
 * the old or the new complete file has the name. The caller makes the new name durable. Raises
 * SESSION_WRITE_FAILED, SESSION_CHANGED.
 */
export function rewriteFile(old: OldFile, setup: FileSetup): RewrittenFile {
  const { disk, durability, env } = setup;
  const { path } = old.appends;
  old.appends.check();
  try {
    const temporary = new TemporaryFile(disk, path, env);
    try {
      const places = copyMigrated(old, temporary);
      temporary.finish(durability !== "none");
      old.appends.check();
      keepBackup(path, old.version, disk);
      temporary.takeName();
      const fd = disk.open(path, "read");
      const options = { endsWithLf: true, durability };
      return { fd, appends: new AppendLog(disk, path, disk.factsOf(fd), options), places };
    } catch (error) {
      throw afterFailure(path, error, () => temporary.remove());
    }
  } catch (error) {
    throw writeFailed(path, error);
  }
}

/** Copies the file with every changed object replaced; gives the new places of the records. */
function copyMigrated(old: OldFile, to: TemporaryFile): FilePlace[] {
  const { fd, log, legacy, appends } = old;
  const { size, endsWithLf } = appends.end;
  let from = 0;
  const copyUpTo = (end: number) => {
    to.copy(fd, from, end - from);
    from = end;
  };
  const replace = ({ offset, length }: Span, write: () => void): FilePlace => {
    copyUpTo(offset);
    const start = to.position;
    write();
    from = offset + length;
    return { offset: start, length: to.position - start };
  };
  replace(legacy, () => to.writeText(encodeRecord(migrateHeader(legacy.header))));
  const places = log.allPlaces().map((found, index): FilePlace => {
    const place = found as FilePlace;
    if (place.isOversized && old.version === 1) {
      return {
        ...replace(place, () => log.writeOversized(index, to, log.ids(index))),
        isOversized: true,
      };
    }
    const changed = place.isOversized ? undefined : changedText(old, index);
    if (changed !== undefined) return replace(place, () => to.writeText(changed));
    return { ...place, offset: place.offset - from + to.position };
  });
  copyUpTo(size);
  if (!endsWithLf) to.writeText("\n");
  return places;
}

function changedText({ log, appends }: OldFile, index: number): string | undefined {
  const found = log.migrate(index);
  if (found) return found.isChanged ? encodeRecord(found.record) : undefined;
  const { size } = appends.end;
  throw hostError("SESSION_CHANGED", { path: appends.path, expected: size, found: size });
}

/** Keeps the original under a backup name; an equal backup from an earlier try is enough. */
function keepBackup(path: string, version: number, disk: Disk): void {
  const name = `${path}.v${version}.bak`;
  let backup = name;
  for (let n = 2; disk.facts(backup); n++) {
    if (isSameContent(path, backup, disk)) return;
    backup = `${name}-${n}`;
  }
  disk.link(path, backup);
}

function isSameContent(one: string, other: string, disk: Disk): boolean {
  const [a, b] = [disk.facts(one), disk.facts(other)];
  if (a?.identity === b?.identity) return true;
  if (!a || b?.kind !== "file" || a.size !== b.size) return false;
  return withFile(disk, one, (left) =>
    withFile(disk, other, (right) => {
      for (let at = 0; at < a.size; at += COMPARE_BYTES) {
        if (!readBlock(disk, left, at).equals(readBlock(disk, right, at))) return false;
      }
      return true;
    }),
  );
}

const COMPARE_BYTES = 1 << 20;

function readBlock(disk: Disk, fd: number, offset: number): Buffer {
  const block = Buffer.allocUnsafe(COMPARE_BYTES);
  return block.subarray(0, disk.read(fd, block, offset));
}

function withFile<T>(disk: Disk, path: string, use: (fd: number) => T): T {
  const fd = disk.open(path, "read");
  try {
    return use(fd);
  } finally {
    disk.close(fd);
  }
}
