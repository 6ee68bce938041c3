import type { ChildLimits } from "../limits.ts";
import type { PostKind } from "../protocol.ts";
import type { Outbox } from "./outbox.ts";
import { type Bucket, callBucket, TurnCounts } from "./rates.ts";

type Post = readonly [kind: PostKind, a: number | string, b: string];

const SENT: ReadonlySet<string> = new Set<PostKind>([
  "call",
  "cancel",
  "error",
  "log",
  "post",
  "result",
]);

export interface OutgoingParts {
  readonly g: number;
  readonly limits: ChildLimits;
  readonly outbox: Outbox;
  /** The guest has sent more than any prelude lets through. */
  flood(limit: number): void;
  /** The socket has taken bytes of this guest. */
  drained(): void;
  /** Any other message: `timeout`, `interval`, `clear`. */
  own(kind: string, a: number, b: unknown): void;
}

/** What one guest sends out, counted per turn and held back above its rate (sandbox spec §3.3). */
export class Outgoing {
  readonly #parts: OutgoingParts;
  readonly #counts: TurnCounts;
  readonly #calls: Bucket;
  #held: Post[] = [];
  #release: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** Bytes that the socket has not taken. */
  unsent = 0;

  constructor(parts: OutgoingParts) {
    this.#parts = parts;
    this.#counts = new TurnCounts(parts.limits);
    this.#calls = callBucket(parts.limits);
  }

  turnStarts(): void {
    this.#counts.reset();
  }

  /** Counts one more wait of the turn; `false` beyond the limit. */
  mayWait(): boolean {
    return ++this.#counts.waits <= this.#parts.limits.turnWaits;
  }

  /** Takes what came out of the isolate. Whatever the prelude promises, it is checked here. */
  post(kind: unknown, a: unknown, b: unknown): void {
    const { limits, flood } = this.#parts;
    const text = typeof b === "string" ? b : "";
    const isWell = typeof kind === "string" && isKey(a);
    if (this.#isClosed) return;
    if (!isWell) flood(0);
    else if (!this.#counts.allows(kind, Buffer.byteLength(text))) flood(limits.turnMessages);
    else if (SENT.has(kind)) this.#hold([kind as PostKind, a, text]);
    else if (typeof a === "number") this.#parts.own(kind, a, b);
    else flood(0);
  }

  /** The text of a `wait`. */
  sendWait(id: number, text: string): void {
    this.#parts.outbox.send({ t: "wait", g: this.#parts.g, id }, text, this);
  }

  sendUncaught(text: string): void {
    this.#parts.outbox.send({ t: "uncaught", g: this.#parts.g }, text.slice(0, 4000), this);
  }

  drained(): void {
    this.#parts.drained();
  }

  close(): void {
    this.#isClosed = true;
    this.#held = [];
    clearTimeout(this.#release);
  }

  /** In order: behind a call that is held back everything else of the guest waits too. */
  #hold(post: Post): void {
    if (this.#held.length === 0 && this.#mayGo(post)) this.#send(post);
    else {
      this.#held.push(post);
      this.#releaseLater();
    }
  }

  #mayGo([kind]: Post): boolean {
    if (kind !== "call" && kind !== "post") return true;
    if (this.#calls.level < 1) return false;
    this.#calls.take(1);
    return true;
  }

  #releaseLater(): void {
    this.#release ??= setTimeout(() => this.#releaseHeld(), this.#calls.untilMs(1) + 1);
  }

  #releaseHeld(): void {
    this.#release = undefined;
    const still = this.#held.findIndex((post) => !this.#mayGo(post));
    for (const post of this.#held.splice(0, still < 0 ? this.#held.length : still)) {
      this.#send(post);
    }
    if (this.#held.length > 0 && !this.#isClosed) this.#releaseLater();
  }

  #send([kind, a, text]: Post): void {
    const { outbox, g, limits } = this.#parts;
    outbox.send({ t: "post", g, kind, a }, text, this);
    if (this.unsent > limits.unsentFlood) this.#parts.flood(limits.unsentFlood);
  }
}

function isKey(value: unknown): value is number | string {
  return typeof value === "string" || Number.isSafeInteger(value);
}
