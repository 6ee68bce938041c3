import { append, apply, codeAt, defineProperty, known, removeAt, table } from "./captured.ts";
import { typeError } from "./errors.ts";

/** An error of the web's names: `AbortError`, `TimeoutError`, `DataCloneError`. */
export class DOMException extends Error {
  readonly code: number;

  constructor(message = "", name = "Error") {
    super(`${message}`);
    defineProperty(this, "name", { value: `${name}`, configurable: true });
    this.code = name === "AbortError" ? 20 : 0;
  }
}

export class Event {
  readonly type: string;
  readonly cancelable: boolean;
  readonly timeStamp = 0;
  target: unknown = null;
  currentTarget: unknown = null;
  defaultPrevented = false;
  isStopped = false;

  constructor(type: string, init: { readonly cancelable?: boolean } = {}) {
    this.type = `${type}`;
    this.cancelable = init.cancelable === true;
  }

  preventDefault(): void {
    if (this.cancelable) this.defaultPrevented = true;
  }

  stopPropagation(): void {
    // There is nothing above a target here.
  }

  stopImmediatePropagation(): void {
    this.isStopped = true;
  }
}

export class CustomEvent extends Event {
  readonly detail: unknown;

  constructor(
    type: string,
    init: { readonly cancelable?: boolean; readonly detail?: unknown } = {},
  ) {
    super(type, init);
    this.detail = init.detail ?? null;
  }
}

type Listener = ((event: Event) => void) | { handleEvent(event: Event): void } | null;

interface Registered {
  readonly listener: Listener;
  readonly once: boolean;
}

interface ListenerOptions {
  readonly once?: boolean;
  readonly signal?: AbortSignal;
}

/** What a throwing listener does; set by the prelude. */
export const listenerFailures = { report: (_error: unknown): void => undefined };

export class EventTarget {
  readonly #listeners = table<Registered[]>();

  addEventListener(type: string, listener: Listener, options?: ListenerOptions | boolean): void {
    if (typeof listener !== "function" && typeof listener !== "object") return;
    const { once = false, signal } = typeof options === "object" && options ? options : {};
    if (listener === null || signal?.aborted) return;
    const list = known(this.#listeners, type, () => []);
    for (let i = 0; i < list.length; i++) if (list[i]?.listener === listener) return;
    append(list, { listener, once });
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    const list = this.#listeners[type] ?? [];
    for (let i = list.length - 1; i >= 0; i--) {
      if (list[i]?.listener === listener) removeAt(list, i);
    }
  }

  dispatchEvent(event: Event): boolean {
    event.target = this;
    event.currentTarget = this;
    const own = (this as unknown as Record<string, unknown>)[`on${event.type}`];
    if (typeof own === "function") this.#call(own as Listener, event);
    const now: Registered[] = [];
    const list = this.#listeners[event.type] ?? [];
    for (let i = 0; i < list.length; i++) append(now, list[i] as Registered);
    for (let i = 0; i < now.length && !event.isStopped; i++) {
      const { listener, once } = now[i] as Registered;
      if (once) this.removeEventListener(event.type, listener);
      this.#call(listener, event);
    }
    event.currentTarget = null;
    return !event.defaultPrevented;
  }

  #call(listener: Listener, event: Event): void {
    try {
      if (typeof listener === "function") apply(listener, this, [event]);
      else listener?.handleEvent(event);
    } catch (error) {
      listenerFailures.report(error);
    }
  }
}

/** Only the host and a controller make signals. */
const KEY = {};

export class AbortSignal extends EventTarget {
  onabort: ((event: Event) => void) | null = null;
  #aborted = false;
  #reason: unknown;

  constructor(key?: object) {
    super();
    if (key !== KEY) throw typeError("an AbortSignal is made by an AbortController");
  }

  static abort(reason?: unknown): AbortSignal {
    return abortedNow(newSignal(), reason);
  }

  static any(signals: readonly AbortSignal[]): AbortSignal {
    const all = newSignal();
    for (let i = 0; i < signals.length; i++) {
      const signal = signals[i] as AbortSignal;
      if (signal.aborted) return abortedNow(all, signal.reason);
      signal.addEventListener("abort", () => fire(all, signal.reason), { once: true });
    }
    return all;
  }

  static timeout(milliseconds: number): AbortSignal {
    const signal = newSignal();
    signalClock.after(milliseconds, () =>
      fire(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")),
    );
    return signal;
  }

  /** Fires a signal; the prelude's way in. */
  static fire(key: object, signal: AbortSignal, reason: unknown): void {
    if (key !== KEY || signal.#aborted) return;
    signal.#aborted = true;
    signal.#reason =
      reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
    signal.dispatchEvent(new Event("abort"));
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }
}

const { fire: fireSignal } = AbortSignal;
/** How `AbortSignal.timeout` waits; set by the prelude. */
export const signalClock = { after: (_milliseconds: number, _run: () => void): void => undefined };

export function newSignal(): AbortSignal {
  return new AbortSignal(KEY);
}

const { addEventListener } = EventTarget.prototype;

/** Calls back once when a signal fires, whatever the guest has made of its methods. */
export function onAbort(signal: AbortSignal, run: () => void): void {
  apply(addEventListener, signal, ["abort", run, { once: true }]);
}

/** Fires a signal, once. */
export function fire(signal: AbortSignal, reason?: unknown): void {
  fireSignal(KEY, signal, reason);
}

function abortedNow(signal: AbortSignal, reason: unknown): AbortSignal {
  fire(signal, reason);
  return signal;
}

export class AbortController {
  readonly signal = newSignal();

  abort(reason?: unknown): void {
    fire(this.signal, reason);
  }
}

/** `Latin-1` text of bytes for `atob` and `btoa` holds no character above this. */
export function isBinary(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (codeAt(text, i) > 0xff) return false;
  return true;
}
