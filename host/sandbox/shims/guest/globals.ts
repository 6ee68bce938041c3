import { TextDecoder, TextEncoder } from "@exodus/bytes/encoding-lite.js";
import clone from "@ungap/structured-clone";
import type { GuestSettings } from "../settings.ts";

declare const settings: GuestSettings;

export { AbortController, AbortSignal } from "./abort.ts";
export { atob, btoa } from "./base64.ts";
export { CustomEvent, DOMException, Event, EventTarget } from "./event-target.ts";
export { TextDecoder, TextEncoder };

/** Copies data as the engine's own `structuredClone` would, without a transfer. */
export function structuredClone<T>(value: T): T {
  return clone(value) as T;
}

const origin = settings.now();

/** Whole milliseconds: no fine clock for a guest (sandbox spec §1.4). */
export const performance = {
  timeOrigin: origin,
  now: () => settings.now() - origin,
  mark: () => undefined,
  measure: () => undefined,
  clearMarks: () => undefined,
  clearMeasures: () => undefined,
  getEntries: () => [],
  getEntriesByName: () => [],
  getEntriesByType: () => [],
  toJSON: () => ({ timeOrigin: origin }),
};

export function reportError(error: unknown): void {
  settings.log("error", error instanceof Error ? (error.stack ?? error.message) : String(error));
}
