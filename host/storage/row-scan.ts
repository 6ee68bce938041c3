import { hexDigit, type RowTable, type ScannedRow } from "../../core/index.ts";
import { isFilled, isText, stringEnd, valueEnd, writtenTime } from "./byte-json.ts";
import { KindNumbers } from "./kind-numbers.ts";
import { Names } from "./names.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LIST = 0x5b;
const LIST_END = 0x5d;

/** In place of a position: the line has to be parsed whole. */
const NOT_SCANNED = -1;

/** Takes the value of a field that begins at `at`; gives the position after it, or `NOT_SCANNED`. */
type Take = (scan: RowScan, at: number) => number;
type Fields = readonly { readonly name: Uint8Array; readonly take: Take }[];

/** Entries whose rows need more than a scan gives, and which are few. */
const PARSED_TYPES = ["session", "label", "session_info", "title_change", "compaction"];
/** Roles whose text is their content. */
const SCANNED_ROLES = ["user", "assistant", "toolResult"];

/**
 * Finds the index fields of a record in the bytes of its line (session tree §17). It takes lines as
 * `JSON.stringify` writes them, and only entries of the common kinds; every other line is left to be
 * parsed whole. Strings and nesting are followed to the end of the line, so that a line with a second
 * object, or with half of one, is never taken for one record.
 */
export class RowScan {
  /** What the last scan found. */
  readonly row: ScannedRow = { kind: 0, idKey: 0, parentKey: -1, time: 0, cost: 0, line: 0 };
  readonly #table: RowTable;
  readonly #names = new Names();
  readonly #parsedTypes: ReadonlySet<number>;
  readonly #scannedRoles: ReadonlySet<number>;
  readonly #message: number;
  readonly #custom: number;
  readonly #marker: number;
  readonly #kinds: KindNumbers;
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  #type = 0;
  #role = 0;
  #toolName = 0;
  #customType = 0;
  #messageCustomType = 0;
  #stopReason = 0;
  #hasId = false;
  #hasMessage = false;
  #hasSummary = false;
  #summaryText = false;
  #contentText = false;
  #messageText = false;
  #isTextBlock = false;
  #blockText = false;

  constructor(table: RowTable) {
    this.#table = table;
    this.#kinds = new KindNumbers(table, this.#names);
    const numberOf = (name: string) => this.#names.numberOf(Buffer.from(name), 0, name.length);
    this.#parsedTypes = new Set(PARSED_TYPES.map(numberOf));
    this.#scannedRoles = new Set(SCANNED_ROLES.map(numberOf));
    this.#message = numberOf("message");
    this.#custom = numberOf("custom");
    this.#marker = numberOf("coppice.position");
  }

  /** True if the line from `start` to `end` is one record of a common kind; its fields are in `row`. */
  scan(bytes: Buffer, start: number, end: number): boolean {
    if (bytes[start] !== OPEN || bytes[end - 1] !== CLOSE) return false;
    this.#bytes = bytes;
    this.#end = end;
    this.#forget();
    if (this.#object(ENTRY, start) !== end || this.#type === 0 || !this.#hasId) return false;
    if (this.#hasMessage && !this.#isScannedMessage()) return false;
    return this.#setKind();
  }

  #isScannedMessage(): boolean {
    return this.#type === this.#message && this.#scannedRoles.has(this.#role);
  }

  #forget(): void {
    this.row.parentKey = -1;
    this.row.time = Number.NaN;
    this.row.cost = Number.NaN;
    this.#type = 0;
    this.#customType = 0;
    this.#hasId = false;
    this.#hasMessage = false;
    this.#hasSummary = false;
    this.#contentText = false;
    this.#role = 0;
    this.#toolName = 0;
    this.#stopReason = 0;
    this.#messageCustomType = 0;
  }

  /** Takes the fields of an object; gives the position after its end. */
  #object(fields: Fields, start: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 1] === CLOSE) return start + 2;
    for (let at = start + 1; bytes[at] === QUOTE; at++) {
      at = this.#field(fields, at);
      if (bytes[at] === CLOSE) return at + 1;
      if (bytes[at] !== COMMA) return NOT_SCANNED;
    }
    return NOT_SCANNED;
  }

  /** Position after the field whose name begins at `at`. */
  #field(fields: Fields, at: number): number {
    // A name with an escape may be any name.
    const nameEnd = this.#plainEnd(at);
    if (nameEnd < 0 || this.#bytes[nameEnd + 1] !== COLON) return NOT_SCANNED;
    const take = this.#fieldAt(fields, at + 1, nameEnd);
    return take ? take(this, nameEnd + 2) : valueEnd(this.#bytes, nameEnd + 2, this.#end);
  }

  #fieldAt(fields: Fields, start: number, end: number): Take | undefined {
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i];
      if (field && isText(this.#bytes, start, end, field.name)) return field.take;
    }
    return undefined;
  }

  /** Position of the closing quote of a string without escapes that begins at `at`. */
  #plainEnd(at: number): number {
    if (this.#bytes[at] !== QUOTE) return NOT_SCANNED;
    const end = stringEnd(this.#bytes, at + 1, this.#end);
    for (let i = at + 1; i < end; i++) if (this.#bytes[i] === BACKSLASH) return NOT_SCANNED;
    return end;
  }

  #nameAt(at: number, end: number): number {
    return this.#names.numberOf(this.#bytes, at + 1, end);
  }

  takeType(at: number): number {
    const end = this.#plainEnd(at);
    if (end < 0 || this.#type > 0) return NOT_SCANNED;
    this.#type = this.#nameAt(at, end);
    return this.#parsedTypes.has(this.#type) ? NOT_SCANNED : end + 1;
  }

  takeId(at: number): number {
    const end = this.#plainEnd(at);
    if (end <= at + 1 || this.#hasId) return NOT_SCANNED;
    this.row.idKey = this.#keyAt(at + 1, end);
    this.#hasId = true;
    return end + 1;
  }

  takeParent(at: number): number {
    this.row.parentKey = -1;
    if (this.#bytes[at] !== QUOTE) return valueEnd(this.#bytes, at, this.#end);
    const end = this.#plainEnd(at);
    if (end < 0) return NOT_SCANNED;
    if (end > at + 1) this.row.parentKey = this.#keyAt(at + 1, end);
    return end + 1;
  }

  #keyAt(start: number, end: number): number {
    let key = end - start === 8 ? 0 : NOT_SCANNED;
    for (let i = start; i < end && key >= 0; i++) {
      const digit = hexDigit(this.#bytes[i] as number);
      key = digit < 0 ? NOT_SCANNED : key * 16 + digit;
    }
    return key < 0 ? this.#table.keys.of(this.#bytes.toString("utf8", start, end)) : key;
  }

  takeTime(at: number): number {
    const end = this.#plainEnd(at);
    if (end < 0) return NOT_SCANNED;
    this.row.time = writtenTime(this.#bytes, at + 1, end);
    return Number.isNaN(this.row.time) ? NOT_SCANNED : end + 1;
  }

  takeCustomType(at: number): number {
    const end = this.#plainEnd(at);
    if (end < 0) return NOT_SCANNED;
    this.#customType = this.#nameAt(at, end);
    return end + 1;
  }

  takeSummary(at: number): number {
    if (this.#bytes[at] !== QUOTE) return NOT_SCANNED;
    const end = stringEnd(this.#bytes, at + 1, this.#end);
    if (end < 0) return NOT_SCANNED;
    this.#hasSummary = true;
    this.#summaryText = isFilled(this.#bytes, at + 1, end);
    return end + 1;
  }

  takeContent(at: number): number {
    const end = this.#content(at);
    this.#contentText = this.#blockText;
    return end;
  }

  takeMessage(at: number): number {
    if (this.#bytes[at] !== OPEN || this.#hasMessage) return NOT_SCANNED;
    this.#hasMessage = true;
    this.#messageText = false;
    return this.#object(MESSAGE, at);
  }

  takeRole(at: number): number {
    const end = this.#plainEnd(at);
    if (end < 0) return NOT_SCANNED;
    this.#role = this.#nameAt(at, end);
    return this.#scannedRoles.has(this.#role) ? end + 1 : NOT_SCANNED;
  }

  takeMessageContent(at: number): number {
    const end = this.#content(at);
    this.#messageText = this.#blockText;
    return end;
  }

  takeToolName(at: number): number {
    const end = this.#plainEnd(at);
    if (end < 0) return NOT_SCANNED;
    this.#toolName = this.#nameAt(at, end);
    return end + 1;
  }

  takeStopReason(at: number): number {
    const end = this.#plainEnd(at);
    if (end < 0) return NOT_SCANNED;
    this.#stopReason = this.#nameAt(at, end);
    return end + 1;
  }

  takeMessageCustomType(at: number): number {
    const end = this.#plainEnd(at);
    if (end < 0) return NOT_SCANNED;
    this.#messageCustomType = this.#nameAt(at, end);
    return end + 1;
  }

  takeUsage(at: number): number {
    this.row.cost = Number.NaN;
    return this.#bytes[at] === OPEN ? this.#object(USAGE, at) : NOT_SCANNED;
  }

  takeCost(at: number): number {
    this.row.cost = Number.NaN;
    return this.#bytes[at] === OPEN ? this.#object(COST, at) : NOT_SCANNED;
  }

  takeTotal(at: number): number {
    const end = valueEnd(this.#bytes, at, this.#end);
    if (end < 0) return NOT_SCANNED;
    this.row.cost = Number(this.#bytes.toString("latin1", at, end));
    return Number.isNaN(this.row.cost) ? NOT_SCANNED : end;
  }

  takeBlockType(at: number): number {
    const end = this.#plainEnd(at);
    if (end < 0) return NOT_SCANNED;
    this.#isTextBlock = isText(this.#bytes, at + 1, end, TEXT);
    return end + 1;
  }

  takeBlockText(at: number): number {
    this.#blockText = false;
    if (this.#bytes[at] !== QUOTE) return valueEnd(this.#bytes, at, this.#end);
    const end = stringEnd(this.#bytes, at + 1, this.#end);
    if (end < 0) return NOT_SCANNED;
    this.#blockText = isFilled(this.#bytes, at + 1, end);
    return end + 1;
  }

  /** Takes a content; afterwards `blockText` tells whether it holds text that is not blank. */
  #content(at: number): number {
    this.#blockText = false;
    const first = this.#bytes[at];
    if (first === LIST) return this.#blocks(at);
    if (first === QUOTE) return this.takeBlockText(at);
    return valueEnd(this.#bytes, at, this.#end);
  }

  #blocks(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 1] === LIST_END) return start + 2;
    let isFilled = false;
    let at = start;
    do {
      this.#isTextBlock = false;
      this.#blockText = false;
      const from = at + 1;
      at = bytes[from] === OPEN ? this.#object(BLOCK, from) : valueEnd(bytes, from, this.#end);
      if (at < 0) return NOT_SCANNED;
      isFilled ||= this.#isTextBlock && this.#blockText;
    } while (bytes[at] === COMMA);
    this.#blockText = isFilled;
    return bytes[at] === LIST_END ? at + 1 : NOT_SCANNED;
  }

  #setKind(): boolean {
    const customType = this.#messageCustomType || this.#customType;
    if (this.#type === this.#custom && customType === this.#marker) return false;
    const kind = this.#kinds.numberOf({
      type: this.#type,
      role: this.#role,
      toolName: this.#toolName,
      stopReason: this.#stopReason,
      customType,
      hasText: this.#hasText(),
    });
    if (kind === undefined) return false;
    this.row.kind = kind;
    return true;
  }

  #hasText(): boolean {
    if (this.#hasMessage) return this.#messageText;
    return this.#hasSummary ? this.#summaryText : this.#contentText;
  }
}

function fieldsOf(takes: Readonly<Record<string, Take>>): Fields {
  return Object.entries(takes).map(([name, take]) => ({ name: Buffer.from(name), take }));
}

const TEXT = Buffer.from("text");

const ENTRY = fieldsOf({
  type: (scan, at) => scan.takeType(at),
  id: (scan, at) => scan.takeId(at),
  parentId: (scan, at) => scan.takeParent(at),
  timestamp: (scan, at) => scan.takeTime(at),
  message: (scan, at) => scan.takeMessage(at),
  customType: (scan, at) => scan.takeCustomType(at),
  summary: (scan, at) => scan.takeSummary(at),
  content: (scan, at) => scan.takeContent(at),
});

const MESSAGE = fieldsOf({
  role: (scan, at) => scan.takeRole(at),
  content: (scan, at) => scan.takeMessageContent(at),
  toolName: (scan, at) => scan.takeToolName(at),
  stopReason: (scan, at) => scan.takeStopReason(at),
  customType: (scan, at) => scan.takeMessageCustomType(at),
  usage: (scan, at) => scan.takeUsage(at),
});

const USAGE = fieldsOf({ cost: (scan, at) => scan.takeCost(at) });
const COST = fieldsOf({ total: (scan, at) => scan.takeTotal(at) });
const BLOCK = fieldsOf({
  type: (scan, at) => scan.takeBlockType(at),
  text: (scan, at) => scan.takeBlockText(at),
});
