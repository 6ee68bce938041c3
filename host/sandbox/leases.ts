import { randomBytes } from "node:crypto";
import type { ContextFacts } from "../context.ts";
import type { Instance } from "../extension.ts";
import type { WireLease } from "./guest-settings.ts";

/** Who may call with a key: the kind of context and the instance behind it (sandbox spec §4.7). */
export interface Lease extends ContextFacts {
  readonly root: "api" | "ctx";
}

/** The unguessable keys of one guest: for its API, its contexts and its command contexts. */
export class Leases {
  readonly #byKey = new Map<string, Lease>();
  readonly #keys = new Map<Instance, Map<string, string>>();

  /** The key of a context of this kind. */
  keyOf(facts: ContextFacts, root: Lease["root"]): string {
    const kind = `${root}${facts.isCommand ? " of a command" : ""}`;
    const { instance } = facts.call;
    const keys = this.#keys.get(instance) ?? new Map<string, string>();
    this.#keys.set(instance, keys);
    const known = keys.get(kind);
    if (known !== undefined) return known;
    const key = randomBytes(16).toString("hex");
    keys.set(kind, key);
    // Kept without the time of one handler: that is found by the number of the invocation.
    const { budget: _, ...call } = facts.call;
    this.#byKey.set(key, { call, isCommand: facts.isCommand, root });
    return key;
  }

  wire(facts: ContextFacts, n: number): string {
    const lease: WireLease = { key: this.keyOf(facts, "ctx"), isCommand: facts.isCommand, n };
    return JSON.stringify(lease);
  }

  find(key: string): Lease | undefined {
    return this.#byKey.get(key);
  }

  /** Keys of an instance. */
  keysOf(instance: Instance): readonly string[] {
    return [...(this.#keys.get(instance)?.values() ?? [])];
  }
}
