import type { JsonObject } from "../../core/index.ts";

/**
 * Parsed records by position, up to a bound of bytes. Two generations: when the young one is half of
 * the bound it becomes the old one, and what was old and not asked for meanwhile is dropped at once.
 */
export class RecordCache {
  readonly #half: number;
  #young = new Map<number, JsonObject>();
  #old = new Map<number, JsonObject>();
  #sizes = new Map<number, number>();
  #bytes = 0;

  constructor(bytes: number) {
    this.#half = bytes / 2;
  }

  get(index: number): JsonObject | undefined {
    const young = this.#young.get(index);
    if (young) return young;
    const old = this.#old.get(index);
    if (old) this.keep(index, old, this.#sizes.get(index) ?? 0);
    return old;
  }

  /** Keeps a record; `bytes` is the length of its text. */
  keep(index: number, record: JsonObject, bytes: number): void {
    if (this.#bytes + bytes > this.#half) this.#age();
    this.#young.set(index, record);
    this.#sizes.set(index, bytes);
    this.#bytes += bytes;
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#sizes = new Map([...this.#old.keys()].map((key) => [key, this.#sizes.get(key) ?? 0]));
    this.#bytes = 0;
  }
}
