import { coreError } from "../core/index.ts";
import type { Instance } from "./extension.ts";
import type { FlagOptions, FlagValue } from "./flags-types.ts";

export interface Flag {
  readonly name: string;
  readonly options: FlagOptions;
  readonly instance: Instance;
}

/** Flags that extensions have asked for, and their values: of each extension its own. */
export class Flags {
  #flags: readonly Flag[] = [];
  readonly #own = new WeakMap<Instance, Map<string, FlagOptions>>();

  /** The value is known at once, also while the factory runs; the flag itself is there at commit. */
  register(name: string, options: FlagOptions, instance: Instance): () => void {
    const own = this.#own.get(instance) ?? new Map<string, FlagOptions>();
    this.#own.set(instance, own.set(name, options));
    const flag = { name, options, instance };
    const undo = instance.register(() => {
      this.#flags = [...this.#flags.filter((other) => !isSame(other, flag)), flag];
      return () => {
        this.#flags = this.#flags.filter((other) => other !== flag);
      };
    });
    return () => {
      undo();
      if (own.get(name) === options) own.delete(name);
    };
  }

  /** `undefined` for a flag that this extension has not registered. */
  get(name: string, instance: Instance): FlagValue | undefined {
    return this.#own.get(instance)?.get(name)?.default ?? undefined;
  }

  all(): readonly Flag[] {
    return this.#flags;
  }
}

/** Raises INVALID_ARGUMENT for a type that there is not, and for a default of another type. */
export function checkFlag({ type, default: value }: FlagOptions): void {
  const argument = "api.registerFlag";
  if (type !== "boolean" && type !== "string") {
    throw coreError("INVALID_ARGUMENT", { argument, reason: "type must be boolean or string" });
  }
  if (value === undefined || value === null || typeof value === type) return;
  const reason = `the default must be a ${type}`;
  throw coreError("INVALID_ARGUMENT", { argument, reason });
}

function isSame(a: Flag, b: Flag): boolean {
  return a.name === b.name && a.instance === b.instance;
}
