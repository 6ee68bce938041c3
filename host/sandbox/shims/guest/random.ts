import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { GuestSettings } from "../settings.ts";

declare const settings: GuestSettings;

/** The guest's own generator: a chain of keyed hashes from the isolate's seed. */
let key = hexToBytes(settings.seed);
let block = new Uint8Array(0);

/** Bytes that nobody who does not know the seed can predict; the key moves on after each call. */
export function randomBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let place = 0; place < size; place += block.length) {
    block = hmac(sha256, key, block);
    bytes.set(block.subarray(0, size - place), place);
  }
  key = hmac(sha256, key, utf8ToBytes("next key"));
  return bytes;
}

/** A random UUID of version 4. */
export function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(bytes);
}

/** The text form of 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A whole number from `min` up to, not including, `max`; every one as likely as another. */
export function randomBetween(min: number, max: number): number {
  const range = max - min;
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const value = randomBytes(6).reduce((sum, byte) => sum * 256 + byte, 0);
    if (value < limit) return min + (value % range);
  }
}
