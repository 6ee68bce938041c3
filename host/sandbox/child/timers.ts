import type { ChildLimits } from "../limits.ts";

type Timer = ReturnType<typeof setTimeout>;

/** The timers of one guest: the engine has none (sandbox spec §4.5). A tick is a turn. */
export class Timers {
  readonly #limits: ChildLimits;
  readonly #tick: (id: number, done: () => void) => void;
  readonly #timers = new Map<number, { timer: Timer | undefined; readonly every: number }>();

  /** `tick` asks for a turn and tells when that has run. */
  constructor(limits: ChildLimits, tick: (id: number, done: () => void) => void) {
    this.#limits = limits;
    this.#tick = tick;
  }

  get size(): number {
    return this.#timers.size;
  }

  /** Starts a timer. `false` beyond the limit. */
  set(id: number, ms: number, repeats: boolean): boolean {
    if (this.#timers.size >= this.#limits.timers && !this.#timers.has(id)) return false;
    this.clear(id);
    const every = repeats ? Math.max(this.#limits.shortestTimerMs, ms) : 0;
    this.#timers.set(id, { timer: undefined, every });
    this.#arm(id, every || ms);
    return true;
  }

  clear(id: number): void {
    clearTimeout(this.#timers.get(id)?.timer);
    this.#timers.delete(id);
  }

  clearAll(): void {
    for (const id of [...this.#timers.keys()]) this.clear(id);
  }

  #arm(id: number, ms: number): void {
    const entry = this.#timers.get(id);
    if (!entry) return;
    entry.timer = setTimeout(
      () => {
        if (entry.every === 0) this.#timers.delete(id);
        this.#tick(id, () => {
          if (this.#timers.get(id) === entry) this.#arm(id, entry.every);
        });
      },
      Math.min(ms, 0x7fffffff),
    );
  }
}
