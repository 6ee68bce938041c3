import * as npm from "buffer/";
import { atob, btoa } from "./base64.ts";

type Encoding = BufferEncoding | undefined;

const { Buffer } = npm;
const plain = {
  from: Buffer.from as (...args: unknown[]) => Buffer,
  toString: Buffer.prototype.toString,
  write: Buffer.prototype.write as (...args: unknown[]) => number,
  isEncoding: Buffer.isEncoding,
  byteLength: Buffer.byteLength,
};

/** The package knows no `base64url`, which is its `base64` in other letters. */
const isUrl = (encoding: unknown) => typeof encoding === "string" && /^base64url$/i.test(encoding);

Buffer.from = ((value: unknown, encoding?: unknown, length?: unknown) =>
  isUrl(encoding)
    ? plain.from(value, "base64")
    : plain.from(value, encoding, length)) as typeof Buffer.from;
Buffer.isEncoding = ((encoding: string) =>
  isUrl(encoding) || plain.isEncoding(encoding)) as typeof Buffer.isEncoding;
Buffer.byteLength = (value, encoding) =>
  plain.byteLength(value, isUrl(encoding) ? "base64" : encoding);
Buffer.prototype.toString = function (
  this: Buffer,
  encoding?: Encoding,
  start?: number,
  end?: number,
) {
  if (!isUrl(encoding)) return plain.toString.call(this, encoding, start, end);
  const text = plain.toString.call(this, "base64", start, end);
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
Buffer.prototype.write = function (this: Buffer, ...args: unknown[]) {
  const names = args.map((argument) => (isUrl(argument) ? "base64" : argument));
  return plain.write.apply(this, [args[0], ...names.slice(1)]);
} as typeof Buffer.prototype.write;

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

export default {
  Buffer,
  SlowBuffer: npm.SlowBuffer,
  INSPECT_MAX_BYTES: 50,
  kMaxLength: npm.kMaxLength,
  kStringMaxLength: 0x1fffffe8,
  constants: { MAX_LENGTH: npm.kMaxLength, MAX_STRING_LENGTH: 0x1fffffe8 },
  atob,
  btoa,
  isUtf8,
  isAscii: (bytes: Uint8Array) => bytes.every((byte) => byte < 0x80),
};
