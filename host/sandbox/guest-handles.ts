/** What crosses to and from one guest as numbers: functions of the host, and signals of both sides. */
export class GuestHandles {
  readonly #tellAbort: (id: number, reason: string) => void;
  readonly #functions = new Map<number, (...values: readonly unknown[]) => unknown>();
  readonly #ids = new WeakMap<AbortSignal, number>();
  readonly #watched = new Map<number, () => void>();
  readonly #controllers = new Map<number, AbortController>();
  #last = 0;

  constructor(tellAbort: (id: number, reason: string) => void) {
    this.#tellAbort = tellAbort;
  }

  /** The number of a function that the guest may call without an answer; noted in `owned`. */
  functionId(run: (...values: never) => unknown, owned: number[]): number {
    const id = ++this.#last;
    this.#functions.set(id, run as (...values: readonly unknown[]) => unknown);
    owned.push(id);
    return id;
  }

  callFunction(id: number, values: readonly unknown[]): void {
    this.#functions.get(id)?.(...values);
  }

  /** The number of a signal of the host, noted in `owned`; when it fires, the guest is told. */
  signalId(signal: AbortSignal, owned?: number[]): number {
    const known = this.#ids.get(signal);
    if (known !== undefined) return known;
    const id = ++this.#last;
    this.#ids.set(signal, id);
    owned?.push(id);
    if (signal.aborted) return id;
    const told = () => {
      this.#watched.delete(id);
      this.#tellAbort(id, reasonText(signal.reason));
    };
    signal.addEventListener("abort", told, { once: true });
    this.#watched.set(id, () => signal.removeEventListener("abort", told));
    return id;
  }

  /** What was given with an invocation is of no use any more; gives the numbers of its signals. */
  release(owned: readonly number[]): readonly number[] {
    const signals: number[] = [];
    for (const id of owned) {
      if (this.#functions.delete(id)) continue;
      this.#watched.get(id)?.();
      this.#watched.delete(id);
      signals.push(id);
    }
    return signals;
  }

  /** A signal of the guest's by its number; `0` is one that has fired already. */
  signalOf(id: number): AbortSignal {
    const known = this.#controllers.get(id);
    if (known) return known.signal;
    const controller = new AbortController();
    if (id === 0) controller.abort();
    else this.#controllers.set(id, controller);
    return controller.signal;
  }

  /** The guest's signal has fired. */
  cancel(id: number): void {
    this.#controllers.get(id)?.abort();
    this.#controllers.delete(id);
  }

  /** The guest is gone: its signals stop what was asked with them, and nothing is told any more. */
  close(): void {
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
    this.#functions.clear();
    for (const controller of this.#controllers.values()) controller.abort();
    this.#controllers.clear();
  }
}

/** A reason as text: only what a table says of it goes to a guest. */
function reasonText(reason: unknown): string {
  const { code, message } = (reason ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code !== "string" || typeof message !== "string") return "";
  return JSON.stringify({ code, message });
}
