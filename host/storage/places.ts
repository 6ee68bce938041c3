import type { Span } from "./scan.ts";

/** Bytes of the session file; of an oversized entry only the base fields are ever loaded. */
export interface FilePlace extends Span {
  readonly isOversized?: boolean;
}

/** Where the text of a record is: in the file, or held in memory while it is in none. */
export type RecordPlace = FilePlace | { readonly json: string };

type Column = Float64Array<ArrayBuffer>;

export interface PlacesSnapshot {
  readonly floats: readonly Column[];
  readonly oversized: readonly number[];
}

const SMALLEST = 64;

/** The places of the records of a session, by columns. */
export class Places {
  #length = 0;
  #offsets = new Float64Array(SMALLEST);
  #lengths = new Float64Array(SMALLEST);
  readonly #oversized = new Set<number>();
  readonly #texts = new Map<number, string>();

  push(place: RecordPlace): void {
    const index = this.#length++;
    if (index === this.#offsets.length) this.#grow();
    this.set(index, place);
  }

  set(index: number, place: RecordPlace): void {
    if ("json" in place) {
      this.#texts.set(index, place.json);
      return;
    }
    this.#offsets[index] = place.offset;
    this.#lengths[index] = place.length;
    if (this.#texts.size > 0) this.#texts.delete(index);
    if (place.isOversized) this.#oversized.add(index);
  }

  at(index: number): RecordPlace {
    const json = this.#texts.get(index);
    if (json !== undefined) return { json };
    const offset = this.#offsets[index] as number;
    const length = this.#lengths[index] as number;
    return { offset, length, ...(this.#oversized.has(index) && { isOversized: true }) };
  }

  isOversized(index: number): boolean {
    return this.#oversized.has(index);
  }

  get hasOversized(): boolean {
    return this.#oversized.size > 0;
  }

  /** What {@link restore} makes equal places of; `undefined` while a text is in no file. */
  snapshot(): PlacesSnapshot | undefined {
    if (this.#texts.size > 0) return undefined;
    const columns = [this.#offsets, this.#lengths];
    return {
      floats: columns.map((column) => column.subarray(0, this.#length)),
      oversized: [...this.#oversized],
    };
  }

  /** Fills empty places; the columns become their own. */
  restore({ floats, oversized }: PlacesSnapshot): void {
    [this.#offsets, this.#lengths] = floats as [Column, Column];
    this.#length = this.#offsets.length;
    for (const index of oversized) this.#oversized.add(index);
  }

  #grow(): void {
    const [offsets, lengths] = [this.#offsets, this.#lengths];
    const length = Math.max(SMALLEST, offsets.length * 2);
    this.#offsets = new Float64Array(length);
    this.#offsets.set(offsets);
    this.#lengths = new Float64Array(length);
    this.#lengths.set(lengths);
  }
}
