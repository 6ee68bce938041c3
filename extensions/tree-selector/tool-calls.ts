import {
  type IndexRow,
  messageOf,
  type SessionEntry,
  type ToolCallBlock,
  toolCalls,
} from "coppice/core";
import { NONE, type TreeOrder } from "./order.ts";

/** How many rows above a result are looked at before the whole tree is. */
const NEAR = 64;

/**
 * Finds the call that a tool result answers: the nearest one above it, else one anywhere in the tree
 * (session tree §13.2). The whole tree is read at most once, and only for a result without a near call.
 */
export class ToolCalls {
  readonly #rows: readonly IndexRow[];
  readonly #order: TreeOrder;
  readonly #entry: (id: string) => SessionEntry | undefined;
  #all: ReadonlyMap<string, ToolCallBlock> | undefined;

  constructor(
    rows: readonly IndexRow[],
    order: TreeOrder,
    entry: (id: string) => SessionEntry | undefined,
  ) {
    this.#rows = rows;
    this.#order = order;
    this.#entry = entry;
  }

  /** The call with an id for the result at a position. */
  find(position: number, callId: string): ToolCallBlock | undefined {
    return this.#near(position, callId) ?? this.#anywhere(callId);
  }

  #near(position: number, callId: string): ToolCallBlock | undefined {
    let at = this.#order.parent[position] ?? NONE;
    for (let steps = 0; at !== NONE && steps < NEAR; steps++) {
      const row = this.#rows[this.#order.order[at] ?? NONE];
      if (row?.role === "assistant") {
        return this.#callsOf(row.id).find((call) => call.id === callId);
      }
      at = this.#order.parent[at] ?? NONE;
    }
    return undefined;
  }

  #anywhere(callId: string): ToolCallBlock | undefined {
    this.#all ??= new Map(
      this.#rows
        .filter((row) => row.role === "assistant")
        .flatMap((row) => this.#callsOf(row.id))
        .map((call) => [call.id, call]),
    );
    return this.#all.get(callId);
  }

  #callsOf(id: string): readonly ToolCallBlock[] {
    const entry = this.#entry(id);
    const message = entry && messageOf(entry);
    return message ? toolCalls(message) : [];
  }
}
