import { deepFreeze } from "../core/index.ts";
import type { ExtensionContext } from "./api.ts";
import type { EventName } from "./events.ts";
import type { Instance } from "./extension.ts";
import { FIELD_SHAPES, type HookRow } from "./hook-catalogue.ts";
import { isGranted } from "./permissions.ts";
import { misfit } from "./shape.ts";

export type AnyHandler = (event: never, ctx: ExtensionContext) => unknown;

/** A handler of an event, under the name it was given. */
export interface Tap {
  readonly instance: Instance;
  readonly spelling: string;
  readonly handler: AnyHandler;
}

/** One dispatch on its way through the taps. */
export interface Run {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Fields supplied so far, and by whom the answer was given. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly by?: Instance;
  readonly stopped?: true;
  /** What first-party answers to a `provide` event have thrown. */
  readonly failures: unknown[];
}

/** The payload as one handler receives it: frozen, without the fields it may not see. */
export function payloadFor(
  { visible = {}, inPlace }: HookRow,
  { instance, spelling: type }: Tap,
  payload: Run["payload"],
  timeout: AbortSignal,
): Record<string, unknown> {
  const { signal } = payload;
  const own = signal instanceof AbortSignal ? { signal: AbortSignal.any([signal, timeout]) } : {};
  const isSeen = ([field]: [string, unknown]) => maySee(visible, instance, field);
  const seen = Object.fromEntries(Object.entries(payload).filter(isSeen));
  const frozen = deepFreeze({ ...seen, ...own, type });
  if (inPlace === undefined) return frozen;
  return { ...frozen, [inPlace]: structuredClone(seen[inPlace] ?? {}) };
}

function maySee(
  visible: Readonly<Record<string, string>>,
  instance: Instance,
  field: string,
): boolean {
  return visible[field] === undefined || isGranted(instance, visible[field]);
}

/** The field of an event that a handler may change in place, if it sees it. */
export function editedField({ visible = {}, inPlace }: HookRow, { instance }: Tap) {
  return inPlace !== undefined && maySee(visible, instance, inPlace) ? inPlace : undefined;
}

/** A handler's result with what it has changed in place, unless it gives that back itself. */
export function withEdited(
  result: unknown,
  field: string,
  payload: Readonly<Record<string, unknown>>,
  seen: string,
): unknown {
  if (JSON.stringify(payload[field]) === seen) return result;
  if (result === undefined || result === null) return { [field]: payload[field] };
  if (typeof result !== "object" || Array.isArray(result)) return result;
  return { [field]: payload[field], ...result };
}

/** What a gate's handler could not decide is forbidden. */
export function failedGate(run: Run, event: EventName, { instance }: Tap): Run {
  const reason = `the extension ${instance.extension.id} failed in ${event}`;
  return { ...run, fields: { block: true, reason }, by: instance };
}

/** The fields of a valid result, or a text that says why it is none. */
export function readResult(event: EventName, row: HookRow, result: unknown): object | string {
  if (row.kind === "before" && hasCancel(result)) return { cancel: true };
  return misfitOfResult(event, row, result) ?? row.read?.(result as object) ?? (result as object);
}

function misfitOfResult(event: EventName, row: HookRow, result: unknown): string | undefined {
  const found = misfit(row.result ?? "object", result, "result");
  if (found !== undefined) return found;
  for (const [field, value] of Object.entries(result as object)) {
    const shape = FIELD_SHAPES[`${event}.${field}`];
    const inner = shape && value != null ? misfit(shape, value, `result.${field}`) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** A result that cancels is not looked at any further (session tree §15.2). */
function hasCancel(result: unknown): boolean {
  return typeof result === "object" && Boolean((result as { cancel?: unknown } | null)?.cancel);
}
