import type { Disk } from "./disk.ts";
import {
  type FileKey,
  INDEXED_BYTES,
  indexPath,
  readIndex,
  removeIndex,
  type StoredScan,
  TAIL_BYTES,
  tailHash,
  writeIndex,
} from "./index-file.ts";
import type { FileSetup, Loaded } from "./loading.ts";
import { RecordLog } from "./record-log.ts";

/** Where the index of one session file is kept, and whether it is of the file as it was read. */
export interface IndexPlace {
  readonly path: string;
  readonly key: FileKey;
  readonly isStored: boolean;
}

/** Rows that are compared with the file before an index is used. */
const SAMPLES = 32;

/** Where the index of an open file is kept; `undefined` for one that is too small to need any. */
export function indexPlace(
  realPath: string,
  fd: number,
  { disk, indexFolder, maxLineBytes }: FileSetup,
): Omit<IndexPlace, "isStored"> | undefined {
  if (indexFolder === undefined) return undefined;
  const { identity, size, stamp } = disk.factsOf(fd);
  if (size < INDEXED_BYTES) return undefined;
  const tail = Buffer.alloc(TAIL_BYTES);
  disk.read(fd, tail, size - TAIL_BYTES);
  const key = { facts: { identity, size, stamp }, tail: tailHash(tail), maxLineBytes };
  return { path: indexPath(indexFolder, realPath), key };
}

/**
 * What the index of a file holds, after some of its rows were found in the file as they are there. An
 * index that does not hold is removed.
 */
export function loadIndexed(
  fd: number,
  disk: Disk,
  { path, key }: Omit<IndexPlace, "isStored">,
): { readonly log: RecordLog; readonly scan: StoredScan } | undefined {
  const scan = readIndex(path, key);
  if (!scan) return undefined;
  const log = new RecordLog(disk);
  log.rows.restore(scan.rows);
  log.places.restore(scan.places);
  log.attach(fd);
  if (hasSampled(log)) return { log, scan };
  removeIndex(path);
  return undefined;
}

function hasSampled(log: RecordLog): boolean {
  const { length } = log.rows;
  const step = Math.max(1, Math.floor(length / SAMPLES));
  for (let index = length - 1; index >= 0; index -= step) if (!log.isSound(index)) return false;
  return true;
}

/** Keeps the index of a file that is about to be closed. */
export function storeIndex(
  { log, stored }: Pick<Loaded, "log" | "stored">,
  endsWithLf: boolean,
  { path, key }: Pick<IndexPlace, "path" | "key">,
): void {
  const places = log.places.snapshot();
  if (places) writeIndex(path, key, { ...stored, endsWithLf, rows: log.rows.snapshot(), places });
}
