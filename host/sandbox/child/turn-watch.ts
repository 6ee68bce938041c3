import type { ChildLimits } from "../limits.ts";

export interface WatchEvents {
  /** A turn has not settled in time: the isolate must go. */
  stuck(limit: number): void;
  /** Nor has it after that: the engine is lost. */
  wedged(limit: number): void;
}

/**
 * Watches whether a turn settles (sandbox spec §2.5 steps 4 and 5), and measures what it computes:
 * the engine's own limit stands still while a guest waits, and a loop of waits outlives it (§4.3).
 */
export class TurnWatch {
  readonly #limits: ChildLimits;
  readonly #events: WatchEvents;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #slice = 0;
  #used = 0;
  #since: number | undefined;

  constructor(limits: ChildLimits, events: WatchEvents) {
    this.#limits = limits;
    this.#events = events;
  }

  /** Milliseconds of guest time so far. */
  get used(): number {
    return this.#used + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }

  get isOver(): boolean {
    return this.used >= this.#slice;
  }

  start(slice: number): void {
    this.#slice = slice;
    this.#used = 0;
    this.resume();
  }

  /** The guest computes again. */
  resume(): void {
    this.#since = performance.now();
    const left = Math.max(0, this.#slice - this.#used) + this.#limits.settleMs;
    this.#timer = setTimeout(() => this.#late(), left);
  }

  /** The guest waits for the host. */
  pause(): void {
    this.#used = this.used;
    this.stop();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#since = undefined;
  }

  #late(): void {
    const { settleMs, wedgeMs } = this.#limits;
    this.#timer = setTimeout(() => this.#events.wedged(this.#slice + settleMs + wedgeMs), wedgeMs);
    this.#events.stuck(this.#slice + settleMs);
  }
}
