import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  asId,
  type Diagnostic,
  type DiagnosticCode,
  FORMAT_VERSION,
  type JsonObject,
  type LineReading,
  type RowTable,
  readLine,
  recordProblem,
  type ScannedRow,
  type SessionHeader,
  titleSlotOf,
  versionOf,
} from "../../core/index.ts";
import type { Disk } from "./disk.ts";
import { type LinePlace, type LineSink, LineSplitter, type LongLineSink } from "./line-splitter.ts";
import { LongLineScan, type LongObject, stubOf } from "./long-line.ts";
import { RowScan } from "./row-scan.ts";

/** Bytes of an object in a session file. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

export interface ScannedRecord extends Span {
  /** As it stands in the file; the base fields only for an oversized line. */
  readonly record: JsonObject;
  readonly line: number;
  /** Place among all records, headers counted, the first header being 0. */
  readonly ordinal: number;
  readonly isOversized: boolean;
}

/** Takes what a scan finds, in file order. */
export interface ScanSink {
  header(header: SessionHeader): void;
  record(found: ScannedRecord): void;
}

export interface RowSink {
  /** Where the ids of the rows are kept. */
  readonly table: RowTable;
  take(row: ScannedRow, span: Span): void;
}

export interface ScanOptions {
  readonly maxLineBytes: number;
  /** Stop after the header. */
  readonly headerOnly?: boolean;
  /** Takes the rows of common records, which are then not parsed (session tree §17). */
  readonly rows?: RowSink;
  /** Every record is parsed, so that none counts whose JSON is broken. */
  readonly isExact?: boolean;
}

/** What a file is, once it has been read. */
export interface Scan {
  readonly header: (Span & { readonly record: SessionHeader }) | undefined;
  /** Why it is no session; `undefined` for a session and for a blank file. */
  readonly problem: { readonly line?: number; readonly reason: string } | undefined;
  /** Title of the title slot, `""` for a slot without one; `undefined` without slot. */
  readonly slotTitle: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Bytes read. */
  readonly size: number;
  /** False if the last line has no line feed; true for an empty file. */
  readonly endsWithLf: boolean;
}

const BLOCK_BYTES = 1 << 20;
const LF = 0x0a;
const BOM = Buffer.of(0xef, 0xbb, 0xbf);

/**
 * Reads a session file in blocks, yielding to the event loop between them, and tells the records
 * and the damage of each line (session tree §3). Raises errors of the file system only.
 */
export async function scanSession(
  disk: Disk,
  fd: number,
  options: ScanOptions,
  sink: ScanSink,
): Promise<Scan> {
  const scan = new SessionScan(disk, fd, options, sink);
  const splitter = new LineSplitter(scan, options.maxLineBytes);
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let size = 0;
  let lastByte: number | undefined;
  while (!scan.isDone()) {
    const count = disk.read(fd, block, size);
    if (count === 0) break;
    scan.check(block.subarray(0, count));
    splitter.add(block.subarray(0, count));
    size += count;
    lastByte = block[count - 1];
    if (count === block.length) await nextTurn();
  }
  splitter.end();
  return { ...scan.result(), size, endsWithLf: lastByte === undefined || lastByte === 0x0a };
}

class SessionScan implements LineSink {
  readonly #disk: Disk;
  readonly #fd: number;
  readonly #options: ScanOptions;
  readonly #sink: ScanSink;
  readonly #diagnostics: Diagnostic[] = [];
  #header: Scan["header"];
  #problem: Scan["problem"];
  #slotTitle: string | undefined;
  #isBlank = true;
  #ordinal = 0;
  readonly #rows: RowScan | undefined;
  /** True once there is a header, of a format in which records are what they are in memory. */
  #isPresent = false;
  /** Whether the lines of the present block are known to be UTF-8. */
  #mayScan = false;

  constructor(disk: Disk, fd: number, options: ScanOptions, sink: ScanSink) {
    this.#disk = disk;
    this.#fd = fd;
    this.#options = options;
    this.#sink = sink;
    this.#rows = options.rows && new RowScan(options.rows.table);
  }

  /** Comes before the lines of a block: a cut character at its edges is no damage. */
  check(block: Buffer): void {
    const [start, end] = [block.indexOf(LF) + 1, block.lastIndexOf(LF)];
    this.#mayScan = end > start && isUtf8(block.subarray(start, end));
  }

  scanned(block: Buffer, start: number, end: number, line: number, offset: number): boolean {
    if (!this.#mayScan || !this.#rows || !this.#isPresent) return false;
    if (!this.#rows.scan(block, start, end)) return false;
    if (this.#options.isExact && !isJson(block.toString("latin1", start, end))) return false;
    this.#rows.row.line = line;
    this.#ordinal++;
    this.#options.rows?.take(this.#rows.row, { offset, length: end - start });
    return true;
  }

  result() {
    const isNone = !this.#header && !this.#problem && !this.#isBlank;
    return {
      header: this.#header,
      problem: isNone ? { reason: "it holds no header" } : this.#problem,
      slotTitle: this.#slotTitle,
      diagnostics: this.#diagnostics,
    };
  }

  isDone(): boolean {
    if (this.#problem) return true;
    return this.#header !== undefined && this.#options.headerOnly === true;
  }

  line(line: Buffer, place: LinePlace): void {
    const shift = bomLength(line, place.line);
    const bytes = line.subarray(shift);
    const text = bytes.toString("utf8");
    if (text.trim() === "") return;
    this.#isBlank = false;
    if (place.line === 1 && this.#takeSlot(text)) return;
    const isValid = isUtf8(bytes);
    const raw = isValid ? undefined : rawLine(bytes);
    const header = this.#header?.record;
    const rules = { header, isTail: place.isTail, ...(raw && { bytes: raw }) };
    const reading = readLine(text, rules);
    if (reading.problem) this.#report(reading.problem, place);
    else if (!isValid) this.#report("INVALID_UTF8", place);
    for (const found of recordSpans(reading, text, bytes, isValid)) {
      const offset = place.offset + shift + found.offset;
      this.#take({ ...found, offset, line: place.line, isOversized: false });
    }
  }

  longLine(line: number): LongLineSink {
    const scan = new LongLineScan();
    let shift: number | undefined;
    return {
      add: (part) => {
        const isFirst = shift === undefined;
        shift ??= bomLength(part, line);
        scan.add(isFirst ? part.subarray(shift) : part);
      },
      end: (place) => this.#endLong(scan, place, shift ?? 0),
    };
  }

  #endLong(scan: LongLineScan, place: LinePlace, shift: number): void {
    const { objects, isClean, isBlank } = scan.end();
    if (isBlank) return;
    this.#isBlank = false;
    const only = isClean && objects.length === 1 ? objects[0] : undefined;
    const lost = only && recordProblem(only.fields, this.#header?.record);
    const found = objects.flatMap((object) => this.#fromLong(object, place, shift) ?? []);
    const damage = place.isTail ? "TORN_TAIL" : "MALFORMED_LINE";
    if (only) this.#report(lost ?? "OVERSIZED_LINE", place);
    else this.#report(found.length > 0 ? "GLUED_RECORDS" : damage, place);
    for (const record of found) this.#take(record);
  }

  #fromLong(object: LongObject, place: LinePlace, shift: number): NewRecord | undefined {
    const length = object.end - object.start;
    const span = { offset: place.offset + shift + object.start, length, line: place.line };
    const isOversized = length > this.#options.maxLineBytes;
    const record = isOversized ? stubOf(object, place.length) : this.#load(span);
    if (!record || recordProblem(record, this.#header?.record)) return undefined;
    return { record, ...span, isOversized };
  }

  #load({ offset, length }: Span): JsonObject | undefined {
    const bytes = Buffer.alloc(length);
    this.#disk.read(this.#fd, bytes, offset);
    const rules = { header: this.#header?.record, isTail: false };
    const { records, problem } = readLine(bytes.toString("utf8"), rules);
    return problem ? undefined : records[0]?.record;
  }

  #takeSlot(text: string): boolean {
    const slot = titleSlotOf(text);
    if (!slot) return false;
    this.#slotTitle = typeof slot.title === "string" ? slot.title : "";
    return true;
  }

  #take(found: NewRecord): void {
    if (this.#problem) return;
    const { record, line } = found;
    const ordinal = this.#ordinal++;
    if (this.#header && record.type === "session") this.#reportExtraHeader(line);
    else if (this.#header) this.#sink.record({ ...found, ordinal });
    else this.#takeHeader(found);
  }

  #takeHeader({ record, line, offset, length, isOversized }: NewRecord): void {
    const reason = headerProblem(record, isOversized);
    if (reason) {
      this.#problem = { line, reason };
      return;
    }
    const header = record as unknown as SessionHeader;
    this.#header = { record: header, offset, length };
    this.#isPresent = versionOf(header) >= FORMAT_VERSION;
    this.#sink.header(header);
  }

  #report(code: DiagnosticCode, { line, offset, length }: LinePlace): void {
    const message = `line ${line}: ${WHAT_HAPPENED[code]?.(length) ?? code}`;
    this.#diagnostics.push({ code, line, offset, length, message });
  }

  #reportExtraHeader(line: number): void {
    const last = this.#diagnostics.at(-1);
    if (last?.code === "EXTRA_HEADER" && last.line === line) return;
    const message = `line ${line}: a second header; the first one stays in force`;
    this.#diagnostics.push({ code: "EXTRA_HEADER", line, message });
  }
}

type NewRecord = Omit<ScannedRecord, "ordinal">;

const WHAT_HAPPENED: { readonly [code: string]: (length: number) => string } = {
  MALFORMED_LINE: () => "no JSON, and nothing in it could be recovered; skipped",
  NOT_AN_OBJECT: () => "no JSON object; skipped",
  MISSING_TYPE: () => "an object without type; skipped",
  MISSING_ID: () => "an entry without id; skipped",
  GLUED_RECORDS: () => "damaged; the complete records in it were recovered",
  TORN_TAIL: () => "the last line was cut off while it was written; skipped",
  INVALID_UTF8: () => "bytes that are no UTF-8 are shown as replacement characters",
  OVERSIZED_LINE: (length) => `an entry of ${length} bytes; its content is not loaded`,
};

function headerProblem(record: JsonObject, isOversized: boolean): string | undefined {
  if (record.type !== "session") {
    return `its first record is of type ${JSON.stringify(record.type).slice(0, 40)}, not a header`;
  }
  if (isOversized) return "its header is too long";
  if (asId(record.id) === null) return "its header has no id";
  const { version } = record;
  const isValid = version === undefined || (Number.isInteger(version) && (version as number) > 0);
  return isValid ? undefined : `its header has the version ${JSON.stringify(version).slice(0, 40)}`;
}

function bomLength(bytes: Buffer, line: number): number {
  return line === 1 && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
}

/** Bytes beyond ASCII stand in strings only, so that it makes no difference what they mean. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function rawLine(bytes: Buffer) {
  return {
    text: bytes.toString("latin1"),
    slice: (start: number, end: number) => bytes.subarray(start, end).toString("utf8"),
  };
}

/** The records of a line with the bytes of their objects, counted from the start of the line. */
function recordSpans(
  { records, problem }: LineReading,
  text: string,
  bytes: Buffer,
  isValid: boolean,
): (Span & { readonly record: JsonObject })[] {
  return records.map(({ record, start, end }) => {
    if (problem === undefined) return { record, ...wholeSpan(bytes) };
    if (!isValid) return { record, offset: start, length: end - start };
    const offset = Buffer.byteLength(text.slice(0, start));
    return { record, offset, length: Buffer.byteLength(text.slice(start, end)) };
  });
}

function wholeSpan(bytes: Buffer): Span {
  const offset = bytes.indexOf("{");
  return { offset, length: bytes.lastIndexOf("}") + 1 - offset };
}
