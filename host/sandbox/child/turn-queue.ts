import type { Lane } from "../protocol.ts";

/** One entry into a guest. */
export interface Turn {
  readonly kind: string;
  readonly a: number | string;
  readonly b: string;
  readonly lane: Lane;
  /** Milliseconds of computing. */
  readonly slice: number;
  readonly background: boolean;
  /** Called when the turn is over, or was never run. */
  readonly done?: () => void;
}

/** Turns in the order in which they run: aborts, the sync lane, then by arrival (sandbox spec §4.2). */
export class TurnQueue {
  readonly #aborts: Turn[] = [];
  readonly #sync: Turn[] = [];
  readonly #others: Turn[] = [];

  get length(): number {
    return this.#aborts.length + this.#sync.length + this.#others.length;
  }

  add(turn: Turn): void {
    if (turn.kind === "abort") this.#aborts.push(turn);
    else if (turn.lane === "sync") this.#sync.push(turn);
    else this.#others.push(turn);
  }

  /** The next turn; background work only if it may run. */
  next(mayRunBackground: boolean): Turn | undefined {
    const first = this.#aborts.shift() ?? this.#sync.shift();
    if (first || mayRunBackground) return first ?? this.#others.shift();
    const at = this.#others.findIndex(({ background }) => !background);
    return at < 0 ? undefined : this.#others.splice(at, 1)[0];
  }

  clear(): void {
    for (const list of [this.#aborts, this.#sync, this.#others]) {
      for (const { done } of list.splice(0)) done?.();
    }
  }
}
