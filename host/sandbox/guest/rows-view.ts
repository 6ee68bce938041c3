import type { IndexRow } from "../../../core/index.ts";
import type { TreeView } from "../../contributions-types.ts";
import { append, parse, table } from "./captured.ts";
import type { Mirror } from "./mirror.ts";

/** Rows for a predicate or a text function: all, or those of some ids (extensions spec §2.10). */
export function rowsOf(mirror: Mirror, ids: string): readonly IndexRow[] {
  const all = mirror.session.getIndex();
  if (ids === "") return all;
  const byId = table<IndexRow>();
  for (let i = 0; i < all.length; i++) byId[(all[i] as IndexRow).id] = all[i] as IndexRow;
  const wanted = parse(ids) as readonly string[];
  const rows: IndexRow[] = [];
  for (let i = 0; i < wanted.length; i++) {
    const row = byId[wanted[i] as string];
    if (row) append(rows, row);
  }
  return rows;
}

/** Which rows may be chosen, as the host has found it out: the ids of those. */
export function acceptOf(ids: string): (rows: readonly IndexRow[]) => boolean[] {
  const accepted = table<true>();
  const list = parse(ids) as readonly string[];
  for (let i = 0; i < list.length; i++) accepted[list[i] as string] = true;
  return (rows) => {
    const answers: boolean[] = [];
    for (let i = 0; i < rows.length; i++) {
      append(answers, accepted[(rows[i] as IndexRow).id] === true);
    }
    return answers;
  };
}

/** What such a function may look at beside its rows. */
export function viewOf(mirror: Mirror): TreeView {
  const { session } = mirror;
  const labels: Record<string, string> = {};
  const rows = session.getIndex();
  for (let i = 0; i < rows.length; i++) {
    const { id, label } = rows[i] as IndexRow;
    if (label !== undefined) labels[id] = label;
  }
  return { leafId: session.getLeafId(), labels, entry: (id) => session.getEntry(id) };
}
