import { hostError } from "../../errors.ts";
import type { Border } from "./border.ts";
import { construct, defineProperty } from "./captured.ts";
import { consoleOf } from "./console.ts";
import { typeError } from "./errors.ts";
import type { GuestTimers } from "./timers.ts";

/** Not there: memory and threads that the engine cannot account for (sandbox spec §6.1). */
const REMOVED = ["WebAssembly", "SharedArrayBuffer", "Atomics"];
const REMOVED_OF_BUFFERS = [
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
  const values: Record<string, unknown> = {
    console: consoleOf(border),
    global: globalThis,
    ...timerGlobals(timers),
    queueMicrotask,
  };
  for (const name of Object.keys(values)) setGlobal(name, values[name]);
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
    const set = (value: unknown) => setGlobal(name, value);
    defineProperty(globalThis, name, { get: read, set, configurable: true });
  }
}

/** What every guest has, from the module that holds it. */
export function installModule(module: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(module)) setGlobal(name, module[name]);
}

function setGlobal(name: string, value: unknown): void {
  defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

function queueMicrotask(run: () => void): void {
  if (typeof run !== "function") throw typeError("queueMicrotask needs a function");
  void (async () => {
    await undefined;
    run();
  })();
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

/** Buffers of fixed length only: what can grow is outside the engine's accounting. */
function fixBuffers(): void {
  const Original = ArrayBuffer;
  const { prototype, isView } = Original;
  for (const name of REMOVED_OF_BUFFERS) {
    delete (prototype as unknown as Record<string, unknown>)[name];
  }
  function FixedArrayBuffer(this: unknown, length: number): ArrayBuffer {
    if (new.target === undefined) {
      throw hostError("NOT_SUPPORTED", { member: "ArrayBuffer without new" });
    }
    return construct(Original, [length], new.target as unknown as new () => unknown);
  }
  const define = (name: PropertyKey, attributes: PropertyDescriptor) =>
    defineProperty(FixedArrayBuffer, name, attributes);
  define("name", { value: "ArrayBuffer", configurable: true });
  define("prototype", { value: prototype, writable: false });
  define("isView", { value: isView, writable: true, configurable: true });
  define(Symbol.species, { get: ownConstructor, configurable: true });
  const attributes = { value: FixedArrayBuffer, writable: true, configurable: true };
  defineProperty(prototype, "constructor", attributes);
  defineProperty(globalThis, "ArrayBuffer", attributes);
}

function ownConstructor(this: unknown): unknown {
  return this;
}
