import { Buffer } from "node:buffer";
import { hmac } from "@noble/hashes/hmac.js";
import { md5, ripemd160, sha1 } from "@noble/hashes/legacy.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { sha224, sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { nodeError } from "./errors.ts";
import { randomBetween, randomBytes, randomUUID } from "./random.ts";
import { unsupportedMember } from "./unsupported.ts";

const ALGORITHMS = { md5, ripemd160, sha1, sha224, sha256, sha384, sha512 } as const;
type Algorithm = (typeof ALGORITHMS)[keyof typeof ALGORITHMS];
type Data = string | Uint8Array;

function algorithmOf(name: string): Algorithm {
  const key = name.toLowerCase().replace("-", "");
  if (Object.hasOwn(ALGORITHMS, key)) return ALGORITHMS[key as keyof typeof ALGORITHMS];
  throw nodeError("ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${name}`);
}

function bytesOf(data: Data, encoding?: BufferEncoding): Uint8Array {
  return typeof data === "string"
    ? Buffer.from(data, encoding)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

interface Sum {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
  clone(): Sum;
}

/** What `createHash` and `createHmac` give. */
class Digest {
  readonly #sum: Sum;
  #isDone = false;

  constructor(sum: Sum) {
    this.#sum = sum;
  }

  update(data: Data, encoding?: BufferEncoding): this {
    if (this.#isDone) throw nodeError("ERR_CRYPTO_HASH_FINALIZED", "Digest already called", Error);
    this.#sum.update(bytesOf(data, encoding));
    return this;
  }

  digest(encoding?: BufferEncoding): string | Buffer {
    if (this.#isDone) throw nodeError("ERR_CRYPTO_HASH_FINALIZED", "Digest already called", Error);
    this.#isDone = true;
    return encoded(this.#sum.digest(), encoding);
  }

  copy(): Digest {
    return new Digest(this.#sum.clone());
  }
}

function encoded(bytes: Uint8Array, encoding?: string): string | Buffer {
  const buffer = Buffer.from(bytes);
  return encoding === undefined || encoding === "buffer"
    ? buffer
    : buffer.toString(encoding as BufferEncoding);
}

function timingSafeEqual(left: Uint8Array, right: Uint8Array): boolean {
  const [a, b] = [bytesOf(left), bytesOf(right)];
  if (a.length !== b.length) {
    throw nodeError(
      "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH",
      "Input buffers must have the same byte length",
      RangeError,
    );
  }
  return a.reduce((difference, byte, i) => difference | (byte ^ (b[i] ?? 0)), 0) === 0;
}

type Done<T> = (error: null, value: T) => void;

/** Node's form with a callback beside the one without. */
function answered<T>(value: T, done: Done<T> | undefined): T | undefined {
  if (done === undefined) return value;
  queueMicrotask(() => done(null, value));
  return undefined;
}

function randomInt(...args: (number | Done<number>)[]): number | undefined {
  const done = args.find((argument) => typeof argument === "function");
  const numbers = args.filter((argument) => typeof argument === "number");
  const [min = 0, max = 0] = numbers.length > 1 ? numbers : [0, numbers[0]];
  const isRange =
    Number.isSafeInteger(min) && Number.isSafeInteger(max) && max > min && max - min <= 2 ** 48;
  if (!isRange) throw nodeError("ERR_OUT_OF_RANGE", "The value of max is out of range", RangeError);
  return answered(randomBetween(min, max), done);
}

function fill<T extends ArrayBufferView>(view: T, offset = 0, size = view.byteLength - offset): T {
  new Uint8Array(view.buffer, view.byteOffset + offset, size).set(randomBytes(size));
  return view;
}

function derive(password: Data, salt: Data, c: number, dkLen: number, digest: string): Buffer {
  return Buffer.from(pbkdf2(algorithmOf(digest), bytesOf(password), bytesOf(salt), { c, dkLen }));
}

/** `globalThis.crypto`: what is pure of it. */
const webcrypto = {
  getRandomValues: <T extends ArrayBufferView>(view: T): T => fill(view),
  randomUUID,
  get subtle(): unknown {
    return unsupportedMember("crypto.subtle");
  },
};

export default {
  createHash: (name: string) => new Digest(algorithmOf(name).create()),
  createHmac: (name: string, key: Data) => new Digest(hmac.create(algorithmOf(name), bytesOf(key))),
  hash: (name: string, data: Data, encoding = "hex") =>
    encoded(algorithmOf(name)(bytesOf(data)), encoding),
  getHashes: () => Object.keys(ALGORITHMS),
  randomBytes: (size: number, done?: Done<Buffer>) =>
    answered(Buffer.from(randomBytes(size)), done),
  pseudoRandomBytes: (size: number) => Buffer.from(randomBytes(size)),
  randomFillSync: fill,
  randomInt,
  randomUUID,
  timingSafeEqual,
  pbkdf2Sync: derive,
  webcrypto,
  getRandomValues: webcrypto.getRandomValues,
};
