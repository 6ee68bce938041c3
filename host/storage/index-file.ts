import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import {
  type Diagnostic,
  errorCode,
  type RowSnapshot,
  type SessionHeader,
} from "../../core/index.ts";
import type { FileFacts } from "./disk.ts";
import type { PlacesSnapshot } from "./places.ts";
import type { Span } from "./scan.ts";

/** All that reading a session file gave, so that a second opening need not read it again. */
export interface StoredScan {
  readonly header: Span & { readonly record: SessionHeader };
  readonly slotTitle: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly endsWithLf: boolean;
  readonly rows: RowSnapshot;
  readonly places: PlacesSnapshot;
}

/** What a scan gives beside rows and places. */
export type StoredFacts = Pick<StoredScan, "header" | "slotTitle" | "diagnostics">;

/** What a session file must still be for its index to count. */
export interface FileKey {
  readonly facts: Pick<FileFacts, "identity" | "size" | "stamp">;
  /** Hash of the last bytes. */
  readonly tail: string;
  /** Longer lines were not loaded. */
  readonly maxLineBytes: number;
}

/** Smaller files are read faster than an index is kept. */
export const INDEXED_BYTES = 1 << 20;
/** Of these many bytes at the end of the file the hash is kept. */
export const TAIL_BYTES = 64 << 10;

/** First line of an index file; another version is another name. */
const MAGIC = Buffer.from("coppice session index 1\n");
const HASH_BYTES = 32;
const PREFIX_BYTES = MAGIC.length + HASH_BYTES + 4;

/** Where the index of a session file lies in a cache folder. */
export function indexPath(folder: string, sessionPath: string): string {
  return join(folder, `${sha256(Buffer.from(sessionPath)).toString("hex").slice(0, 32)}.idx`);
}

export function tailHash(bytes: Uint8Array): string {
  return sha256(bytes).toString("hex");
}

/** The index of a file, if it is whole and of the file as it is now. */
export function readIndex(path: string, key: FileKey): StoredScan | undefined {
  const bytes = contentOf(path);
  if (!bytes || bytes.length < PREFIX_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    return undefined;
  }
  const content = bytes.subarray(MAGIC.length + HASH_BYTES);
  const hash = bytes.subarray(MAGIC.length, MAGIC.length + HASH_BYTES);
  if (!sha256(content).equals(hash)) return undefined;
  const end = 4 + content.readUInt32LE(0);
  const facts = JSON.parse(content.toString("utf8", 4, end)) as Facts;
  if (JSON.stringify(facts.key) !== JSON.stringify(key)) return undefined;
  return restored(facts, content.subarray(end));
}

/** Writes the index of a file beside its name and then gives it its name. */
export function writeIndex(path: string, key: FileKey, scan: StoredScan): void {
  const { rows, places, ...rest } = scan;
  const { floats, words, ...table } = rows;
  const facts: Facts = { key, ...rest, table, oversized: places.oversized };
  const text = Buffer.from(JSON.stringify(facts));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  const columns = [...floats, ...places.floats, ...words].map(bytesOf);
  const content = Buffer.concat([size, text, ...columns]);
  const half = `${path}.${process.pid}.tmp`;
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  fs.writeFileSync(half, Buffer.concat([MAGIC, sha256(content), content]), { mode: 0o600 });
  fs.renameSync(half, path);
}

export function removeIndex(path: string): void {
  fs.rmSync(path, { force: true });
}

interface Facts extends Omit<StoredScan, "rows" | "places"> {
  readonly key: FileKey;
  readonly table: Omit<RowSnapshot, "floats" | "words">;
  readonly oversized: readonly number[];
}

const ROW_FLOATS = 4;
const PLACE_FLOATS = 2;
const ROW_WORDS = 2;

function restored({ key: _, table, oversized, ...rest }: Facts, columns: Buffer): StoredScan {
  const { length } = table;
  let at = 0;
  const next = (bytes: number): ArrayBuffer => {
    const part = columns.subarray(at, at + bytes);
    at += bytes;
    return part.buffer.slice(part.byteOffset, part.byteOffset + part.length) as ArrayBuffer;
  };
  const floats = (count: number) =>
    Array.from({ length: count }, () => new Float64Array(next(length * 8)));
  const rowFloats = floats(ROW_FLOATS);
  const places = { floats: floats(PLACE_FLOATS), oversized };
  const words = Array.from({ length: ROW_WORDS }, () => new Uint32Array(next(length * 4)));
  return { ...rest, rows: { ...table, floats: rowFloats, words }, places };
}

function contentOf(path: string): Buffer | undefined {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    // Without an index the file itself is read.
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
