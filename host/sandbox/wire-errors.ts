import { CoppiceError, errorMessage } from "../../core/index.ts";
import { cleanLine } from "../text/index.ts";
import { type GuestErrorParts, guestError, sandboxError } from "./errors.ts";
import { parseGuestJson } from "./wire-decode.ts";

/** An error of the host as a guest sees it: no path, stack or class of the host (sandbox spec §3.5). */
export interface WireFailure {
  readonly code: string;
  readonly message: string;
  readonly name?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What each guest has thrown itself: its own words may come back to it. */
const thrownBy = new WeakMap<object, object>();

/** Whether a guest has thrown this error itself. */
export function isThrownBy(error: unknown, guest: object): boolean {
  return error instanceof Error && thrownBy.get(error) === guest;
}

/**
 * An error of a table goes as it is, and one that this guest has thrown itself; of any other only a
 * number that stands in the log.
 */
export function wireFailure(error: unknown, ref: number, guest: object): WireFailure {
  if (error instanceof Error && isThrownBy(error, guest) && !(error instanceof CoppiceError)) {
    return { code: "", message: error.message, name: error.name };
  }
  const known = error instanceof CoppiceError ? error : sandboxError("HOST_ERROR", { ref });
  const { code, message, details } = known;
  return { code, message, details: plainDetails(details) };
}

function plainDetails(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(details)) {
    const isPlain = value === null || ["string", "number", "boolean"].includes(typeof value);
    if (isPlain) plain[name] = value;
  }
  return plain;
}

const NAME = 200;
const MESSAGE = 4000;
const STACK = 16_000;
const CODE = /^[A-Z][A-Z_]{2,40}$/;

/** What a guest has thrown, from its text; stacks told in the author's own lines by `mapStack`. */
export function errorOfGuest(
  bytes: Uint8Array,
  guest: object,
  mapStack: (stack: string) => string,
): Error {
  const parsed = parseGuestJson(bytes);
  const wire = (typeof parsed === "object" && parsed !== null ? parsed : {}) as GuestErrorParts;
  const message = cleaned(wire.message, MESSAGE) || "an error without a message";
  const stack = typeof wire.stack === "string" ? mapStack(wire.stack.slice(0, STACK)) : "";
  const { code, details } = wire;
  const error = guestError({
    name: cleaned(wire.name, NAME) || "Error",
    message,
    ...(stack !== "" && { stack }),
    ...(typeof code === "string" && CODE.test(code) && { code }),
    ...(isRecord(details) && { details: plainDetails(details) }),
  });
  thrownBy.set(error, guest);
  return error;
}

/** The message of anything a guest's turn failed with, for its log. */
export function failureLine(error: unknown): string {
  return cleaned(errorMessage(error), MESSAGE);
}

function cleaned(value: unknown, length: number): string {
  return typeof value === "string" ? cleanLine(value.slice(0, length)) : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
