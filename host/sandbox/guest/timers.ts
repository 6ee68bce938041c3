import { sandboxError } from "../errors.ts";
import type { Border } from "./border.ts";
import { apply, table } from "./captured.ts";
import { typeError } from "./errors.ts";

/** What `setTimeout` gives: a number where one is wanted, with the methods that Node's has. */
class Timeout {
  readonly #id: number;
  readonly #clear: (id: number) => void;

  constructor(id: number, clear: (id: number) => void) {
    this.#id = id;
    this.#clear = clear;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  close(): this {
    this.#clear(this.#id);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.#id;
  }
}

type Callback = (...values: readonly unknown[]) => unknown;

interface Waiting {
  readonly run: Callback;
  readonly values: readonly unknown[];
  readonly repeats: boolean;
}

/** Timers of the guest; the clock is outside, a tick is a turn (sandbox spec §4.5). */
export class GuestTimers {
  readonly #border: Border;
  readonly #limit: number;
  readonly #waiting = table<Waiting>();
  #count = 0;
  #last = 0;

  constructor(border: Border, limit: number) {
    this.#border = border;
    this.#limit = limit;
  }

  start(run: unknown, ms: unknown, values: readonly unknown[], repeats: boolean): Timeout {
    if (typeof run !== "function") throw typeError("a timer needs a function");
    if (this.#count >= this.#limit) {
      throw sandboxError("LIMIT_EXCEEDED", { limit: "timers", value: this.#limit });
    }
    const id = ++this.#last;
    const delay = Number(ms);
    this.#border.timer(repeats ? "interval" : "timeout", id, Math.max(delay, 0));
    this.#waiting[id] = { run: run as Callback, values, repeats };
    this.#count++;
    return new Timeout(id, (known) => this.clear(known));
  }

  clear(timer: unknown): void {
    const id = Number(timer);
    if (timer === undefined || timer === null || !this.#waiting[id]) return;
    this.#forget(id);
    this.#border.timer("clear", id, 0);
  }

  tick(id: number): void {
    const waiting = this.#waiting[id];
    if (!waiting) return;
    if (!waiting.repeats) this.#forget(id);
    apply(waiting.run, undefined, waiting.values as unknown[]);
  }

  /** Nothing of the package runs by a clock any more. */
  clearAll(): void {
    for (const id in this.#waiting) this.clear(id);
  }

  #forget(id: number): void {
    delete this.#waiting[id];
    this.#count--;
  }
}
