import { isDeepStrictEqual } from "node:util";
import {
  type Diagnostic,
  deepFreeze,
  isJsonObject,
  type JsonObject,
  type Migration,
  type RecordRow,
  RowTable,
  rowOf,
  type ScannedRow,
} from "../../core/index.ts";
import type { Disk } from "./disk.ts";
import { type FilePlace, Places, type RecordPlace } from "./places.ts";
import { ReadAhead } from "./read-ahead.ts";
import { RecordCache } from "./record-cache.ts";
import type { Span } from "./scan.ts";
import type { TemporaryFile } from "./temporary-file.ts";

/** Bytes of parsed records that are kept at most. */
const CACHE_BYTES = 32 << 20;

interface Migrated {
  readonly record: JsonObject;
  readonly isChanged: boolean;
}

/**
 * The records of one session: a row and a place for each, in file order. An entry is built from its
 * bytes when it is asked for; parsed ones are kept up to a bound.
 */
export class RecordLog {
  readonly #disk: Disk;
  readonly #rows = new RowTable();
  readonly places = new Places();
  readonly #cache = new RecordCache(CACHE_BYTES);
  readonly #lost = new Map<number, Diagnostic>();
  readonly #ahead = new ReadAhead();
  #fd: number | undefined;
  #path: string | undefined;
  #migration: Migration | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get rows(): RowTable {
    return this.#rows;
  }

  /** Entries whose bytes are no longer what they were when the file was loaded. */
  lost(): readonly Diagnostic[] {
    return [...this.#lost.values()];
  }

  /** The file that places refer to, and how its records become those of the present format. */
  attach(fd: number | undefined, migration?: Migration): void {
    this.#fd = fd;
    this.#ahead.forget();
    this.#migration = migration;
  }

  /** The file is closed; what is asked for from now on is read by opening it for a moment. */
  detach(path: string): void {
    this.#fd = undefined;
    this.#path = path;
  }

  push(row: RecordRow, place: RecordPlace): void {
    this.#rows.push(row);
    this.places.push(place);
  }

  pushScanned(row: ScannedRow, place: Span): void {
    this.#rows.pushScanned(row);
    this.places.push(place);
  }

  place(index: number): RecordPlace {
    return this.places.at(index);
  }

  /** All places, in file order. */
  allPlaces(): RecordPlace[] {
    return Array.from({ length: this.#rows.length }, (_, index) => this.places.at(index));
  }

  /** The same record, at another place. */
  moveTo(index: number, place: RecordPlace): void {
    this.places.set(index, place);
  }

  isOversized(index: number): boolean {
    return this.places.isOversized(index);
  }

  get hasOversized(): boolean {
    return this.places.hasOversized;
  }

  /** True if the file is of an old format, so that bytes may differ from what `read` gives. */
  isMigrating(): boolean {
    return this.#migration?.isNeeded === true;
  }

  /** What format 1 does not hold. */
  ids(index: number): { readonly id: string; readonly parentId: string | null } {
    const { id, parentId } = this.#row(index);
    return { id, parentId };
  }

  /** Migrated and frozen. An entry whose bytes are lost keeps its base fields. */
  read(index: number): JsonObject {
    const known = this.#cache.get(index);
    if (known) return known;
    const place = this.place(index);
    const length = "json" in place ? place.json.length : place.length;
    if (this.isOversized(index)) return deepFreeze(baseFields(this.#row(index), length));
    const record = this.#migrated(index, this.#bytes(index))?.record;
    if (record) {
      this.#cache.keep(index, deepFreeze(record), length);
      return record;
    }
    const row = this.#row(index);
    this.#lost.set(index, lostDiagnostic(row, place));
    return deepFreeze(baseFields(row));
  }

  /** The record if it is parsed already. */
  cached(index: number): JsonObject | undefined {
    return this.#cache.get(index);
  }

  /**
   * The record in the present format, parsed anew, and whether migration changes it; `undefined` if
   * its bytes on the disk are no longer those that were loaded.
   */
  migrate(index: number): Migrated | undefined {
    this.#ahead.forget();
    return this.#migrated(index, this.#bytes(index));
  }

  /** Whether the record in the file is the one that its row tells of. */
  isSound(index: number): boolean {
    if (this.isOversized(index)) return true;
    const raw = this.#raw(index, this.#bytes(index));
    const { line } = this.#row(index);
    return raw !== undefined && isDeepStrictEqual(rowOf(raw, line), this.#row(index));
  }

  /** Copies the bytes of a record's object as they are; false if not all are there. */
  copyTo(index: number, to: TemporaryFile): boolean {
    const place = this.place(index);
    if ("json" in place) to.writeText(place.json);
    else return this.#copy(place.offset, place.length, to);
    return true;
  }

  /** Copies an oversized object, some fields set anew: of equal keys in an object the last counts. */
  writeOversized(index: number, to: TemporaryFile, fields: JsonObject | undefined): boolean {
    if (!fields) return this.copyTo(index, to);
    const { offset, length } = this.place(index) as FilePlace;
    const isWhole = this.#copy(offset, length - 1, to);
    to.writeText(`,${JSON.stringify(fields).slice(1)}`);
    return isWhole;
  }

  #row(index: number): RecordRow {
    return this.#rows.at(index) as RecordRow;
  }

  #copy(offset: number, length: number, to: TemporaryFile): boolean {
    return this.#fd !== undefined && to.copy(this.#fd, offset, length) === length;
  }

  #migrated(index: number, bytes: Buffer): Migrated | undefined {
    const raw = this.#raw(index, bytes);
    if (!raw) return undefined;
    const record = this.isMigrating() ? this.#migration?.again(raw, this.#row(index)) : raw;
    return { record: record ?? raw, isChanged: record !== raw };
  }

  #bytes(index: number): Buffer {
    const place = this.place(index);
    if ("json" in place) return Buffer.from(place.json);
    if (this.#fd === undefined) return this.#bytesOfClosed(place);
    return this.#ahead.read(this.#disk, this.#fd, place);
  }

  #bytesOfClosed(place: Span): Buffer {
    if (this.#path === undefined || !this.#disk.facts(this.#path)) return Buffer.alloc(0);
    const fd = this.#disk.open(this.#path, "read");
    try {
      return this.#ahead.read(this.#disk, fd, place);
    } finally {
      this.#disk.close(fd);
    }
  }

  /** The record as it stands in the file, or `undefined` if that is not what was loaded. */
  #raw(index: number, bytes: Buffer): JsonObject | undefined {
    try {
      const value: unknown = JSON.parse(bytes.toString("utf8"));
      if (!isJsonObject(value) || value.type !== this.#rows.kindAt(index).type) return undefined;
      return this.isMigrating() || value.id === this.#rows.idAt(index) ? value : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** What is known of an entry without its content; `oversizedBytes` tells why it is missing. */
function baseFields(row: RecordRow, oversizedBytes?: number): JsonObject {
  const { type, id, parentId, timestamp } = row;
  return {
    type,
    id,
    parentId,
    ...(timestamp !== undefined && { timestamp }),
    ...(oversizedBytes !== undefined && { oversizedBytes }),
  };
}

function lostDiagnostic({ line, id }: RecordRow, place: RecordPlace): Diagnostic {
  const message = `entry ${id} could not be read again; its content is not shown`;
  const { offset, length } = place as Partial<Span>;
  return {
    code: "MALFORMED_LINE",
    ...(line !== undefined && { line }),
    ...(offset !== undefined && { offset }),
    ...(length !== undefined && { length }),
    id,
    message,
  };
}
