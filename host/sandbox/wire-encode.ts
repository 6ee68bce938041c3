import type { ContextFacts } from "../context.ts";
import { factsOf } from "../context.ts";
import { type WireFailure, wireFailure } from "./wire-errors.ts";

/** First character of a string that stands for what is no JSON (see the prelude's `wire.ts`). */
const MARK = "\u0001";

/** A value that crosses as a mark: an entry by its id, rows, the view of a tree. */
export class Marked {
  readonly text: string;

  constructor(letter: string, rest = "") {
    this.text = `${MARK}${letter}${rest}`;
  }
}

/** Numbers for what the guest gets of the host: functions, signals, contexts. */
export interface Numbering {
  functionId(run: (...values: never) => unknown): string;
  /** `!` before that of a signal that has fired. */
  signalId(signal: AbortSignal): string;
  /** JSON of the lease of a context. */
  lease(facts: ContextFacts): string;
  /** An error of the host's, as the guest may see it. */
  failure(error: unknown): WireFailure;
}

/** A value as JSON text for a guest; `""` for `undefined`. */
export function encodeForGuest(value: unknown, numbering: Numbering): string {
  const marking = function (this: unknown, key: string, inner: unknown): unknown {
    if (typeof inner === "string") return inner.startsWith(MARK) ? `${MARK}s${inner}` : inner;
    if (typeof inner === "function") {
      return `${MARK}f${numbering.functionId(inner as (...values: never) => unknown)}`;
    }
    if (typeof inner !== "object" || inner === null) return inner;
    return markOf((this as Record<string, unknown>)[key] as object, numbering) ?? inner;
  };
  const whole = markOf(value, numbering);
  return JSON.stringify(whole ?? value, whole === undefined ? marking : undefined) ?? "";
}

function markOf(value: unknown, numbering: Numbering): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof Marked) return value.text;
  if (value instanceof AbortSignal) return `${MARK}a${numbering.signalId(value)}`;
  if (value instanceof Uint8Array) return `${MARK}b${Buffer.from(value).toString("base64")}`;
  if (value instanceof Error) return `${MARK}e${JSON.stringify(numbering.failure(value))}`;
  const facts = factsOf(value);
  return facts && `${MARK}x${numbering.lease(facts)}`;
}

/** A list of values; one that is `undefined` keeps its place. */
export function encodeValues(values: readonly unknown[], numbering: Numbering): string {
  const texts = values.map((value) => encodeForGuest(value, numbering) || `"\\u0001u"`);
  return `[${texts.join(",")}]`;
}

/** The answer to a call that failed. */
export function encodeFailure(error: unknown, ref: number, guest: object): string {
  return `!${JSON.stringify(wireFailure(error, ref, guest))}`;
}
