import { CoppiceError } from "../../../core/index.ts";
import { hasOwn, isError, parse, stringify, textFrom } from "./captured.ts";
import { plainError } from "./errors.ts";

/** An error as it crosses, in both directions (sandbox spec §3.5). */
export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const NAME = 200;
const MESSAGE = 4000;
const STACK = 16_000;
const DETAILS = 16 * 1024;

/** Errors that the host or this prelude made: their codes are the host's own. */
const own = new WeakSet<object>();

export function markOwn<E extends object>(error: E): E {
  own.add(error);
  return error;
}

/** Whatever a guest throws as text, read inside the turn. Reading it may throw what it likes. */
export function errorText(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null || !isError(thrown)) {
    return stringify({ name: "Error", message: cut(plainText(thrown), MESSAGE) });
  }
  const { name, message, stack, code, details } = thrown as Error & Record<string, unknown>;
  const wire: Record<string, unknown> = {
    name: cut(plainText(name), NAME),
    message: cut(plainText(message), MESSAGE),
  };
  if (typeof stack === "string") wire.stack = cut(stack, STACK);
  if (own.has(thrown)) {
    wire.code = code;
    if (details !== undefined) wire.details = details;
  } else if (typeof code === "string") wire.details = { guestCode: cut(code, NAME) };
  const text = stringify(wire);
  return text.length <= DETAILS + STACK + MESSAGE ? text : stringify({ ...wire, details: {} });
}

/** An error of the host, with the stack of the guest's own call. */
export function hostFailure(text: string): Error {
  const { code, message, name, details } = parse(text) as WireError;
  if (code === "") return Object.assign(plainError(message), { name });
  return markOwn(new CoppiceError(code ?? "HOST_ERROR", message, details));
}

/** A reason as the guest sees it: an error if one crossed, else the value. */
export function reasonOf(text: string): unknown {
  return text === "" ? undefined : hostFailure(text);
}

function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "symbol") return "a symbol was thrown";
  if (typeof value !== "object" || value === null) return `${value as number}`;
  return hasOwn(value, "message") ? plainText((value as Error).message) : "an object was thrown";
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : textFrom(text, 0, length);
}
