import type { ChildLimits } from "../limits.ts";
import type { FaultKind, GuestFigures } from "../protocol.ts";
import type { Dispatch, Engine, Isolate } from "./engine.ts";
import type { Outbox } from "./outbox.ts";
import { Outgoing } from "./outgoing.ts";
import { type Bucket, backgroundBucket } from "./rates.ts";
import { Timers } from "./timers.ts";
import { type Turn, TurnQueue } from "./turn-queue.ts";
import { TurnWatch } from "./turn-watch.ts";

export interface GuestParts {
  readonly g: number;
  readonly engine: Engine;
  readonly limits: ChildLimits;
  readonly outbox: Outbox;
  readonly memoryMb: number;
  /** Whether the guest gets `wait` at all (sandbox spec §3.1). */
  readonly waits: boolean;
  /** The engine is lost: the process must end. */
  lost(kind: FaultKind, limit: number): void;
  /** The isolate is gone. */
  ended(): void;
}

/** The isolate of one package: its turns one at a time, its timers, what it sends (sandbox spec §4). */
export class Guest {
  readonly #parts: GuestParts;
  readonly #isolate: Isolate;
  readonly #queue = new TurnQueue();
  readonly #outgoing: Outgoing;
  readonly #background: Bucket;
  readonly #timers: Timers;
  readonly #watch: TurnWatch;
  readonly #waits = new Map<number, (text: string) => void>();
  #dispatch: Dispatch | undefined;
  #state: string[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  #turn: Turn | undefined;
  #isGone = false;
  #lastWait = 0;
  #heap = 0;
  #isMeasuring = false;

  constructor(parts: GuestParts) {
    const { limits, engine, memoryMb, outbox, g } = parts;
    this.#parts = parts;
    this.#outgoing = new Outgoing({
      g,
      limits,
      outbox,
      flood: (limit) => this.#flood(limit),
      drained: () => this.#next(),
      own: (kind, id, ms) => this.#timer(kind, id, Number(ms)),
    });
    this.#background = backgroundBucket(limits);
    this.#timers = new Timers(limits, (id, done) => this.#tick(id, done));
    this.#watch = new TurnWatch(limits, {
      stuck: (limit) => this.#fault("stuck", limit, limit),
      wedged: (limit) => parts.lost("wedged", limit),
    });
    this.#isolate = new engine.Isolate({
      memoryLimit: memoryMb,
      onCatastrophicError: () => parts.lost("catastrophic", memoryMb),
    });
  }

  /** Runs the prelude with its settings. Raises what the engine raises. */
  async start(prelude: string, settings: string): Promise<void> {
    const { engine, limits, waits } = this.#parts;
    const post = new engine.Callback((kind, a, b) => this.#outgoing.post(kind, a, b), {
      ignored: true,
    });
    const wait = waits ? new engine.Reference((text) => this.#wait(text)) : undefined;
    this.#watch.start(limits.moduleSliceMs);
    try {
      const context = await this.#isolate.createContext();
      this.#dispatch = await context.evalClosure(prelude, [post, settings, wait], {
        filename: "coppice:prelude",
        timeout: limits.moduleSliceMs,
        result: { reference: true },
      });
    } finally {
      this.#watch.stop();
    }
  }

  add(turn: Turn): void {
    const { turnsWaiting } = this.#parts.limits;
    if (this.#isGone) return;
    this.#queue.add(turn);
    const { length } = this.#queue;
    if (length > turnsWaiting) this.#fault("backlog", turnsWaiting, length);
    else this.#next();
  }

  /** What has changed outside; handed over with the next turn (sandbox spec §7). */
  addState(text: string): void {
    this.#state.push(text);
  }

  /** The answer to a `wait`. */
  answer(id: number, text: string): void {
    const resolve = this.#waits.get(id);
    this.#waits.delete(id);
    if (!resolve || this.#isGone) return;
    this.#watch.resume();
    resolve(text);
  }

  figures(): GuestFigures {
    this.#measureHeap();
    const { g } = this.#parts;
    const heap = this.#heap;
    const { length: queue } = this.#queue;
    const timers = this.#timers.size;
    return { g, cpu: this.#cpuMs(), wall: this.#wallMs(), queue, timers, heap, busy: !!this.#turn };
  }

  dispose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#timers.clearAll();
    this.#queue.clear();
    this.#waits.clear();
    this.#outgoing.close();
    clearTimeout(this.#retry);
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
    if (!this.#turn) this.#watch.stop();
    this.#parts.ended();
  }

  #fault(kind: FaultKind, limit: number, used: number): void {
    if (this.#isGone) return;
    const { outbox, g } = this.#parts;
    outbox.send({ t: "fault", g, kind, limit, used: Math.round(used) });
    this.dispose();
  }

  #next(): void {
    if (this.#turn || this.#isGone || !this.#dispatch) return;
    if (this.#outgoing.unsent > this.#parts.limits.unsentPause) return;
    const turn = this.#queue.next(this.#background.level > 0);
    if (turn) void this.#run(turn, this.#dispatch);
    else if (this.#queue.length > 0) this.#retryLater();
  }

  /** Background work waits until processor time is there again. */
  #retryLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#next(), this.#background.untilMs(1) + 1);
  }

  async #run(turn: Turn, dispatch: Dispatch): Promise<void> {
    this.#turn = turn;
    this.#outgoing.turnStarts();
    const cpu = turn.background ? this.#cpuMs() : 0;
    this.#watch.start(turn.slice);
    try {
      await this.#handOverState(dispatch);
      const { kind, a, b, slice } = turn;
      await dispatch.apply(undefined, [kind, a, b], { timeout: slice });
    } catch (error) {
      this.#failed(error, turn.slice);
    } finally {
      this.#watch.stop();
      this.#turn = undefined;
      if (turn.background) this.#background.take(this.#cpuMs() - cpu);
      turn.done?.();
      this.#next();
    }
  }

  async #handOverState(dispatch: Dispatch): Promise<void> {
    if (this.#state.length === 0) return;
    const text = `[${this.#state.join(",")}]`;
    this.#state = [];
    const { sliceMs: timeout } = this.#parts.limits;
    await dispatch.apply(undefined, ["state", 0, text], { timeout });
  }

  /**
   * The engine's own call has failed: time, memory, or a rejection in the guest that nobody handles,
   * which changes nothing (sandbox spec §3.1).
   */
  #failed(error: unknown, slice: number): void {
    if (this.#isGone) return;
    const { memoryMb } = this.#parts;
    const text = textOf(error);
    if (this.#isolate.isDisposed) this.#fault("oom", memoryMb, memoryMb);
    else if (text === TIMED_OUT) this.#fault("timeout", slice, this.#watch.used);
    else this.#outgoing.sendUncaught(text);
  }

  #flood(limit: number): void {
    this.#fault("flood", limit, limit + 1);
  }

  #timer(kind: string, id: number, ms: number): void {
    const delay = Number.isFinite(ms) && ms > 0 ? ms : 0;
    if (kind === "clear") this.#timers.clear(id);
    else if (kind !== "timeout" && kind !== "interval") this.#flood(0);
    else if (!this.#timers.set(id, delay, kind === "interval")) {
      this.#flood(this.#parts.limits.timers);
    }
  }

  /** A tick waits while the queue is long, so that timers never crowd out what somebody waits for. */
  #tick(id: number, done: () => void): void {
    const { sliceMs: slice, timersPauseAt, shortestTimerMs } = this.#parts.limits;
    if (this.#isGone) return;
    if (this.#queue.length > timersPauseAt) {
      setTimeout(() => this.#tick(id, done), shortestTimerMs);
      return;
    }
    this.add({ kind: "tick", a: id, b: "", lane: "async", slice, background: true, done });
  }

  /** Never rejects, and is never answered once the slice or the waits of the turn are used up. */
  #wait(text: unknown): Promise<string> {
    return new Promise((resolve) => {
      const turn = this.#turn;
      if (this.#isGone || !turn || typeof text !== "string") return;
      if (turn.lane === "sync") resolve(REFUSED);
      else if (!this.#outgoing.mayWait()) this.#flood(this.#parts.limits.turnWaits);
      else if (this.#watch.isOver) this.#fault("timeout", turn.slice, this.#watch.used);
      else {
        this.#watch.pause();
        const id = ++this.#lastWait;
        this.#waits.set(id, resolve);
        this.#outgoing.sendWait(id, text);
      }
    });
  }

  #measureHeap(): void {
    if (this.#isMeasuring || this.#isGone || this.#turn) return;
    this.#isMeasuring = true;
    const measured = (heap: number) => {
      this.#heap = heap;
      this.#isMeasuring = false;
    };
    this.#isolate.getHeapStatistics().then(
      (heap) => measured(heap.used_heap_size + heap.externally_allocated_size),
      () => measured(this.#heap),
    );
  }

  #cpuMs(): number {
    return this.#isolate.isDisposed ? 0 : Number(this.#isolate.cpuTime / 1000n) / 1000;
  }

  #wallMs(): number {
    return this.#isolate.isDisposed ? 0 : Number(this.#isolate.wallTime / 1000n) / 1000;
  }
}

/** What the engine says when a turn has computed for too long. */
const TIMED_OUT = "Script execution timed out.";
/** The answer to a `wait` in the sync lane; the prelude makes SYNC_LANE of it. */
const REFUSED = "";

/** The message of what the engine made of a guest's error: plain data by now. */
function textOf(error: unknown): string {
  const message = (error as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message : String(error);
}
