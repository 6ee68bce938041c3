import { AsyncLocalStorage } from "node:async_hooks";
import { hostError } from "./errors.ts";

/** An operation that asks handlers and waits for them. */
interface Operation {
  isOver: boolean;
}

const current = new AsyncLocalStorage<Operation>();

/** Runs work of an operation, so that calls from its handlers can be told apart. */
export async function asOperation<T>(work: () => Promise<T>): Promise<T> {
  const operation: Operation = { isOver: false };
  try {
    return await current.run(operation, work);
  } finally {
    operation.isOver = true;
  }
}

/**
 * Session control from inside a handler that the same operation waits for would wait for itself: it
 * raises AGENT_BUSY at once (extensions spec §2.5).
 */
export function refuseInside(): void {
  const operation = current.getStore();
  if (operation && !operation.isOver) throw hostError("AGENT_BUSY", { reason: "navigating" });
}
