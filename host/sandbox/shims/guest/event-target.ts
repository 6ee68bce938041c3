type Listener = ((event: Event) => void) | { handleEvent(event: Event): void };
interface ListenOptions {
  readonly once?: boolean;
  readonly signal?: AbortSignal;
}

/** Codes of the older names of `DOMException`. */
const CODES: Readonly<Record<string, number>> = {
  InvalidCharacterError: 5,
  NotSupportedError: 9,
  InvalidStateError: 11,
  SyntaxError: 12,
  AbortError: 20,
  TimeoutError: 23,
  DataCloneError: 25,
};

export class DOMException extends Error {
  readonly code: number;

  constructor(message = "", name = "Error") {
    super(message);
    this.code = CODES[name] ?? 0;
    Object.defineProperty(this, "name", { value: name, configurable: true });
  }
}

export class Event {
  readonly type: string;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly timeStamp = 0;
  target: EventTarget | null = null;
  currentTarget: EventTarget | null = null;
  #isPrevented = false;
  isStopped = false;

  constructor(type: string, { bubbles = false, cancelable = false }: EventInit = {}) {
    this.type = String(type);
    this.bubbles = bubbles;
    this.cancelable = cancelable;
  }

  get defaultPrevented(): boolean {
    return this.#isPrevented;
  }

  preventDefault(): void {
    if (this.cancelable) this.#isPrevented = true;
  }

  stopPropagation(): void {
    this.stopImmediatePropagation();
  }

  stopImmediatePropagation(): void {
    this.isStopped = true;
  }
}

interface EventInit {
  readonly bubbles?: boolean;
  readonly cancelable?: boolean;
}

export class CustomEvent extends Event {
  readonly detail: unknown;

  constructor(type: string, { detail = null, ...init }: EventInit & { detail?: unknown } = {}) {
    super(type, init);
    this.detail = detail;
  }
}

export class EventTarget {
  readonly #listeners = new Map<string, Map<Listener, boolean>>();

  addEventListener(
    type: string,
    listener: Listener | null,
    options?: ListenOptions | boolean,
  ): void {
    if (listener === null || listener === undefined) return;
    const { once = false, signal } = typeof options === "object" ? options : {};
    if (signal?.aborted) return;
    const listeners = this.#listeners.get(type) ?? new Map<Listener, boolean>();
    this.#listeners.set(type, listeners);
    if (listeners.has(listener)) return;
    listeners.set(listener, once);
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener));
  }

  removeEventListener(type: string, listener: Listener | null): void {
    if (listener !== null) this.#listeners.get(type)?.delete(listener);
  }

  dispatchEvent(event: Event): boolean {
    event.target = this;
    event.currentTarget = this;
    const own = (this as unknown as Record<string, unknown>)[`on${event.type}`];
    if (typeof own === "function") call(own as (event: Event) => void, event);
    for (const [listener, isOnce] of [...(this.#listeners.get(event.type) ?? [])]) {
      if (event.isStopped) break;
      if (isOnce) this.removeEventListener(event.type, listener);
      call(listener, event);
    }
    event.currentTarget = null;
    return !event.defaultPrevented;
  }
}

/** A listener that throws holds up no other; its error is told as one that nobody caught. */
function call(listener: Listener, event: Event): void {
  try {
    if (typeof listener === "function") listener.call(event.currentTarget, event);
    else listener.handleEvent(event);
  } catch (error) {
    void Promise.reject(error);
  }
}
