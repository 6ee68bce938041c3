import type { Border } from "./border.ts";
import { table, textFrom } from "./captured.ts";
import { type AbortSignal, fire, newSignal, onAbort } from "./events.ts";
import { reasonOf } from "./guest-errors.ts";
import { MARK } from "./wire.ts";

export type GuestFunction = (...values: readonly unknown[]) => unknown;

interface Bound {
  readonly run: GuestFunction;
  readonly owner: unknown;
}

/** Functions and signals that cross as numbers, in both directions (sandbox spec §4.4). */
export class References {
  readonly #border: Border;
  readonly #functions = table<Bound>();
  readonly #signals = table<AbortSignal>();
  #last = 0;

  constructor(border: Border) {
    this.#border = border;
  }

  /** A function, with the object that it is a method of. */
  functionMark(run: GuestFunction, owner: unknown): string {
    const id = ++this.#last;
    this.#functions[id] = { run, owner };
    return `${MARK}f${id}`;
  }

  functionOf(id: number): Bound | undefined {
    return this.#functions[id];
  }

  /** A signal of the guest's: when it fires, the host is told. */
  signalMark(signal: AbortSignal): string {
    const id = ++this.#last;
    if (signal.aborted) return `${MARK}a0`;
    onAbort(signal, () => this.#border.send("cancel", id, ""));
    return `${MARK}a${id}`;
  }

  /** A signal of the host's by its number; `0` is one that has fired. */
  signalOf(rest: string): AbortSignal {
    const isAborted = rest[0] === "!";
    const id = Number(isAborted ? textFrom(rest, 1) : rest);
    const known = this.#signals[id];
    if (known) return known;
    const signal = newSignal();
    if (isAborted) fire(signal);
    else this.#signals[id] = signal;
    return signal;
  }

  abort(id: number, reason: string): void {
    const signal = this.#signals[id];
    delete this.#signals[id];
    if (signal) fire(signal, reasonOf(reason));
  }
}
