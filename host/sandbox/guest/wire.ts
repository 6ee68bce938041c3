import type { Shape } from "../../shape.ts";
import { sandboxError } from "../errors.ts";
import { fromBase64, toBase64 } from "./bytes.ts";
import {
  append,
  hasOwn,
  isArray,
  isError,
  keys,
  parse,
  stringify,
  textFrom,
  textIndex,
  typedArrayName,
} from "./captured.ts";
import { errorText } from "./guest-errors.ts";

/**
 * What is no JSON crosses as a string that begins with this character and a letter. A string of the
 * author's that begins with it crosses with an `s` behind it.
 */
export const MARK = "\u0001";
const ESCAPED_MARK = "\\u0001";

/** What stands behind marks: functions, signals, entries of the mirror, contexts. */
export interface Marks {
  /** Mark of a function or signal of the guest. */
  functionMark(run: unknown, owner: unknown): string;
  signalMark(signal: unknown): string;
  /** The value of a mark of the host's. */
  valueOf(letter: string, rest: string): unknown;
}

/** The JSON text of a list of arguments, by their shapes. Raises NOT_CLONEABLE with the path. */
export function encodeArguments(
  shapes: readonly Shape[],
  values: readonly unknown[],
  marks: Marks,
): string {
  let text = "";
  for (let i = 0; i < shapes.length && i < values.length; i++) {
    const part = encodeShape(shapes[i] as Shape, values[i], `argument ${i + 1}`, marks);
    text += i === 0 ? part : `,${part}`;
  }
  return `[${text}]`;
}

function encodeShape(
  shape: Shape,
  value: unknown,
  path: string,
  marks: Marks,
  owner?: unknown,
): string {
  if (value === undefined) return `"${ESCAPED_MARK}u"`;
  if (shape === "function" || shape === "function?") {
    return typeof value === "function" ? stringify(marks.functionMark(value, owner)) : "null";
  }
  if (typeof shape === "string") return encodeNamed(shape, value, path, marks);
  if (value === null) return "null";
  if (isArray(shape)) {
    return shape.length === 2
      ? encodeShape(shape[1] as Shape, value, path, marks)
      : encodeList(shape[0] as Shape, value as readonly unknown[], path, marks);
  }
  return encodeFields(shape as { readonly [field: string]: Shape }, value, path, marks);
}

function encodeNamed(name: string, value: unknown, path: string, marks: Marks): string {
  if (name === "signal" || name === "signal?") {
    return value === null ? "null" : stringify(marks.signalMark(value));
  }
  return encodeValue(value, path) || `"${ESCAPED_MARK}u"`;
}

function encodeList(inner: Shape, list: readonly unknown[], path: string, marks: Marks): string {
  let text = "";
  for (let i = 0; i < list.length; i++) {
    const part = encodeShape(inner, list[i], `${path}[${i}]`, marks);
    text += i === 0 ? part : `,${part}`;
  }
  return `[${text}]`;
}

/** Fields that the shape names, and no others: the rest stays in the isolate. */
function encodeFields(
  shape: { readonly [field: string]: Shape },
  value: unknown,
  path: string,
  marks: Marks,
): string {
  const names = keys(shape);
  let text = "";
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const field = (value as Record<string, unknown>)[name];
    if (field === undefined) continue;
    const part = encodeShape(shape[name] as Shape, field, `${path}.${name}`, marks, value);
    text += `${text === "" ? "" : ","}${stringify(name)}:${part}`;
  }
  return `{${text}}`;
}

/** Any value as JSON; `""` for `undefined` and functions. Raises NOT_CLONEABLE with the path. */
export function encodeValue(value: unknown, path: string): string {
  try {
    return stringify(value, marking) ?? "";
  } catch (error) {
    const where = isError(error) ? uncloneable(value, path, []) : undefined;
    if (where === undefined) throw error;
    throw sandboxError("NOT_CLONEABLE", where);
  }
}

function marking(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === "string") return value[0] === MARK ? `${MARK}s${value}` : value;
  if (typeof value !== "object" || value === null) return value;
  const given = (this as Record<string, unknown>)[key];
  if (typeof given !== "object" || given === null) return value;
  if (typedArrayName(given) === "Uint8Array") return `${MARK}b${toBase64(given as Uint8Array)}`;
  return isError(given) ? `${MARK}e${errorText(given)}` : value;
}

/** Where a value cannot cross and why; `undefined` if the fault lies elsewhere. */
function uncloneable(
  value: unknown,
  path: string,
  above: object[],
): { readonly path: string; readonly reason: string } | undefined {
  if (typeof value === "bigint") return { path, reason: "a BigInt is no JSON" };
  if (typeof value !== "object" || value === null) return undefined;
  if (above.length > 1000) return { path: "the value", reason: "it is nested too deep" };
  for (let i = 0; i < above.length; i++) {
    if (above[i] === value) return { path, reason: "it holds itself" };
  }
  append(above, value);
  const names = keys(value);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const place = isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
    const found = uncloneable((value as Record<string, unknown>)[name], place, above);
    if (found) return found;
  }
  above.length -= 1;
  return undefined;
}

/** A value that the host sent. */
export function decode(text: string, marks: Marks): unknown {
  if (text === "") return undefined;
  const value: unknown = parse(text);
  return textIndex(text, ESCAPED_MARK) < 0 ? value : unmark(value, marks);
}

function unmark(value: unknown, marks: Marks): unknown {
  if (typeof value === "string") return value[0] === MARK ? valueOfMark(value, marks) : value;
  if (typeof value !== "object" || value === null) return value;
  const names = keys(value);
  const object = value as Record<string, unknown>;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const inner = unmark(object[name], marks);
    if (inner === undefined && !isArray(value)) delete object[name];
    else if (inner !== object[name]) setOwn(object, name, inner);
  }
  return value;
}

function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (hasOwn(object, name)) {
    Reflect.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

function valueOfMark(text: string, marks: Marks): unknown {
  const letter = text[1] as string;
  const rest = textFrom(text, 2);
  if (letter === "s") return rest;
  if (letter === "u") return undefined;
  return letter === "b" ? fromBase64(rest) : marks.valueOf(letter, rest);
}
