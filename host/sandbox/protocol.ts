import { misfit, type Shape } from "../shape.ts";
import { sandboxError } from "./errors.ts";
import { scanJson } from "./json-scan.ts";
import type { ChildLimits } from "./limits.ts";

/** Bytes of a frame at most, and of its header (sandbox spec §3.2). */
export const MAX_FRAME = 16 * 1024 * 1024;
export const MAX_HEADER = 64 * 1024;
/** Two lengths stand before the header. */
const PREFIX = 8;

/** `async`: everything that may wait; `sync`: what a screen waits for (sandbox spec §4.1). */
export type Lane = "async" | "sync";

/** What the main process tells the extension host. `g` is the generation: the number of a load. */
export type ToChild =
  | { readonly t: "hello"; readonly limits: ChildLimits; readonly engine: EnginePlace }
  /** The body is made of `parts`: settings, prelude, and texts of modules with their names. */
  | {
      readonly t: "load";
      readonly g: number;
      readonly memoryMb: number;
      readonly waits: boolean;
      readonly parts: readonly Part[];
    }
  | {
      readonly t: "turn";
      readonly g: number;
      readonly lane: Lane;
      readonly kind: string;
      readonly a: number | string;
      /** Milliseconds of computing; absent: those of the lane. */
      readonly slice?: number;
      /** Paid from the bucket of background work (sandbox spec §4.6). */
      readonly background?: boolean;
    }
  | { readonly t: "abort"; readonly g: number; readonly id: number }
  | { readonly t: "answer"; readonly g: number; readonly id: number }
  | { readonly t: "state"; readonly g: number }
  | { readonly t: "dispose"; readonly g: number }
  | { readonly t: "ping"; readonly n: number };

export interface Part {
  readonly name: string;
  readonly bytes: number;
}

export interface EnginePlace {
  /** The module to require, and the file of the engine's manifest. */
  readonly module: string;
  readonly manifest: string;
  readonly version: string;
}

export type FaultKind =
  | "backlog"
  | "catastrophic"
  | "flood"
  | "oom"
  | "protocol"
  | "rss"
  | "stuck"
  | "timeout"
  | "unresponsive"
  | "wedged";

/** What a guest sends out by `post`. */
export type PostKind = "call" | "cancel" | "error" | "log" | "post" | "result";

export interface GuestFigures {
  readonly g: number;
  /** Milliseconds. */
  readonly cpu: number;
  readonly wall: number;
  readonly queue: number;
  readonly timers: number;
  /** Bytes, with external memory. */
  readonly heap: number;
  /** Whether a turn has not settled. */
  readonly busy: boolean;
}

/** What the extension host tells the main process. Nothing of it is trusted. */
export type FromChild =
  | {
      readonly t: "ready";
      readonly engine: string;
      readonly node: string;
      readonly jit: boolean;
      readonly walled: boolean;
      /** Empty, or what the self-test found open. */
      readonly open: string;
    }
  | { readonly t: "unready"; readonly missing: string }
  | { readonly t: "started"; readonly g: number }
  | { readonly t: "loadfail"; readonly g: number }
  | {
      readonly t: "post";
      readonly g: number;
      readonly kind: PostKind;
      readonly a: number | string;
    }
  | { readonly t: "wait"; readonly g: number; readonly id: number }
  | { readonly t: "uncaught"; readonly g: number }
  | {
      readonly t: "fault";
      readonly g: number;
      readonly kind: FaultKind;
      readonly limit: number;
      readonly used: number;
    }
  | {
      readonly t: "pong";
      readonly n: number;
      readonly rss: number;
      readonly guests: readonly GuestFigures[];
    };

type Fields = { readonly [field: string]: Shape };

const GENERATION: Fields = { g: "number" };

/** Fields of every frame; what is not named here is left out. */
const FROM_CHILD: Readonly<Record<FromChild["t"], Fields>> = {
  ready: { engine: "string", node: "string", jit: "boolean", walled: "boolean", open: "string" },
  unready: { missing: "string" },
  started: GENERATION,
  loadfail: GENERATION,
  post: { ...GENERATION, kind: "string", a: "any" },
  wait: { ...GENERATION, id: "number" },
  uncaught: GENERATION,
  fault: { ...GENERATION, kind: "string", limit: "number", used: "number" },
  pong: {
    n: "number",
    rss: "number",
    guests: [
      {
        g: "number",
        cpu: "number",
        wall: "number",
        queue: "number",
        timers: "number",
        heap: "number",
        busy: "boolean",
      },
    ],
  },
};

const TO_CHILD: Readonly<Record<ToChild["t"], Fields>> = {
  hello: { limits: "object", engine: "object" },
  load: { ...GENERATION, memoryMb: "number", waits: "boolean", parts: "array" },
  turn: {
    ...GENERATION,
    lane: "string",
    kind: "string",
    a: "any",
    slice: "number?",
    background: "boolean?",
  },
  abort: { ...GENERATION, id: "number" },
  answer: { ...GENERATION, id: "number" },
  state: GENERATION,
  dispose: GENERATION,
  ping: { n: "number" },
};

const POST_KINDS: ReadonlySet<string> = new Set<PostKind>([
  "call",
  "cancel",
  "error",
  "log",
  "post",
  "result",
]);
const FAULT_KINDS: ReadonlySet<string> = new Set<FaultKind>([
  "backlog",
  "catastrophic",
  "flood",
  "oom",
  "stuck",
  "timeout",
  "wedged",
]);

/** A frame as it is sent. Raises LIMIT_EXCEEDED for one that is too large. */
export function encodeFrame(header: ToChild | FromChild, body: string | Uint8Array = ""): Buffer {
  const head = Buffer.from(JSON.stringify(header), "utf8");
  const bodyLength = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const length = PREFIX / 2 + head.length + bodyLength;
  if (length > MAX_FRAME || head.length > MAX_HEADER) {
    throw sandboxError("LIMIT_EXCEEDED", { limit: "frame", value: MAX_FRAME, unit: "bytes" });
  }
  const frame = Buffer.allocUnsafe(PREFIX / 2 + length);
  frame.writeUInt32LE(length, 0);
  frame.writeUInt32LE(head.length, 4);
  head.copy(frame, PREFIX);
  if (typeof body === "string") frame.write(body, PREFIX + head.length, "utf8");
  else frame.set(body, PREFIX + head.length);
  return frame;
}

export interface Frame<H> {
  readonly header: H;
  /** UTF-8, unparsed. */
  readonly body: Buffer;
}

/** Cuts a stream of bytes into frames. What breaks the form raises PROTOCOL_BREACH. */
export class FrameReader<H> {
  readonly #check: (json: unknown) => H;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(check: (json: unknown) => H) {
    this.#check = check;
  }

  /** Bytes that wait for the rest of their frame. */
  get pending(): number {
    return this.#length;
  }

  push(chunk: Buffer): Frame<H>[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const frames: Frame<H>[] = [];
    while (this.#length >= PREFIX) {
      const [length, headerLength] = this.#lengths();
      if (this.#length < PREFIX / 2 + length) break;
      frames.push(this.#frame(length, headerLength));
    }
    return frames;
  }

  /** Both lengths, checked before anything of the frame is kept. */
  #lengths(): readonly [number, number] {
    const start = this.#peek(PREFIX);
    const length = start.readUInt32LE(0);
    const headerLength = start.readUInt32LE(4);
    const isFit =
      length <= MAX_FRAME && headerLength <= MAX_HEADER && headerLength + PREFIX / 2 <= length;
    if (!isFit) throw breach(`a frame of ${length} bytes with a header of ${headerLength}`);
    return [length, headerLength];
  }

  #peek(length: number): Buffer {
    const [first] = this.#chunks as [Buffer];
    if (first.length < length) this.#chunks = [Buffer.concat(this.#chunks)];
    return (this.#chunks[0] as Buffer).subarray(0, length);
  }

  #frame(length: number, headerLength: number): Frame<H> {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const bytes = all as Buffer;
    const end = PREFIX / 2 + length;
    this.#chunks = end < bytes.length ? [bytes.subarray(end)] : [];
    this.#length -= end;
    const header = this.#check(parse(bytes.subarray(PREFIX, PREFIX + headerLength)));
    return { header, body: bytes.subarray(PREFIX + headerLength, end) };
  }
}

/** The header of a frame that came out of the extension host. */
export function fromChild(json: unknown): FromChild {
  const header = fitting(FROM_CHILD, json) as FromChild;
  if (header.t === "post") {
    const isKey = typeof header.a === "string" || Number.isSafeInteger(header.a);
    if (!POST_KINDS.has(header.kind) || !isKey) throw breach(`a post of kind ${header.kind}`);
  }
  if (header.t === "fault" && !FAULT_KINDS.has(header.kind)) throw breach("an unknown fault");
  return header;
}

/** The header of a frame that the main process sent. */
export function toChild(json: unknown): ToChild {
  return fitting(TO_CHILD, json) as ToChild;
}

function parse(bytes: Buffer): unknown {
  const reason = scanJson(bytes);
  if (reason !== undefined) throw breach(reason);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw breach("a header that is no JSON", error);
  }
}

function fitting(table: Readonly<Record<string, Fields>>, json: unknown): unknown {
  const t = (json as { t?: unknown } | null)?.t;
  const fields = typeof t === "string" && Object.hasOwn(table, t) ? table[t] : undefined;
  if (fields === undefined) throw breach("a frame of an unknown type");
  const wrong = misfit(fields, json, String(t));
  if (wrong !== undefined) throw breach(wrong);
  const named: Record<string, unknown> = { t };
  for (const field of Object.keys(fields)) {
    const value = (json as Record<string, unknown>)[field];
    if (typeof value === "number" && !Number.isFinite(value)) throw breach(field);
    if (value !== undefined && value !== null) named[field] = value;
  }
  return named;
}

function breach(reason: string, cause?: unknown): Error {
  return sandboxError("PROTOCOL_BREACH", { reason }, cause);
}
