import { append, codeAt, textFrom, textOfCode } from "./captured.ts";
import { rangeError, typeError } from "./errors.ts";

/** UTF-8 without help of the engine. */
export class TextEncoder {
  readonly encoding = "utf-8";

  encode(text = ""): Uint8Array {
    const source = `${text}`;
    const bytes: number[] = [];
    for (let i = 0; i < source.length; i++) {
      const code = codePointAt(source, i);
      if (code > 0xffff) i++;
      pushUtf8(bytes, code);
    }
    const result = new Uint8Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) result[i] = bytes[i] as number;
    return result;
  }

  encodeInto(text: string, target: Uint8Array): { read: number; written: number } {
    const bytes = this.encode(text);
    const written = Math.min(bytes.length, target.length);
    for (let i = 0; i < written; i++) target[i] = bytes[i] as number;
    return { read: text.length, written };
  }
}

function codePointAt(text: string, at: number): number {
  const first = codeAt(text, at);
  if (first < 0xd800 || first > 0xdfff) return first;
  const second = at + 1 < text.length ? codeAt(text, at + 1) : 0;
  const isPair = first < 0xdc00 && second >= 0xdc00 && second <= 0xdfff;
  return isPair ? 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00) : 0xfffd;
}

function pushUtf8(bytes: number[], code: number): void {
  if (code < 0x80) append(bytes, code);
  else {
    const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    append(bytes, (LEADS[more] as number) | (code >> (6 * more)));
    for (let i = more - 1; i >= 0; i--) append(bytes, 0x80 | ((code >> (6 * i)) & 63));
  }
}

/** First bits of a sequence by the number of bytes that follow, and the least code point it holds. */
const LEADS = [0, 0xc0, 0xe0, 0xf0];
const LEAST = [0, 0x80, 0x800, 0x10000];

interface DecoderOptions {
  readonly fatal?: boolean;
  readonly ignoreBOM?: boolean;
}

const NAMES = ["utf-8", "utf8", "latin1", "ascii", "iso-8859-1", "utf-16le", "utf16le"];

export class TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  #rest: number[] = [];

  constructor(label = "utf-8", { fatal = false, ignoreBOM = false }: DecoderOptions = {}) {
    const name = `${label}`.toLowerCase();
    if (!NAMES.includes(name)) throw rangeError(`the encoding ${name} is not supported`);
    this.encoding = name === "utf8" ? "utf-8" : name;
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
  }

  decode(input?: ArrayBufferView | ArrayBuffer, { stream = false } = {}): string {
    const bytes = bytesOf(input);
    if (this.encoding !== "utf-8") return singleBytes(bytes, this.encoding);
    const all = this.#rest;
    this.#rest = [];
    for (let i = 0; i < bytes.length; i++) append(all, bytes[i] as number);
    return this.#utf8(all, stream);
  }

  #utf8(bytes: number[], stream: boolean): string {
    let text = "";
    let at = 0;
    while (at < bytes.length) {
      const { code, length, isCut } = sequenceAt(bytes, at);
      if (isCut && stream) break;
      text += this.#character(code);
      at += length;
    }
    for (; at < bytes.length; at++) append(this.#rest, bytes[at] as number);
    return !this.ignoreBOM && text[0] === "\ufeff" ? textFrom(text, 1) : text;
  }

  #character(code: number): string {
    if (code >= 0) return fromCodePoint(code);
    if (this.fatal) throw typeError("the bytes are not UTF-8");
    return "\ufffd";
  }
}

interface Sequence {
  /** Negative: no UTF-8. */
  readonly code: number;
  readonly length: number;
  /** The bytes end within it. */
  readonly isCut: boolean;
}

function sequenceAt(bytes: readonly number[], at: number): Sequence {
  const first = bytes[at] as number;
  if (first < 0x80) return { code: first, length: 1, isCut: false };
  const more = followersOf(first);
  let code = first & (0x3f >> more);
  for (let i = 1; i <= more; i++) {
    const next = bytes[at + i];
    const isCut = next === undefined;
    if (isCut || (next & 0xc0) !== 0x80) return { code: -1, length: i, isCut };
    code = (code << 6) | (next & 63);
  }
  return { code: isScalar(code, more) ? code : -1, length: more + 1, isCut: false };
}

/** Bytes that follow a first one; 0 for what is no first one. */
function followersOf(first: number): number {
  if (first < 0xc2 || first >= 0xf5) return 0;
  if (first < 0xe0) return 1;
  return first < 0xf0 ? 2 : 3;
}

function isScalar(code: number, more: number): boolean {
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return more > 0 && code >= (LEAST[more] as number) && code <= 0x10ffff && !isSurrogate;
}

function fromCodePoint(code: number): string {
  if (code < 0x10000) return textOfCode(code);
  const rest = code - 0x10000;
  return textOfCode(0xd800 + (rest >> 10)) + textOfCode(0xdc00 + (rest & 0x3ff));
}

function singleBytes(bytes: Uint8Array, encoding: string): string {
  const isWide = encoding.startsWith("utf");
  let text = "";
  for (let i = 0; i < bytes.length; i += isWide ? 2 : 1) {
    text += textOfCode((bytes[i] as number) | (isWide ? (bytes[i + 1] ?? 0) << 8 : 0));
  }
  return text;
}

function bytesOf(input: ArrayBufferView | ArrayBuffer | undefined): Uint8Array {
  if (input === undefined) return new Uint8Array(0);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
}
