import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { EnginePlace } from "../protocol.ts";

/** The parts of isolated-vm that are used; all that crosses is text and numbers (sandbox spec §3.1). */
export interface Engine {
  readonly Isolate: new (options: {
    readonly memoryLimit: number;
    readonly onCatastrophicError: (message: string) => void;
  }) => Isolate;
  readonly Callback: new (
    run: (kind: unknown, a: unknown, b: unknown) => void,
    options: { readonly ignored: true },
  ) => object;
  readonly Reference: new (run: (text: unknown) => Promise<string>) => object;
}

export interface Isolate {
  /** Nanoseconds. Raises once the isolate is disposed. */
  readonly cpuTime: bigint;
  readonly wallTime: bigint;
  readonly isDisposed: boolean;
  createContext(): Promise<Context>;
  getHeapStatistics(): Promise<{
    readonly used_heap_size: number;
    readonly externally_allocated_size: number;
  }>;
  dispose(): void;
}

export interface Context {
  evalClosure(
    code: string,
    values: readonly unknown[],
    options: {
      readonly filename: string;
      readonly timeout: number;
      readonly result: { readonly reference: true };
    },
  ): Promise<Dispatch>;
}

/** The prelude's one entry: kind, key, text. */
export interface Dispatch {
  apply(
    receiver: undefined,
    values: readonly [string, number | string, string],
    options: { readonly timeout: number },
  ): Promise<undefined>;
}

/** Loads the engine of this Node; `undefined` if it is not there or of another version. */
export function loadEngine({ module, manifest, version }: EnginePlace): Engine | undefined {
  const require = createRequire(module);
  try {
    const found = JSON.parse(readFileSync(manifest, "utf8")) as { version?: unknown };
    return found.version === version ? (require(module) as Engine) : undefined;
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return undefined;
  }
}
