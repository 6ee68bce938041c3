import type { StartTimer } from "./input.ts";

export interface PaceOptions {
  readonly paint: () => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly startTimer: StartTimer;
  /** Runs something once the events of this turn are through. */
  readonly afterEvents: (run: () => void) => void;
}

/** Streaming and spinners get so many frames a second. */
const STREAM_FRAMES = 30;

/**
 * Decides when a frame is painted (tui spec §1.5.6): at once after the input of one read, at most thirty
 * times a second for what changes by itself. While nothing is asked for, no timer runs.
 */
export class FramePace {
  readonly #options: PaceOptions;
  #isDue = false;
  #stopTimer: (() => void) | undefined;
  #lastFrame = Number.NEGATIVE_INFINITY;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** A key or another event of the person: one frame for all of them in this turn. */
  soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#options.afterEvents(() => {
      if (this.#isDue) this.#paint();
    });
  }

  /** Something on the screen changed by itself. */
  stream(): void {
    if (this.#isDue || this.#stopTimer !== undefined) return;
    const wait = this.#lastFrame + 1000 / STREAM_FRAMES - this.#options.now();
    if (wait <= 0) this.soon();
    else this.#stopTimer = this.#options.startTimer(wait, () => this.#paint());
  }

  /** Forgets what is due. */
  stop(): void {
    this.#isDue = false;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #paint(): void {
    this.stop();
    this.#lastFrame = this.#options.now();
    this.#options.paint();
  }
}
