import { codeAt, matches } from "./captured.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const NON_ASCII = /[^\0-\x7f]/;

/** Bytes of a text in UTF-8 at most; exact for ASCII. */
export function byteLength(text: string): number {
  return text.length > 0 && matches(NON_ASCII, text) ? text.length * 3 : text.length;
}

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += sextet(group >> 18) + sextet(group >> 12);
    text += left > 1 ? sextet(group >> 6) : "=";
    text += left > 2 ? sextet(group) : "=";
  }
  return text;
}

/** Bytes of a text in base64; characters that do not belong are passed over. */
export function fromBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(((text.length * 3) >> 2) + 3);
  let length = 0;
  let bits = 0;
  let group = 0;
  for (let i = 0; i < text.length; i++) {
    const value = sextetValue(codeAt(text, i));
    if (value < 0) continue;
    group = (group << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (group >> bits) & 0xff;
  }
  return new Uint8Array(bytes.buffer, 0, length);
}

function sextet(bits: number): string {
  return ALPHABET[bits & 63] as string;
}

function sextetValue(code: number): number {
  return VALUES[code] ?? -1;
}

const VALUES = new Int8Array(128);
for (let i = 0; i < 128; i++) VALUES[i] = -1;
for (let i = 0; i < 64; i++) VALUES[codeAt(ALPHABET, i)] = i;
