import { hostError } from "../../errors.ts";
import type { Border } from "./border.ts";
import { binaryText, fromBase64, toBase64 } from "./bytes.ts";
import { codeAt, construct, dateNow, defineProperty } from "./captured.ts";
import { structuredClone } from "./clone.ts";
import { consoleOf, lineOf } from "./console.ts";
import { typeError } from "./errors.ts";
import {
  AbortController,
  AbortSignal,
  CustomEvent,
  DOMException,
  Event,
  EventTarget,
  isBinary,
  listenerFailures,
  signalClock,
} from "./events.ts";
import { TextDecoder, TextEncoder } from "./text-codec.ts";
import type { GuestTimers } from "./timers.ts";

/** Not there: memory and threads that the engine cannot account for (sandbox spec §6.1). */
const REMOVED = ["WebAssembly", "SharedArrayBuffer", "Atomics"];
const NO_BUFFER_METHODS = [
  "resize",
  "transfer",
  "transferToFixedLength",
  "maxByteLength",
  "resizable",
];

/** Makes the guest's global object what the specification says, before any code of a guest runs. */
export function installGlobals(border: Border, timers: GuestTimers): void {
  for (const name of REMOVED) delete (globalThis as Record<string, unknown>)[name];
  fixBuffers();
  const began = dateNow();
  const report = (error: unknown) => border.log("error", lineOf([error]));
  listenerFailures.report = report;
  signalClock.after = (ms, run) => void timers.start(run, ms, [], false);
  const values: Record<string, unknown> = {
    console: consoleOf(border),
    global: globalThis,
    ...timerGlobals(timers),
    queueMicrotask(run: () => void) {
      if (typeof run !== "function") throw typeError("queueMicrotask needs a function");
      void (async () => {
        await undefined;
        run();
      })();
    },
    performance: {
      now: () => dateNow() - began,
      timeOrigin: began,
      mark: () => undefined,
      measure: () => undefined,
    },
    reportError: report,
    structuredClone,
    ...base64Globals,
    AbortController,
    AbortSignal,
    CustomEvent,
    DOMException,
    Event,
    EventTarget,
    TextDecoder,
    TextEncoder,
  };
  for (const name of Object.keys(values)) {
    const value = values[name];
    defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}

/** Modules of the host that stand on the global object, made when they are first read. */
export function installModuleGlobals(
  globals: Readonly<Record<string, string>>,
  load: (module: string) => Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(globals)) {
    const read = () => {
      const module = load(globals[name] as string);
      return name in module ? module[name] : module;
    };
    const set = (value: unknown) =>
      defineProperty(globalThis, name, { value, writable: true, configurable: true });
    defineProperty(globalThis, name, { get: read, set, configurable: true });
  }
}

function timerGlobals(timers: GuestTimers): Record<string, unknown> {
  const clear = (timer: unknown) => timers.clear(timer);
  return {
    setTimeout: (run: unknown, ms?: unknown, ...values: readonly unknown[]) =>
      timers.start(run, ms, values, false),
    setInterval: (run: unknown, ms?: unknown, ...values: readonly unknown[]) =>
      timers.start(run, ms, values, true),
    setImmediate: (run: unknown, ...values: readonly unknown[]) =>
      timers.start(run, 0, values, false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
}

const base64Globals = {
  atob(text: string): string {
    return binaryText(fromBase64(`${text}`));
  },
  btoa(text: string): string {
    const source = `${text}`;
    if (!isBinary(source)) {
      throw new DOMException("the text holds characters beyond Latin-1", "InvalidCharacterError");
    }
    const bytes = new Uint8Array(source.length);
    for (let i = 0; i < source.length; i++) bytes[i] = codeAt(source, i);
    return toBase64(bytes);
  },
};

/** Buffers of fixed length only: what can grow is outside the engine's accounting. */
function fixBuffers(): void {
  const Original = ArrayBuffer;
  const { prototype } = Original;
  for (const name of NO_BUFFER_METHODS)
    delete (prototype as unknown as Record<string, unknown>)[name];
  function FixedArrayBuffer(this: unknown, length: number): ArrayBuffer {
    if (new.target === undefined) {
      throw hostError("NOT_SUPPORTED", { member: "ArrayBuffer without new" });
    }
    return construct(Original, [length], new.target as unknown as new () => unknown);
  }
  defineProperty(FixedArrayBuffer, "name", { value: "ArrayBuffer" });
  defineProperty(FixedArrayBuffer, "prototype", { value: prototype, writable: false });
  defineProperty(FixedArrayBuffer, "isView", { value: Original.isView, configurable: true });
  defineProperty(FixedArrayBuffer, Symbol.species, {
    get() {
      return this;
    },
    configurable: true,
  });
  for (const [target, name] of [
    [prototype, "constructor"],
    [globalThis, "ArrayBuffer"],
  ] as const) {
    defineProperty(target, name, { value: FixedArrayBuffer, writable: true, configurable: true });
  }
}
