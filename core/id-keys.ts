/** Keys from here on stand for ids of another form than coppice writes. */
const FIRST_OTHER = 2 ** 32;

/**
 * Ids as whole numbers, so that a million of them take little memory: an id of eight lower-case hex
 * digits, as entries get it (session tree §2.3), is its own value; any other one gets the next number
 * from 2^32 on.
 */
export class IdKeys {
  readonly #others = new Map<string, number>();
  readonly #texts: string[] = [];

  /** The key of an id, which is remembered. */
  of(id: string): number {
    const hex = hexKey(id);
    if (hex >= 0) return hex;
    const known = this.#others.get(id);
    if (known !== undefined) return known;
    const key = FIRST_OTHER + this.#texts.length;
    this.#others.set(id, key);
    this.#texts.push(id);
    return key;
  }

  /** The key of an id; -1 if no key was ever made for it and it is not of the common form. */
  known(id: string): number {
    const hex = hexKey(id);
    return hex >= 0 ? hex : (this.#others.get(id) ?? -1);
  }

  /** Ids of another form, in the order of their keys. */
  others(): readonly string[] {
    return [...this.#texts];
  }

  text(key: number): string {
    if (key >= FIRST_OTHER) return this.#texts[key - FIRST_OTHER] ?? "";
    return key.toString(16).padStart(8, "0");
  }
}

/** The value of eight lower-case hex digits, or -1. */
function hexKey(id: string): number {
  if (id.length !== 8) return -1;
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const digit = hexDigit(id.charCodeAt(i));
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** The value of a lower-case hex digit, given as character code; -1 for any other character. */
export function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}
