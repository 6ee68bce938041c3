import type { ChildLimits } from "../limits.ts";

/** What a guest has sent in its running turn. The prelude counts too; this is the count that holds. */
export class TurnCounts {
  readonly #limits: ChildLimits;
  #messages = 0;
  #bytes = 0;
  #lines = 0;
  waits = 0;

  constructor(limits: ChildLimits) {
    this.#limits = limits;
  }

  reset(): void {
    this.#messages = 0;
    this.#bytes = 0;
    this.#lines = 0;
    this.waits = 0;
  }

  /** Whether one more message is within the limits of the turn (sandbox spec §3.3). */
  allows(kind: string, bytes: number): boolean {
    const { resultBytes, messageBytes, turnMessages, turnBytes, turnLogLines } = this.#limits;
    if (kind === "result" || kind === "error") return bytes <= resultBytes;
    if (kind === "log") return ++this.#lines <= turnLogLines + 1;
    this.#messages++;
    this.#bytes += bytes;
    return this.#messages <= turnMessages && this.#bytes <= turnBytes && bytes <= messageBytes;
  }
}

/** A bucket that fills with time: calls a second, or milliseconds of processor time. */
export class Bucket {
  readonly #perMs: number;
  readonly #size: number;
  readonly #now: () => number;
  #level: number;
  #at: number;

  constructor(perSecond: number, size: number, now: () => number = () => performance.now()) {
    this.#perMs = perSecond / 1000;
    this.#size = size;
    this.#now = now;
    this.#level = size;
    this.#at = now();
  }

  get level(): number {
    const now = this.#now();
    this.#level = Math.min(this.#size, this.#level + (now - this.#at) * this.#perMs);
    this.#at = now;
    return this.#level;
  }

  /** Takes so much, also below zero: what was used has been used. */
  take(amount: number): void {
    this.#level = this.level - amount;
  }

  /** Milliseconds until there is so much. */
  untilMs(amount: number): number {
    return Math.max(0, (amount - this.level) / this.#perMs);
  }
}

export function callBucket({ callsPerSecond, callsBurst }: ChildLimits): Bucket {
  return new Bucket(callsPerSecond, callsBurst);
}

export function backgroundBucket({ cpuShare, cpuBucketMs }: ChildLimits): Bucket {
  return new Bucket(cpuShare * 1000, cpuBucketMs);
}
