/** The most that a timer can wait; one that is longer would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The time a handler may take. It stands still while the host waits on the handler's behalf for a
 * person or a model (extensions spec §3.3).
 */
export class Budget {
  readonly #controller = new AbortController();
  readonly #now: () => number;
  #left: number;
  #since: number | undefined;
  #waits = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number, now: () => number = () => performance.now()) {
    this.#left = Math.min(milliseconds, LONGEST_TIMER_MS);
    this.#now = now;
    this.#start();
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs work that does not count. */
  async pauseFor<T>(work: Promise<T>): Promise<T> {
    if (this.#waits++ === 0) this.#stop();
    try {
      return await work;
    } finally {
      if (--this.#waits === 0 && !this.signal.aborted) this.#start();
    }
  }

  /** The handler has settled: nothing is to be measured any more. */
  end(): void {
    this.#waits = Number.POSITIVE_INFINITY;
    this.#stop();
  }

  #start(): void {
    this.#since = this.#now();
    this.#timer = setTimeout(() => this.#controller.abort(), Math.max(0, this.#left));
  }

  #stop(): void {
    clearTimeout(this.#timer);
    if (this.#since !== undefined) this.#left -= this.#now() - this.#since;
    this.#since = undefined;
  }
}
