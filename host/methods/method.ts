import { coreError } from "../../core/index.ts";
import type { ExtensionContext } from "../api.ts";
import type { Budget } from "../budget.ts";
import type { Instance } from "../extension.ts";
import type { Runtime } from "../runtime.ts";
import type { Shape } from "../shape.ts";

/** Where a call runs, and how its answer comes, for a guest in the sandbox (extensions spec §2.1). */
export type Box = "in" | "mirror" | "call" | "wait" | "post" | "reg" | "reg-s";

/** One call that an extension makes. */
export interface Call {
  readonly runtime: Runtime;
  readonly instance: Instance;
  /** The time of the handler that calls; absent in commands. */
  readonly budget?: Budget;
  /** A context of another instance that answers this call, in the time of this call. */
  contextOf(instance: Instance): ExtensionContext;
}

/** One row of the table: everything an extension can do with the host is one of them. */
export interface Method {
  /** Full name: `api.setLabel`, `ctx.ui.notify`. */
  readonly name: string;
  readonly box: Box;
  /** What the caller must hold; of several, each. */
  readonly permission?: string | readonly string[];
  /** The answer without the permission; absent: PERMISSION_UNDECLARED is raised. */
  readonly refused?: (call: Call, ...args: readonly unknown[]) => unknown;
  /** Returns a promise, which also carries what is known at the call (extensions spec §2.1). */
  readonly isAsync?: true;
  /** A property that is read, not a function. */
  readonly getter?: true;
  /** On the context of commands only (extensions spec §2.5). */
  readonly commandOnly?: true;
  /** Works while the factory runs (extensions spec §1.5). */
  readonly inFactory?: true;
  readonly args: readonly Shape[];
  readonly run: (call: Call, ...args: readonly unknown[]) => unknown;
}

/** A row with typed arguments; `args` is what makes them so at run time. */
export function method<A extends readonly unknown[]>(
  row: Omit<Method, "run" | "refused"> & {
    readonly run: (call: Call, ...args: A) => unknown;
    readonly refused?: (call: Call, ...args: A) => unknown;
  },
): Method {
  return row as unknown as Method;
}

/** A property of the API. */
export function getter(name: string, run: (call: Call) => unknown, permission?: string): Method {
  return {
    name,
    box: "mirror",
    getter: true,
    args: [],
    run,
    ...(permission !== undefined && { permission }),
  };
}

/** Raises INVALID_ARGUMENT, with what is allowed, for any other value. */
export function checkOneOf(argument: string, value: unknown, allowed: readonly string[]): void {
  if (allowed.includes(value as string)) return;
  throw coreError("INVALID_ARGUMENT", { argument, reason: `must be one of ${allowed.join(", ")}` });
}
