import type { Border } from "./border.ts";
import { table, textFrom } from "./captured.ts";
import { reasonOf } from "./guest-errors.ts";
import { MARK } from "./wire.ts";

export type GuestFunction = (...values: readonly unknown[]) => unknown;

interface Bound {
  readonly run: GuestFunction;
  readonly owner: unknown;
}

interface Controller {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** Functions and signals that cross as numbers, in both directions (sandbox spec §4.4). */
export class References {
  readonly #border: Border;
  readonly #newController: () => Controller;
  readonly #functions = table<Bound>();
  readonly #controllers = table<Controller>();
  #last = 0;

  constructor(border: Border, newController: () => Controller) {
    this.#border = border;
    this.#newController = newController;
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
    signal.addEventListener("abort", () => this.#border.send("cancel", id, ""), { once: true });
    return `${MARK}a${id}`;
  }

  /** A signal of the host's by its number; `!` stands before that of one that has fired. */
  signalOf(rest: string): AbortSignal {
    const isAborted = rest[0] === "!";
    const id = Number(isAborted ? textFrom(rest, 1) : rest);
    const controller = this.#controllers[id] ?? this.#newController();
    if (isAborted) controller.abort();
    else this.#controllers[id] = controller;
    return controller.signal;
  }

  abort(id: number, reason: string): void {
    const controller = this.#controllers[id];
    delete this.#controllers[id];
    controller?.abort(reasonOf(reason));
  }

  /** The host will not fire a signal any more. */
  forget(id: number): void {
    delete this.#controllers[id];
  }
}
