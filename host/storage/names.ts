interface Known {
  readonly bytes: Buffer;
  readonly text: string;
  readonly number: number;
  readonly next: Known | undefined;
}

/** Names that come again and again in a file: known by their bytes, without a string for each. */
export class Names {
  readonly #byHash = new Map<number, Known>();
  readonly #texts: string[] = [];

  /** The number of the name that stands there, counted from 1. */
  numberOf(bytes: Buffer, start: number, end: number): number {
    let hash = end - start;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
    const first = this.#byHash.get(hash);
    for (let known = first; known; known = known.next) {
      if (isSame(known.bytes, bytes, start, end)) return known.number;
    }
    const text = bytes.toString("utf8", start, end);
    const number = this.#texts.push(text);
    const copy = Buffer.from(bytes.subarray(start, end));
    this.#byHash.set(hash, { bytes: copy, text, number, next: first });
    return number;
  }

  /** The name of a number; `undefined` for 0. */
  text(number: number): string | undefined {
    return this.#texts[number - 1];
  }
}

function isSame(known: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[start + i]) return false;
  return true;
}
