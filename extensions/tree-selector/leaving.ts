import { type IndexRow, isConversation, type SessionEntry } from "coppice/core";
import type { TreeSession } from "./tree-data.ts";

/**
 * Whether an entry is the current position: the leaf, or only `label` entries lie between it and the
 * leaf (session tree §13.7).
 */
export function isHere(session: TreeSession, id: string): boolean {
  const rows = rowsById(session);
  let row = rowOf(rows, session.getLeafId());
  while (row && row.id !== id && row.type === "label") row = rowOf(rows, row.parentId);
  return row?.id === id;
}

/** The entry that a person would call the position: the last of the conversation, else the leaf. */
export function positionId(session: TreeSession): string | null {
  const rows = rowsById(session);
  let row = rowOf(rows, session.getLeafId());
  while (row && !isConversation(row)) row = rowOf(rows, row.parentId);
  return row?.id ?? session.getLeafId();
}

/** The entries that a move to `targetId` leaves behind, ancestor side first (session tree §9.1). */
export function entriesLeft(session: TreeSession, targetId: string): SessionEntry[] {
  const rows = rowsById(session);
  const kept = new Set(pathUp(rows, targetId));
  const left: SessionEntry[] = [];
  for (const id of pathUp(rows, session.getLeafId())) {
    if (kept.has(id)) break;
    const entry = session.getEntry(id);
    if (entry) left.push(entry);
  }
  return left.reverse();
}

type RowsById = ReadonlyMap<string, IndexRow>;

function rowsById(session: TreeSession): RowsById {
  return new Map(session.getIndex().map((row) => [row.id, row]));
}

function rowOf(rows: RowsById, id: string | null): IndexRow | undefined {
  return id === null ? undefined : rows.get(id);
}

/** Ids from an entry up to its root. */
function pathUp(rows: RowsById, from: string | null): string[] {
  const path: string[] = [];
  for (let row = rowOf(rows, from); row; row = rowOf(rows, row.parentId)) path.push(row.id);
  return path;
}
