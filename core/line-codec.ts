import type { DiagnosticCode } from "./diagnostics.ts";
import { asId, isJsonObject, type JsonObject } from "./entries.ts";

/** A record found in a line, and where its object stands: `start` up to, not including, `end`. */
export interface FoundRecord {
  readonly record: JsonObject;
  readonly start: number;
  readonly end: number;
}

/** What one line holds: its records, and what was wrong with it. */
export interface LineReading {
  readonly records: readonly FoundRecord[];
  readonly problem?: DiagnosticCode;
}

export interface LineRules {
  /** The header in force; `undefined` before it. Format 1 needs no ids (session tree §3.2). */
  readonly header: JsonObject | undefined;
  /** True for a last line without line feed: damage there is a torn tail. */
  readonly isTail: boolean;
  /**
   * For a line with broken UTF-8: its bytes as characters 0–255, and the true text of a part of
   * them. Positions of recovered records are then positions in the bytes.
   */
  readonly bytes?: { readonly text: string; slice(start: number, end: number): string };
}

const NOTHING: LineReading = { records: [] };

/** The JSON text of a record, without line end. */
export function encodeRecord(record: object): string {
  return JSON.stringify(record);
}

/** Reads one line without its line end (session tree §3.2, §3.3). Never raises. */
export function readLine(text: string, rules: LineRules): LineReading {
  if (text.trim() === "") return NOTHING;
  const whole = parse(text);
  if (whole) return judge(whole.value, text, rules.header);
  const records = recover(rules);
  if (records.length > 0) return { records, problem: "GLUED_RECORDS" };
  return { records, problem: rules.isTail ? "TORN_TAIL" : "MALFORMED_LINE" };

  function recover({ bytes, header }: LineRules): FoundRecord[] {
    return bytes
      ? recoverRecords(bytes.text, header, (start, end) => bytes.slice(start, end))
      : recoverRecords(text, header, (start, end) => text.slice(start, end));
  }
}

/** The title slot that a first line is, or `undefined` (session tree §2.6). */
export function titleSlotOf(text: string): JsonObject | undefined {
  const value = parse(text)?.value;
  return isJsonObject(value) && value.type === "title" ? value : undefined;
}

/** True if records of this header need no id. */
export function isFormat1(header: JsonObject | undefined): boolean {
  return header !== undefined && (header.version === undefined || header.version === 1);
}

/** Why an object is no record, or `undefined` if it is one. */
export function recordProblem(
  object: JsonObject,
  header: JsonObject | undefined,
): "MISSING_TYPE" | "MISSING_ID" | undefined {
  if (typeof object.type !== "string") return "MISSING_TYPE";
  const needsId = object.type !== "session" && !isFormat1(header);
  return needsId && asId(object.id) === null ? "MISSING_ID" : undefined;
}

function judge(value: unknown, text: string, header: JsonObject | undefined): LineReading {
  if (!isJsonObject(value)) return { records: [], problem: "NOT_AN_OBJECT" };
  const problem = recordProblem(value, header);
  if (problem) return { records: [], problem };
  const found = { record: value, start: text.indexOf("{"), end: text.lastIndexOf("}") + 1 };
  return { records: [found] };
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Finds the records in a line that does not parse as a whole (session tree §3.3). The work is linear
 * in the length of the line: objects that fail to parse may cost {@link PARSE_SHARE} times it.
 */
function recoverRecords(
  text: string,
  header: JsonObject | undefined,
  slice: (start: number, end: number) => string,
): FoundRecord[] {
  const { tokens, closing, keys } = pairBraces(text);
  const found: FoundRecord[] = [];
  let inForce = header;
  let lead = text.length - text.trimStart().length;
  let work = PARSE_SHARE * text.length;
  for (let i = 0; i < tokens.length; i++) {
    const start = tokens[i] as number;
    const last = closing[i + 1] as number;
    if (text[start] !== "{" || last < 0 || work < 0) continue;
    const isLead = start === lead;
    if (!isLead && keys[i + 1] !== ALL_KEYS) continue;
    const end = (tokens[last] as number) + 1;
    const record = recordOf(slice(start, end), isLead, inForce);
    if (!record) {
      work -= end - start;
      continue;
    }
    found.push({ record, start, end });
    if (record.type === "session") inForce ??= record;
    lead = end;
    i = last;
  }
  return found;
}

const PARSE_SHARE = 16;

function recordOf(
  text: string,
  isLead: boolean,
  header: JsonObject | undefined,
): JsonObject | undefined {
  const value = parse(text)?.value;
  if (!isJsonObject(value)) return undefined;
  const isRecord = isLead ? recordProblem(value, header) === undefined : isPlainEntry(value);
  return isRecord ? value : undefined;
}

/** The fields that tell an entry from a content block inside a fragment. */
function isPlainEntry(value: JsonObject): boolean {
  const { type, id, timestamp, parentId } = value;
  const hasParent = parentId === null || typeof parentId === "string";
  return (
    typeof type === "string" && asId(id) !== null && typeof timestamp === "string" && hasParent
  );
}

const KEY_BITS: { readonly [key: string]: number } = { type: 1, id: 2, timestamp: 4, parentId: 8 };
const ALL_KEYS = 15;

interface Braces {
  /** Positions of braces and of quotes that no backslash escapes. */
  readonly tokens: Int32Array;
  /**
   * By token, if that token stands outside of strings: the token that closes the object around it,
   * -1 if none does. The entry after a `{` is thus the end of the object that the brace opens.
   */
  readonly closing: Int32Array;
  /** By token, likewise: which of the keys of an entry follow before that closing brace. */
  readonly keys: Uint8Array;
}

/**
 * Pairs braces from right to left, for every token as if it stood outside of strings: a fragment
 * may have been cut inside a string, so that no one reading from the left fits the whole line.
 */
function pairBraces(text: string): Braces {
  const tokens = braceTokens(text);
  const closing = new Int32Array(tokens.length + 1).fill(-1);
  const keys = new Uint8Array(tokens.length + 1);
  let quote = -1;
  for (let i = tokens.length - 1; i >= 0; i--) {
    const char = text[tokens[i] as number];
    if (char === "}") {
      closing[i] = i;
      continue;
    }
    const isString = char === '"';
    const last = isString ? quote : (closing[i + 1] as number);
    if (isString) quote = i;
    if (last < 0) continue;
    closing[i] = closing[last + 1] as number;
    keys[i] = (keys[last + 1] as number) | (isString ? keyBit(text, tokens, i, last) : 0);
  }
  return { tokens, closing, keys };
}

function keyBit(text: string, tokens: Int32Array, open: number, close: number): number {
  const start = (tokens[open] as number) + 1;
  const end = tokens[close] as number;
  return end - start > 9 ? 0 : (KEY_BITS[text.slice(start, end)] ?? 0);
}

function braceTokens(text: string): Int32Array {
  const tokens = new Int32Array(countTokens(text));
  let count = 0;
  let isEscaped = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isToken(code) && !(isEscaped && code === QUOTE)) tokens[count++] = i;
    isEscaped = code === BACKSLASH && !isEscaped;
  }
  return tokens.subarray(0, count);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isToken(code: number): boolean {
  return code === QUOTE || code === 0x7b || code === 0x7d;
}

function countTokens(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (isToken(text.charCodeAt(i))) count++;
  return count;
}
