import { asId, type JsonObject } from "../../core/index.ts";

/** An object at the top of a long line: where it stands in the line, and its base fields. */
export interface LongObject {
  readonly start: number;
  readonly end: number;
  readonly fields: Readonly<Record<string, string>>;
}

export interface LongLine {
  readonly objects: readonly LongObject[];
  /** True if the line holds nothing but these objects and blanks. */
  readonly isClean: boolean;
  readonly isBlank: boolean;
}

const FIELDS = new Set(["type", "id", "parentId", "timestamp"]);
/** Longer strings are no base fields. */
const MAX_FIELD_BYTES = 4096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

/**
 * Reads the base fields of a line that is too long to be held, part by part (session tree §3.2).
 * Memory is constant; content is skipped, not checked.
 */
export class LongLineScan {
  readonly #objects: LongObject[] = [];
  #fields: Record<string, string> = {};
  #position = 0;
  #start = 0;
  #depth = 0;
  #isInString = false;
  /** True if the part before ended in a backslash that escapes what comes. */
  #isEscaped = false;
  /** Bytes of the string being read at depth 1, while it may be a base field. */
  #text: Buffer[] | undefined;
  #textBytes = 0;
  #last: string | undefined;
  #key: string | undefined;
  #isBlank = true;
  #isStopped = false;

  add(part: Buffer): void {
    let i = 0;
    while (i < part.length && !this.#isStopped) {
      i = this.#isInString ? this.#skipString(part, i) : this.#take(part, i);
    }
    this.#position += part.length;
  }

  end(): LongLine {
    const isClean = !this.#isStopped && this.#depth === 0;
    return { objects: this.#objects, isClean, isBlank: this.#isBlank };
  }

  #take(part: Buffer, i: number): number {
    const byte = part[i] as number;
    if (byte === 0x20 || byte === 0x09 || byte === 0x0d) return i + 1;
    this.#isBlank = false;
    if (this.#depth === 0 && byte !== OPEN) this.#isStopped = true;
    else if (byte === QUOTE) this.#openString();
    else if (byte === OPEN) this.#open(this.#position + i);
    else if (byte === CLOSE) this.#close(this.#position + i + 1);
    else if (byte === OPEN_LIST) this.#nest(1);
    else if (byte === CLOSE_LIST) this.#nest(-1);
    else if (this.#depth === 1) this.#separate(byte);
    return i + 1;
  }

  #open(position: number): void {
    if (this.#depth === 0) {
      this.#start = position;
      this.#fields = {};
      this.#key = undefined;
    }
    this.#nest(1);
  }

  #nest(step: 1 | -1): void {
    this.#depth += step;
    this.#last = undefined;
    if (this.#depth === 0) this.#isStopped = true;
  }

  #close(position: number): void {
    if (this.#depth > 1) {
      this.#nest(-1);
      return;
    }
    this.#keepField();
    this.#depth = 0;
    this.#objects.push({ start: this.#start, end: position, fields: this.#fields });
  }

  #separate(byte: number): void {
    if (byte === COLON) {
      this.#key = this.#last;
      this.#last = undefined;
    } else if (byte === COMMA) {
      this.#keepField();
      this.#key = undefined;
      this.#last = undefined;
    }
  }

  /** The last of several equal keys counts, as in JSON.parse. */
  #keepField(): void {
    const key = this.#key;
    if (key === undefined || !FIELDS.has(key)) return;
    delete this.#fields[key];
    if (this.#last !== undefined) this.#fields[key] = this.#last;
  }

  #openString(): void {
    this.#isInString = true;
    this.#isEscaped = false;
    this.#text = this.#depth === 1 ? [] : undefined;
    this.#textBytes = 0;
  }

  /** Goes on after the end of the string, or to the end of the part. */
  #skipString(part: Buffer, from: number): number {
    const end = closingQuote(part, from, this.#isEscaped);
    this.#keepText(part, from, end < 0 ? part.length : end);
    if (end < 0) {
      this.#isEscaped = endsEscaping(part, from, this.#isEscaped);
      return part.length;
    }
    this.#isInString = false;
    this.#last = this.#text && decodeString(Buffer.concat(this.#text));
    return end + 1;
  }

  #keepText(part: Buffer, from: number, to: number): void {
    if (!this.#text) return;
    this.#textBytes += to - from;
    if (this.#textBytes > MAX_FIELD_BYTES) this.#text = undefined;
    else this.#text.push(Buffer.from(part.subarray(from, to)));
  }
}

/** The stub of an entry whose content is not loaded. `oversizedBytes` is the length of its line. */
export function stubOf({ fields }: LongObject, oversizedBytes: number): JsonObject {
  return { ...fields, parentId: asId(fields.parentId), oversizedBytes };
}

function closingQuote(part: Buffer, from: number, isEscaped: boolean): number {
  let at = part.indexOf(QUOTE, from);
  while (at >= 0) {
    if (!endsEscaping(part.subarray(0, at), from, isEscaped)) return at;
    at = part.indexOf(QUOTE, at + 1);
  }
  return -1;
}

/** True if an odd number of backslashes stands at the end, those before `from` being told. */
function endsEscaping(part: Buffer, from: number, isEscaped: boolean): boolean {
  let at = part.length;
  while (at > from && part[at - 1] === BACKSLASH) at--;
  const isOdd = (part.length - at) % 2 === 1;
  return at === from && isEscaped ? !isOdd : isOdd;
}

function decodeString(bytes: Buffer): string | undefined {
  try {
    return JSON.parse(`"${bytes.toString("utf8")}"`) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
