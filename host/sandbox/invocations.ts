import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { ContextFacts } from "../context.ts";
import { sandboxError } from "./errors.ts";
import { Settling } from "./settling.ts";

/** A handler, command or callback that a guest has been asked to run and that has not settled. */
export interface Invocation {
  readonly n: number;
  /** The context it was given, with its time; absent where it got none. */
  readonly facts: ContextFacts | undefined;
  /** Where calls of the guest in its name run, so that an operation knows its own handlers. */
  readonly scope: AsyncResource;
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

/** Unsettled invocations of one guest by unguessable numbers (sandbox spec §4.2, §4.7). */
export class Invocations {
  readonly #limit: number;
  readonly #open = new Map<number, Invocation>();
  readonly #depth = new AsyncLocalStorage<number>();

  constructor(nesting: number) {
    this.#limit = nesting;
  }

  get size(): number {
    return this.#open.size;
  }

  get hasCommand(): boolean {
    return [...this.#open.values()].some(({ facts }) => facts?.isCommand);
  }

  find(n: number): Invocation | undefined {
    return this.#open.get(n);
  }

  /** Opens one; it settles with the bytes of its result. Raises LIMIT_EXCEEDED for deep nesting. */
  open(facts: ContextFacts | undefined): {
    readonly invocation: Invocation;
    readonly settled: Promise<Uint8Array>;
  } {
    const depth = (this.#depth.getStore() ?? 0) + 1;
    if (depth > this.#limit) {
      const limit = "calls of an extension inside each other";
      throw sandboxError("LIMIT_EXCEEDED", { limit, value: this.#limit });
    }
    const scope = this.#depth.run(depth, () => new AsyncResource("GuestInvocation"));
    const n = randomBytes(6).readUIntBE(0, 6);
    const { promise: settled, resolve, reject } = new Settling<Uint8Array>();
    const invocation = { n, facts, scope, resolve, reject };
    this.#open.set(n, invocation);
    return { invocation, settled };
  }

  /** The time of all that are open stands still until the work has settled. */
  pauseFor(work: Promise<unknown>): void {
    const settled = Promise.allSettled([work]);
    for (const { facts } of this.#open.values()) void facts?.call.budget?.pauseFor(settled);
  }

  /** Takes an invocation out: a later result finds none and is dropped. */
  take(n: number): Invocation | undefined {
    const invocation = this.#open.get(n);
    this.#open.delete(n);
    return invocation;
  }

  rejectAll(error: unknown): void {
    for (const { n } of [...this.#open.values()]) this.take(n)?.reject(error);
  }
}
