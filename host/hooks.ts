import {
  AsyncParallelHook,
  AsyncSeriesBailHook,
  AsyncSeriesHook,
  AsyncSeriesWaterfallHook,
} from "tapable";
import type { ExtensionContext } from "./api.ts";
import { Budget } from "./budget.ts";
import { hostError } from "./errors.ts";
import type { EventName, EventPayload, EventResult } from "./events.ts";
import type { Instance } from "./extension.ts";
import { HOOKS, type HookRow, SPELLINGS } from "./hook-catalogue.ts";
import {
  type AnyHandler,
  editedField,
  failedGate,
  payloadFor,
  type Run,
  readResult,
  type Tap,
  withEdited,
} from "./hook-values.ts";
import { isGranted } from "./permissions.ts";
import { errorParts, type Reports } from "./reports.ts";

type Step = (run: Run) => Promise<Run | undefined>;

export interface HooksOptions {
  readonly reports: Reports;
  /** Milliseconds a handler may take. */
  timeoutMs(): number;
  /** The context a handler of an instance receives. */
  contextFor(instance: Instance, budget: Budget): ExtensionContext;
}

/** What the handlers of a `before` event have decided. */
export type BeforeOutcome<E extends EventName> =
  | { readonly cancelled: true; readonly by: Instance | undefined }
  | { readonly cancelled: false; readonly result: Partial<EventResult<E>> };

/** What handlers that may block have left of a call: its payload, or why it does not run. */
export type GateOutcome<E extends EventName> =
  | { readonly blocked: true; readonly reason: string; readonly by: Instance | undefined }
  | {
      readonly blocked: false;
      readonly payload: EventPayload<E>;
      /** Who changed the payload last. */
      readonly by: Instance | undefined;
    };

export type Provided<R> =
  | { readonly answer: R; readonly by: Instance }
  | { readonly by?: undefined; readonly failure: unknown };

/**
 * The hook pipeline: one tapable hook an event, rebuilt from the taps of open scopes when one comes
 * or goes, so that a dispatch on its way is never changed (session tree §15.2, extensions spec §3).
 */
export class Hooks {
  readonly #options: HooksOptions;
  readonly #taps = new Map<EventName, readonly Tap[]>();
  readonly #dispatchers = new Map<EventName, Step>();

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /** Adds a handler and gives its undo; `undefined` for an event that never fires. */
  tap(name: string, instance: Instance, handler: AnyHandler): (() => void) | undefined {
    const event = (SPELLINGS[name] ?? name) as EventName;
    if (!Object.hasOwn(HOOKS, event)) return undefined;
    const tap: Tap = { instance, spelling: name, handler };
    const taps = [...(this.#taps.get(event) ?? []), tap];
    this.#setTaps(
      event,
      taps.sort((a, b) => rankOf(a) - rankOf(b)),
    );
    return () => {
      const left = (this.#taps.get(event) ?? []).filter((other) => other !== tap);
      this.#setTaps(event, left);
    };
  }

  /** Names of the events that somebody, or one of these, handles, as they were spelled. */
  handled(isMeant: (instance: Instance) => boolean = () => true): readonly string[] {
    const taps = [...this.#taps.values()].flat().filter(({ instance }) => isMeant(instance));
    return [...new Set(taps.map(({ spelling }) => spelling))];
  }

  async before<E extends EventName>(event: E, payload: EventPayload<E>): Promise<BeforeOutcome<E>> {
    const run = await this.#dispatch(event, payload);
    if (run.fields.cancel) return { cancelled: true, by: run.by };
    return { cancelled: false, result: run.fields as Partial<EventResult<E>> };
  }

  /** Asks whether something may happen; a handler that fails forbids it (extensions spec §3.4). */
  async gate<E extends EventName>(event: E, payload: EventPayload<E>): Promise<GateOutcome<E>> {
    const { fields, payload: left, by } = await this.#dispatch(event, payload);
    if (!fields.block) return { blocked: false, payload: left as EventPayload<E>, by };
    return { blocked: true, reason: String(fields.reason ?? ""), by };
  }

  /** The payload as the handlers leave it; `handled` when one has dealt with it. */
  async transform<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
  ): Promise<{ readonly payload: EventPayload<E>; readonly handled: boolean }> {
    const run = await this.#dispatch(event, payload);
    return { payload: run.payload as EventPayload<E>, handled: run.stopped === true };
  }

  /** The first answer and who gave it; without one, the last error of a built-in answer. */
  async provide<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
  ): Promise<Provided<EventResult<E>>> {
    const run = await this.#dispatch(event, payload);
    if (run.by) return { answer: run.fields as EventResult<E>, by: run.by };
    return { failure: run.failures.at(-1) };
  }

  async after<E extends EventName>(event: E, payload: EventPayload<E>): Promise<void> {
    const sent = this.#dispatch(event, payload);
    if (!HOOKS[event].notAwaited) await sent;
  }

  /** Tells one instance only, which has come while the others go on. */
  async afterIn<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    instance: Instance,
  ): Promise<void> {
    const taps = heard(this.#taps.get(event) ?? []).filter((tap) => tap.instance === instance);
    const run: Run = { payload: { ...payload } as Run["payload"], fields: {}, failures: [] };
    await this.#build(event, taps)(run);
  }

  #setTaps(event: EventName, taps: readonly Tap[]): void {
    this.#taps.set(event, taps);
    this.#dispatchers.delete(event);
  }

  async #dispatch(event: EventName, payload: object): Promise<Run> {
    const run: Run = { payload: { ...payload } as Run["payload"], fields: {}, failures: [] };
    const taps = this.#taps.get(event);
    if (!taps || taps.length === 0) return run;
    const dispatcher = this.#dispatchers.get(event) ?? this.#build(event, heard(taps));
    this.#dispatchers.set(event, dispatcher);
    return (await dispatcher(run)) ?? run;
  }

  #build(event: EventName, taps: readonly Tap[]): Step {
    const row = HOOKS[event];
    const steps = taps.map((tap) => {
      const step: Step = (run) => this.#step(event, row, tap, run);
      return { name: tap.instance.extension.id, step: row.notAwaited ? newestOf(step) : step };
    });
    const isAtOnce = row.notAwaited || row.parallelMs !== undefined;
    return isAtOnce ? parallel(steps) : series[row.kind](steps);
  }

  /**
   * Runs one handler on a run; gives the run after it, or `undefined` where it gave nothing. What
   * goes wrong in it, in its payload or in its result stays here.
   */
  async #step(event: EventName, row: HookRow, tap: Tap, run: Run): Promise<Run | undefined> {
    if (!this.#mayReceive(event, row, tap)) return undefined;
    const limit = Math.min(row.parallelMs ?? Number.POSITIVE_INFINITY, this.#options.timeoutMs());
    const budget = new Budget(limit);
    try {
      const result = await beforeAbort(this.#call(row, tap, run, budget), budget.signal);
      if (result === undefined || result === null || row.kind === "after") return undefined;
      const read = readResult(event, row, result);
      if (typeof read !== "string") {
        return advance[row.kind](run, this.#honoured(event, row, tap, read), tap.instance);
      }
      this.#report(event, tap, "HOOK_RESULT_INVALID", { message: read });
    } catch (error) {
      this.#failed(event, row, tap, run, error === TIMED_OUT ? { limit } : { error });
    } finally {
      budget.end();
    }
    return row.kind === "gate" ? failedGate(run, event, tap) : undefined;
  }

  async #call(row: HookRow, tap: Tap, run: Run, budget: Budget): Promise<unknown> {
    const payload = payloadFor(row, tap, run.payload, budget.signal);
    const ctx = this.#options.contextFor(tap.instance, budget);
    const field = editedField(row, tap);
    const seen = field === undefined ? "" : JSON.stringify(payload[field]);
    const result = await tap.handler(payload as never, ctx);
    return field === undefined ? result : withEdited(result, field, payload, seen);
  }

  /** A failure is reported; that of a built-in answer is the caller's to raise. */
  #failed(
    event: EventName,
    row: HookRow,
    tap: Tap,
    run: Run,
    failure: { readonly error: unknown } | { readonly limit: number },
  ): void {
    const isBuiltInAnswer = row.kind === "provide" && tap.instance.extension.firstParty;
    if ("limit" in failure) {
      const message = `took longer than ${failure.limit} ms`;
      this.#report(event, tap, "HOOK_TIMEOUT", { message });
      if (isBuiltInAnswer) run.failures.push(hostError("SUMMARY_FAILED", { reason: message }));
    } else if (isBuiltInAnswer) run.failures.push(failure.error);
    else this.#report(event, tap, "HOOK_FAILED", errorParts(failure.error));
  }

  #mayReceive(event: EventName, row: HookRow, tap: Tap): boolean {
    if (row.receive === undefined || isGranted(tap.instance, row.receive)) return true;
    this.#report(event, tap, "PERMISSION_UNDECLARED", { message: `needs ${row.receive}` });
    return false;
  }

  #honoured(event: EventName, row: HookRow, tap: Tap, result: object): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(result)) {
      const permission = row.honour?.[field];
      if (permission === undefined || value === undefined || value === null) continue;
      if (isGranted(tap.instance, permission)) fields[field] = value;
      else {
        const message = `${field} needs ${permission}`;
        this.#report(event, tap, "PERMISSION_UNDECLARED", { message });
      }
    }
    return fields;
  }

  #report(event: string, tap: Tap, code: string, parts: { message: string; stack?: string }): void {
    const { id, version } = tap.instance.extension;
    this.#options.reports.add({ code, extension: id, version, where: event, ...parts });
  }
}

const TIMED_OUT = Symbol("timed out");

/** Third parties first, in load order, then first-party ones (extensions spec §3.1). */
function rankOf(tap: Tap): number {
  return tap.instance.extension.rank;
}

/** Who handles both spellings of an event is asked once, by the name of the catalogue. */
function heard(taps: readonly Tap[]): readonly Tap[] {
  const named = new Set(taps.filter((t) => !SPELLINGS[t.spelling]).map((t) => t.instance));
  return taps.filter((tap) => !SPELLINGS[tap.spelling] || !named.has(tap.instance));
}

/** Settles as the call does, or rejects with {@link TIMED_OUT} when the signal comes first. */
function beforeAbort<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(TIMED_OUT), { once: true });
    call.then(resolve, reject);
  });
}

/** How a valid result changes a run, by kind (extensions spec §3.2). */
const advance: Readonly<
  Record<
    Exclude<HookRow["kind"], "after">,
    (run: Run, fields: Record<string, unknown>, by: Instance) => Run | undefined
  >
> = {
  before(run, fields, by) {
    if (fields.cancel) return { ...run, fields: { cancel: true }, by };
    return { ...run, fields: { ...run.fields, ...fields } };
  },
  gate(run, { block, reason, input }, by) {
    if (block) return { ...run, fields: { block, reason }, by };
    if (input === undefined) return undefined;
    // What the next handler gets could have crossed the border of the sandbox.
    const plain: unknown = JSON.parse(JSON.stringify(input));
    return { ...run, payload: { ...run.payload, input: plain }, by };
  },
  provide(run, fields, by) {
    return Object.keys(fields).length > 0 ? { ...run, fields, by } : undefined;
  },
  transform(run, fields) {
    if (fields.action === "handled") return { ...run, stopped: true };
    const { action: _, ...values } = fields;
    return { ...run, payload: { ...run.payload, ...values } };
  },
};

interface NamedStep {
  readonly name: string;
  readonly step: Step;
}

/** The dispatchers of the kinds: tapable gives the order and the ways to end a series. */
const series: Readonly<Record<HookRow["kind"], (steps: readonly NamedStep[]) => Step>> = {
  before: (steps) => chain(steps, (run) => run.fields.cancel === true),
  gate: (steps) => chain(steps, (run) => run.fields.block === true),
  transform: (steps) => chain(steps, (run) => run.stopped === true),
  provide(steps) {
    const hook = new AsyncSeriesBailHook<[Run], Run>(["run"]);
    for (const { name, step } of steps) hook.tapPromise(name, step as (run: Run) => Promise<Run>);
    return async (run) => (await hook.promise(run)) as Run | undefined;
  },
  after(steps) {
    const hook = new AsyncSeriesHook<[Run]>(["run"]);
    for (const { name, step } of steps) hook.tapPromise(name, ignoring(step));
    return async (run) => {
      await hook.promise(run);
      return undefined;
    };
  },
};

function chain(steps: readonly NamedStep[], isOver: (run: Run) => boolean): Step {
  const hook = new AsyncSeriesWaterfallHook<[Run]>(["run"]);
  for (const { name, step } of steps) {
    hook.tapPromise(name, async (run) => (isOver(run) ? run : ((await step(run)) ?? run)));
  }
  return (run) => hook.promise(run);
}

function parallel(steps: readonly NamedStep[]): Step {
  const hook = new AsyncParallelHook<[Run]>(["run"]);
  for (const { name, step } of steps) hook.tapPromise(name, ignoring(step));
  return async (run) => {
    await hook.promise(run);
    return undefined;
  };
}

/** While a step is on its way, only the newest run waits for it (extensions spec §3.1). */
function newestOf(step: Step): Step {
  let isBusy = false;
  let next: Run | undefined;
  return async (run) => {
    next = run;
    if (isBusy) return undefined;
    isBusy = true;
    while (next) {
      const now: Run = next;
      next = undefined;
      await step(now);
    }
    isBusy = false;
    return undefined;
  };
}

function ignoring(step: Step): (run: Run) => Promise<void> {
  return async (run) => {
    await step(run);
  };
}
