/** Where a line stands in the file; `length` is in bytes, without the line end. */
export interface LinePlace {
  /** From 1. */
  readonly line: number;
  /** From the start of the file. */
  readonly offset: number;
  readonly length: number;
  /** True for a last line without line feed. */
  readonly isTail: boolean;
}

/** Takes the parts of a line that is longer than the bound. */
export interface LongLineSink {
  add(part: Buffer): void;
  end(place: LinePlace): void;
}

export interface LineSink {
  /** Takes a line inside a block if it needs no closer look; false leaves it to `line`. */
  scanned?(block: Buffer, start: number, end: number, line: number, offset: number): boolean;
  line(bytes: Buffer, place: LinePlace): void;
  longLine(line: number): LongLineSink;
  /** True once nothing more is wanted. */
  isDone(): boolean;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Cuts blocks of bytes into lines at LF only; a CR before the LF belongs to the line end (session
 * tree §2.1). Holds one line of up to `maxLineBytes`; longer ones are passed on in parts. The bytes
 * of a line are valid during the call only.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  /** Parts of the current line from earlier blocks, unless it is a long one. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #long: LongLineSink | undefined;
  #lastByte = 0;
  #line = 1;
  #offset = 0;

  constructor(sink: LineSink, maxLineBytes: number) {
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
  }

  add(block: Buffer): void {
    let from = 0;
    while (!this.#sink.isDone()) {
      const lf = block.indexOf(LF, from);
      if (lf < 0) break;
      if (this.#heldBytes > 0 || !this.#isScanned(block, from, lf)) {
        this.#finish(block.subarray(from, lf), false);
      }
      from = lf + 1;
    }
    if (from < block.length && !this.#sink.isDone()) this.#hold(block.subarray(from));
  }

  end(): void {
    if (this.#heldBytes > 0 && !this.#sink.isDone()) this.#finish(Buffer.alloc(0), true);
  }

  #isScanned(block: Buffer, start: number, end: number): boolean {
    if (end - start > this.#maxLineBytes) return false;
    if (!this.#sink.scanned?.(block, start, end, this.#line, this.#offset)) return false;
    this.#offset += end - start + 1;
    this.#line++;
    return true;
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length;
    this.#lastByte = part.at(-1) as number;
    if (this.#long) this.#long.add(part);
    else {
      this.#held.push(Buffer.from(part));
      if (this.#heldBytes > this.#maxLineBytes + 1) this.#passOn();
    }
  }

  #finish(last: Buffer, isTail: boolean): void {
    const bytes = this.#heldBytes + last.length;
    const hasCr = !isTail && bytes > 0 && (last.at(-1) ?? this.#lastByte) === CR;
    const length = hasCr ? bytes - 1 : bytes;
    const place = { line: this.#line, offset: this.#offset, length, isTail };
    if (this.#long || length > this.#maxLineBytes) {
      const long = this.#passOn();
      long.add(last);
      long.end(place);
    } else {
      const whole = this.#held.length > 0 ? Buffer.concat([...this.#held, last]) : last;
      this.#sink.line(whole.subarray(0, length), place);
    }
    this.#start(this.#offset + bytes + 1);
  }

  /** Turns what is held into a long line. */
  #passOn(): LongLineSink {
    this.#long ??= this.#sink.longLine(this.#line);
    for (const part of this.#held) this.#long.add(part);
    this.#held = [];
    return this.#long;
  }

  #start(offset: number): void {
    this.#offset = offset;
    this.#line++;
    this.#held = [];
    this.#heldBytes = 0;
    this.#long = undefined;
  }
}
