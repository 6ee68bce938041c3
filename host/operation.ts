import { AsyncLocalStorage } from "node:async_hooks";
import { type BusyReason, hostError } from "./errors.ts";

/** An operation that asks handlers and waits for them. */
interface Operation {
  readonly reason: BusyReason;
  isOver: boolean;
}

const current = new AsyncLocalStorage<Operation>();

/** Runs work of an operation, so that calls from its handlers can be told apart. */
export async function asOperation<T>(reason: BusyReason, work: () => Promise<T>): Promise<T> {
  const operation: Operation = { reason, isOver: false };
  try {
    return await current.run(operation, work);
  } finally {
    operation.isOver = true;
  }
}

/**
 * Session control from inside a handler that an operation waits for would wait for itself: it raises
 * AGENT_BUSY at once (extensions spec §2.5).
 */
export function refuseInside(): void {
  const operation = current.getStore();
  if (operation && !operation.isOver) throw hostError("AGENT_BUSY", { reason: operation.reason });
}
