import { timeOf } from "./entries.ts";
import { IdKeys } from "./id-keys.ts";
import type { RecordRow, RowKind, Rows } from "./rows.ts";

/** A row in numbers, as a scan of bytes finds it. */
export interface ScannedRow {
  /** As {@link RowTable.kindNumber} gives it. */
  kind: number;
  idKey: number;
  /** -1 for a parent that is `null`. */
  parentKey: number;
  /** Milliseconds of a timestamp in the form that is written; else NaN. */
  time: number;
  /** US dollars; NaN if there is none. */
  cost: number;
  line: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What only few rows have. */
type Extras = Pick<RecordRow, "targetId" | "label" | "name" | "keptId">;

/** A table as plain data and columns. */
export interface RowSnapshot {
  readonly length: number;
  readonly kinds: readonly RowKind[];
  /** Ids of another form than coppice writes, in the order of their keys. */
  readonly others: readonly string[];
  readonly otherTimes: readonly (readonly [number, string])[];
  readonly extras: readonly (readonly [number, Extras])[];
  readonly floats: readonly Floats[];
  readonly words: readonly Words[];
}

type Floats = Float64Array<ArrayBuffer>;
type Words = Uint32Array<ArrayBuffer>;

const SMALLEST = 64;
const NO_PARENT = -1;

/**
 * The index rows of a session in file order, held by columns: memory grows with their number, some
 * forty bytes each, and not with the text of the entries (session tree §17).
 */
export class RowTable implements Rows {
  readonly keys = new IdKeys();
  #length = 0;
  #ids = new Float64Array(SMALLEST);
  #parents = new Float64Array(SMALLEST);
  #times = new Float64Array(SMALLEST);
  #costs = new Float64Array(SMALLEST);
  #kinds = new Uint32Array(SMALLEST);
  #lines = new Uint32Array(SMALLEST);
  readonly #kindList: RowKind[] = [];
  readonly #kindNumbers = new Map<string, number>();
  /** Timestamps of another form than coppice writes. */
  readonly #otherTimes = new Map<number, string>();
  readonly #extras = new Map<number, Extras>();
  #lastName: string | undefined;

  get length(): number {
    return this.#length;
  }

  /** What {@link restore} makes an equal table of; the columns are views, valid until the next row. */
  snapshot(): RowSnapshot {
    const { length } = this;
    return {
      length,
      kinds: [...this.#kindList],
      others: this.keys.others(),
      otherTimes: [...this.#otherTimes],
      extras: [...this.#extras],
      floats: [this.#ids, this.#parents, this.#times, this.#costs].map((column) =>
        column.subarray(0, length),
      ),
      words: [this.#kinds, this.#lines].map((column) => column.subarray(0, length)),
    };
  }

  /** Fills an empty table; the columns become its own. */
  restore({ length, kinds, others, otherTimes, extras, floats, words }: RowSnapshot): void {
    for (const id of others) this.keys.of(id);
    for (const kind of kinds) this.kindNumber(kind);
    for (const [index, text] of otherTimes) this.#otherTimes.set(index, text);
    for (const [index, fields] of extras) {
      this.#extras.set(index, fields);
      if (fields.name !== undefined) this.#lastName = fields.name;
    }
    [this.#ids, this.#parents, this.#times, this.#costs] = floats as [
      Floats,
      Floats,
      Floats,
      Floats,
    ];
    [this.#kinds, this.#lines] = words as [Words, Words];
    this.#length = length;
  }

  push(row: RecordRow): void {
    const { id, parentId, timestamp, line, cost } = row;
    const time = writtenTime(timestamp);
    if (timestamp !== undefined && Number.isNaN(time)) {
      this.#otherTimes.set(this.#length, timestamp);
    }
    this.#keepExtras(row);
    this.pushScanned({
      kind: this.kindNumber(row),
      idKey: this.keys.of(id),
      parentKey: parentId === null ? NO_PARENT : this.keys.of(parentId),
      time,
      cost: cost ?? Number.NaN,
      line: line ?? 0,
    });
  }

  pushScanned({ kind, idKey, parentKey, time, cost, line }: ScannedRow): void {
    const index = this.#length++;
    if (index === this.#ids.length) this.#grow();
    this.#ids[index] = idKey;
    this.#parents[index] = parentKey;
    this.#times[index] = time;
    this.#costs[index] = cost;
    this.#kinds[index] = kind;
    this.#lines[index] = line;
  }

  /** The number under which a kind is held. */
  kindNumber(row: RowKind): number {
    const kind = kindOf(row);
    const name = JSON.stringify(kind);
    let number = this.#kindNumbers.get(name);
    if (number === undefined) {
      number = this.#kindList.length;
      this.#kindNumbers.set(name, number);
      this.#kindList.push(kind);
    }
    return number;
  }

  at(index: number): RecordRow | undefined {
    if (!(index >= 0 && index < this.#length)) return undefined;
    const row: Mutable<RecordRow> = {
      ...this.kindAt(index),
      id: this.idAt(index),
      parentId: this.parentIdAt(index),
      timestamp: this.timestampAt(index),
    };
    const line = this.#lines[index] as number;
    const cost = this.#costs[index] as number;
    if (line > 0) row.line = line;
    if (!Number.isNaN(cost)) row.cost = cost;
    const extras = this.#extras.get(index);
    return extras ? { ...row, ...extras } : row;
  }

  /** The last row with an id, found from the end; -1 without one. */
  lastWith(id: string): number {
    const key = this.keyOf(id);
    let index = this.#length - 1;
    while (index >= 0 && this.#ids[index] !== key) index--;
    return index;
  }

  idKey(index: number): number {
    return this.#ids[index] as number;
  }

  parentKey(index: number): number {
    return this.#parents[index] as number;
  }

  keyOf(id: string): number {
    return this.keys.known(id);
  }

  idAt(index: number): string {
    return this.keys.text(this.#ids[index] as number);
  }

  parentIdAt(index: number): string | null {
    const key = this.#parents[index] as number;
    return key === NO_PARENT ? null : this.keys.text(key);
  }

  kindAt(index: number): RowKind {
    return this.#kindList[this.#kinds[index] as number] as RowKind;
  }

  costAt(index: number): number | undefined {
    const cost = this.#costs[index] as number;
    return Number.isNaN(cost) ? undefined : cost;
  }

  timeAt(index: number): number | undefined {
    const time = this.#times[index] as number;
    return Number.isNaN(time) ? timeOf(this.#otherTimes.get(index)) : time;
  }

  timestampAt(index: number): string | undefined {
    const time = this.#times[index] as number;
    return Number.isNaN(time) ? this.#otherTimes.get(index) : new Date(time).toISOString();
  }

  /** Takes rows away from the end, for a copy whose last rows were provisional. */
  truncate(length: number): void {
    this.#length = length;
    for (const index of this.#otherTimes.keys())
      if (index >= length) this.#otherTimes.delete(index);
    this.#lastName = undefined;
    for (const [index, { name }] of this.#extras) {
      if (index >= length) this.#extras.delete(index);
      else if (name !== undefined) this.#lastName = name;
    }
  }

  lastName(): string | undefined {
    return this.#lastName;
  }

  #keepExtras({ targetId, label, name, keptId }: RecordRow): void {
    if (name !== undefined) this.#lastName = name;
    if ((targetId ?? label ?? name ?? keptId) === undefined) return;
    this.#extras.set(this.#length, {
      ...(targetId !== undefined && { targetId }),
      ...(label !== undefined && { label }),
      ...(name !== undefined && { name }),
      ...(keptId !== undefined && { keptId }),
    });
  }

  #grow(): void {
    const length = Math.max(SMALLEST, this.#ids.length * 2);
    const floats = (old: Floats) => {
      const column = new Float64Array(length);
      column.set(old);
      return column;
    };
    const words = (old: Words) => {
      const column = new Uint32Array(length);
      column.set(old);
      return column;
    };
    this.#ids = floats(this.#ids);
    this.#parents = floats(this.#parents);
    this.#times = floats(this.#times);
    this.#costs = floats(this.#costs);
    this.#kinds = words(this.#kinds);
    this.#lines = words(this.#lines);
  }
}

/** Milliseconds of a timestamp that is exactly of the form written, else NaN. */
function writtenTime(timestamp: string | undefined): number {
  const time = timeOf(timestamp);
  if (time === undefined) return Number.NaN;
  return new Date(time).toISOString() === timestamp ? time : Number.NaN;
}

function kindOf({
  type,
  role,
  customType,
  toolName,
  stopReason,
  hasText,
  marker,
}: RowKind): RowKind {
  return {
    type,
    hasText,
    ...(role !== undefined && { role }),
    ...(customType !== undefined && { customType }),
    ...(toolName !== undefined && { toolName }),
    ...(stopReason !== undefined && { stopReason }),
    ...(marker !== undefined && { marker }),
  };
}
