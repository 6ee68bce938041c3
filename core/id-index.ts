const SMALLEST = 64;
/** 2^32 divided by the golden ratio: spreads keys that lie near each other (Knuth, TAOCP 6.4). */
const SPREAD = 0x9e3779b1;

/** Rows by the key of their id: an open hash table of row numbers (see `IdKeys`). */
export class IdIndex {
  readonly #keyAt: (row: number) => number;
  /** Row number plus one; 0 is free. */
  #slots = new Int32Array(SMALLEST);
  #count = 0;

  /** `keyAt` gives the key of a row that was set. */
  constructor(keyAt: (row: number) => number) {
    this.#keyAt = keyAt;
  }

  /** The row of a key, or -1. */
  get(key: number): number {
    return (this.#slots[this.#slotOf(key)] as number) - 1;
  }

  /** Sets the row of a key; gives the row that it had before, or -1. */
  set(key: number, row: number): number {
    const slot = this.#slotOf(key);
    const before = (this.#slots[slot] as number) - 1;
    this.#slots[slot] = row + 1;
    if (before < 0 && ++this.#count * 2 > this.#slots.length) this.#grow();
    return before;
  }

  #slotOf(key: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (Math.imul(key | 0, SPREAD) >>> 7) & mask;
    for (;;) {
      const row = slots[slot] as number;
      if (row === 0 || this.#keyAt(row - 1) === key) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let i = 0; i < old.length; i++) {
      const row = old[i] as number;
      if (row !== 0) this.#slots[this.#slotOf(this.#keyAt(row - 1))] = row;
    }
  }
}
