import { coreError } from "../../core/index.ts";
import type { Shape } from "../shape.ts";
import { sandboxError } from "./errors.ts";
import { scanJson } from "./json-scan.ts";

const MARK = "\u0001";
/** Elements of a list with a shape, and characters of a name, at most (sandbox spec §3.4). */
const MAX_ITEMS = 10_000;
const MAX_TEXT = 4 * 1024 * 1024;

/** Makes host values of the numbers a guest sends. */
export interface Reviving {
  /** `path` is where the function stands: `0.handler`. */
  functionOf(id: number, path: string): unknown;
  signalOf(id: number): AbortSignal;
  /** The true id of an entry that has a provisional one in the guest. */
  trueId(text: string): string;
}

/** JSON of a guest, scanned before it is parsed; `undefined` for no text. Raises LIMIT_EXCEEDED. */
export function parseGuestJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const reason = scanJson(bytes);
  if (reason !== undefined) {
    throw sandboxError("LIMIT_EXCEEDED", { limit: `${reason} in one message` });
  }
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  } catch (error) {
    const reason = "the message of a guest is no JSON";
    throw coreError("INVALID_ARGUMENT", { argument: "message", reason }, error);
  }
}

/**
 * Arguments of a call by the shapes of its row: named fields are copied into fresh objects, unknown
 * ones are left out. Whether they fit is checked where the row runs.
 */
export function decodeArguments(
  bytes: Uint8Array,
  shapes: readonly Shape[],
  reviving: Reviving,
): unknown[] {
  const list = parseGuestJson(bytes);
  if (!Array.isArray(list)) return [];
  return shapes
    .slice(0, list.length)
    .map((shape, i) => decodeShape(shape, list[i], String(i), reviving));
}

function decodeShape(shape: Shape, value: unknown, path: string, reviving: Reviving): unknown {
  if (typeof shape === "string") return decodeNamed(shape, value, path, reviving);
  const plain = value === `${MARK}u` ? undefined : value;
  if (plain === undefined || plain === null) return plain;
  if (!Array.isArray(shape)) {
    return decodeFields(shape as { readonly [field: string]: Shape }, plain, path, reviving);
  }
  if (shape.length === 2) return decodeShape(shape[1] as Shape, plain, path, reviving);
  if (!Array.isArray(plain) || plain.length > MAX_ITEMS) return undefined;
  return plain.map((item, i) => decodeShape(shape[0] as Shape, item, `${path}.${i}`, reviving));
}

function decodeFields(
  shape: { readonly [field: string]: Shape },
  value: unknown,
  path: string,
  reviving: Reviving,
): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(shape)) {
    if (!Object.hasOwn(value, name)) continue;
    const given = (value as Record<string, unknown>)[name];
    const field = decodeShape(inner, given, `${path}.${name}`, reviving);
    if (field !== undefined) fields[name] = field;
  }
  return fields;
}

function decodeNamed(name: string, value: unknown, path: string, reviving: Reviving): unknown {
  const type = name.replace("?", "");
  if (type === "function") return numbered(value, "f", (id) => reviving.functionOf(id, path));
  if (type === "signal") return numbered(value, "a", (id) => reviving.signalOf(id));
  const plain = unmarked(value);
  if (type === "number") return Number.isFinite(plain) ? plain : undefined;
  if (type !== "string" || typeof plain !== "string") return plain;
  return plain.length > MAX_TEXT ? undefined : reviving.trueId(plain);
}

function numbered<T>(value: unknown, letter: string, make: (id: number) => T): T | undefined {
  if (typeof value !== "string" || !value.startsWith(MARK + letter)) return undefined;
  const id = Number(value.slice(2));
  return Number.isSafeInteger(id) && id >= 0 ? make(id) : undefined;
}

/** Plain data, with bytes and errors made of their marks; nothing else of a mark has a meaning. */
export function unmarked(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith(MARK) ? valueOfMark(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = unmarked(value[i]);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    const inner = unmarked(object[key]);
    if (inner !== object[key]) setOwn(object, key, inner);
  }
  return object;
}

/** Also for a key such as `__proto__`, which stays a key like any other. */
function setOwn(object: object, key: string, value: unknown): void {
  const attributes = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(object, key, attributes);
}

function valueOfMark(text: string): unknown {
  const rest = text.slice(2);
  switch (text[1]) {
    case "s":
      return rest;
    case "b":
      return new Uint8Array(Buffer.from(rest, "base64"));
    case "e":
      return parseGuestJson(Buffer.from(rest));
    default:
      return undefined;
  }
}
