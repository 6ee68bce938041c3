import type { Frame, FromChild } from "./protocol.ts";

/** Bytes waiting above which nothing more is read, and below which reading goes on. */
const PAUSE_BYTES = 32 * 1024 * 1024;
const RESUME_BYTES = 8 * 1024 * 1024;

export interface PumpParts {
  /** Milliseconds of work at a stretch. */
  readonly stretchMs: number;
  handle(frame: Frame<FromChild>): void;
  /** Stops or resumes reading from the extension host. */
  pause(isPaused: boolean): void;
}

/**
 * Works on the frames of guests for a few milliseconds at a stretch, packages in rotation, then lets
 * keys and painting have their turn (sandbox spec §3.3).
 */
export class FramePump {
  readonly #parts: PumpParts;
  readonly #queues = new Map<number, Frame<FromChild>[]>();
  #bytes = 0;
  #isPaused = false;
  #isWaiting = false;
  #last: (() => void) | undefined;

  constructor(parts: PumpParts) {
    this.#parts = parts;
  }

  add(g: number, frame: Frame<FromChild>): void {
    const queue = this.#queues.get(g);
    if (queue) queue.push(frame);
    else this.#queues.set(g, [frame]);
    this.#bytes += frame.body.length;
    this.#heed();
    this.#soon();
  }

  /** Calls back when all that has come is worked off. */
  whenEmpty(run: () => void): void {
    this.#last = run;
    this.#soon();
  }

  #soon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => {
      this.#isWaiting = false;
      this.#stretch();
    });
  }

  #stretch(): void {
    const end = performance.now() + this.#parts.stretchMs;
    while (this.#queues.size > 0 && performance.now() < end) this.#one();
    this.#heed();
    if (this.#queues.size > 0) this.#soon();
    else this.#last?.();
  }

  /** The first frame of the guest whose turn it is; the guest goes to the end of the line. */
  #one(): void {
    const [next] = this.#queues;
    if (!next) return;
    const [g, queue] = next;
    const frame = queue.shift();
    this.#queues.delete(g);
    if (queue.length > 0) this.#queues.set(g, queue);
    if (!frame) return;
    this.#bytes -= frame.body.length;
    this.#parts.handle(frame);
  }

  #heed(): void {
    const shouldPause = this.#isPaused ? this.#bytes > RESUME_BYTES : this.#bytes > PAUSE_BYTES;
    if (shouldPause === this.#isPaused) return;
    this.#isPaused = shouldPause;
    this.#parts.pause(shouldPause);
  }
}
