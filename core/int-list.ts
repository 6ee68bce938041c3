/** A growing list of 32-bit integers: what the tree keeps per entry, so that memory stays small. */
export class IntList {
  #data = new Int32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The number at a position; -1 outside. */
  at(index: number): number {
    return index >= 0 && index < this.#length ? (this.#data[index] as number) : -1;
  }

  set(index: number, value: number): void {
    this.#data[index] = value;
  }

  push(value: number): void {
    if (this.#length === this.#data.length) {
      const larger = new Int32Array(this.#length * 2);
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data[this.#length++] = value;
  }
}
