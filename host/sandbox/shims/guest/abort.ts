import { typeError } from "./errors.ts";
import { DOMException, Event, EventTarget } from "./event-target.ts";

const create = Symbol("create");

export class AbortSignal extends EventTarget {
  #reason: { readonly value: unknown } | undefined;
  onabort: ((event: Event) => void) | null = null;

  constructor(key?: unknown) {
    if (key !== create) throw typeError("Illegal constructor");
    super();
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): unknown {
    return this.#reason?.value;
  }

  throwIfAborted(): void {
    if (this.#reason) throw this.#reason.value;
  }

  static abort(reason: unknown = aborted()): AbortSignal {
    const signal = new AbortSignal(create);
    signal.#reason = { value: reason };
    return signal;
  }

  static timeout(ms: number): AbortSignal {
    const signal = new AbortSignal(create);
    setTimeout(() => fire(signal, timedOut()), ms);
    return signal;
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const all = [...signals];
    const first = all.find((signal) => signal.aborted);
    if (first) return AbortSignal.abort(first.reason);
    const any = new AbortSignal(create);
    for (const signal of all) {
      signal.addEventListener("abort", () => fire(any, signal.reason), { once: true });
    }
    return any;
  }

  /** Aborts a signal; for the controller only. */
  static fire(signal: AbortSignal, reason: unknown): void {
    if (signal.#reason) return;
    signal.#reason = { value: reason };
    signal.dispatchEvent(new Event("abort"));
  }
}

const fire = AbortSignal.fire;
Reflect.deleteProperty(AbortSignal, "fire");

export class AbortController {
  readonly signal = new AbortSignal(create);

  abort(reason: unknown = aborted()): void {
    fire(this.signal, reason);
  }
}

function aborted(): DOMException {
  return new DOMException("This operation was aborted", "AbortError");
}

function timedOut(): DOMException {
  return new DOMException("The operation was aborted due to timeout", "TimeoutError");
}
