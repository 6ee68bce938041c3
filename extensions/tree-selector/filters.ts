import type { TreeFilter } from "coppice";
import { errorMessage, type IndexRow } from "coppice/core";
import { rowAt, type TreeData } from "./tree-data.ts";

/** A mode for when no extension offers one. */
export const SHOW_ALL: TreeFilter = {
  id: "all",
  title: "all",
  tag: "",
  predicate: (rows) => rows.map(() => true),
};

/** What a filter admits: a 1 per position, or why it cannot be used. */
export type Admitted = { readonly positions: Uint8Array } | { readonly problem: string };

/**
 * Asks a filter and adds the rule on assistant messages without text (session tree §13.3). The host
 * makes a failure of the answer out of everything that is no answer.
 */
export async function admit(data: TreeData, filter: TreeFilter): Promise<Admitted> {
  try {
    const answers = await filter.predicate(data.rows, data.view);
    const positions = new Uint8Array(data.order.length);
    data.order.order.forEach((place, position) => {
      const isAdmitted = answers[place] === true && !isMute(data, data.rows[place], position);
      positions[position] = Number(isAdmitted);
    });
    return { positions };
  } catch (error) {
    return { problem: `Filter ${filter.title} cannot be used: ${errorMessage(error)}` };
  }
}

/** An assistant message without text, unless it is the leaf or ended in an unusual way. */
function isMute(data: TreeData, row: IndexRow | undefined, position: number): boolean {
  if (row?.type !== "message" || row.role !== "assistant" || row.hasText) return false;
  if (position === data.order.leaf) return false;
  return row.stopReason === undefined || row.stopReason === "stop" || row.stopReason === "toolUse";
}

/** The filter with an id, else the first one. */
export function filterById(filters: readonly TreeFilter[], id: unknown): TreeFilter {
  return filters.find((filter) => filter.id === id) ?? filters[0] ?? SHOW_ALL;
}

/** The next filter in the ring, `step` 1 or -1. */
export function nextFilter(
  filters: readonly TreeFilter[],
  current: TreeFilter,
  step: number,
): TreeFilter {
  const at = filters.findIndex((filter) => filter.id === current.id);
  return filters[(at + step + filters.length) % filters.length] ?? current;
}

/** Whether a row is a message of the person. */
export function isUserMessage(data: TreeData, position: number): boolean {
  const row = rowAt(data, position);
  return row?.type === "message" && row.role === "user";
}
