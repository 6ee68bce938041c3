import type { PickEntryOptions, ReadonlySessionManager, TreeRowText, TreeView } from "coppice";
import type { IndexRow, SessionEntry } from "coppice/core";
import { type TreeOrder, treeOrder } from "./order.ts";
import { RowTexts } from "./row-texts.ts";

/** The session as the selector reads it. */
export type TreeSession = Pick<
  ReadonlySessionManager,
  "getIndex" | "getLeafId" | "getEntry" | "getLabelInForce"
>;

export interface TreeDataOptions {
  /** Shown as `~` in paths. */
  readonly home: string;
  readonly rowTexts?: readonly TreeRowText[];
  readonly accept?: PickEntryOptions["accept"];
}

/** One state of the session: its entries in display order, and their texts. */
export interface TreeData {
  /** In file order. */
  readonly rows: readonly IndexRow[];
  readonly order: TreeOrder;
  readonly view: TreeView;
  /** Number of entries that have a label. */
  readonly labelled: number;
  readonly texts: RowTexts;
  /** Timestamp of the label entry in force (session tree §6.4). */
  labelTimestamp(targetId: string): string | undefined;
  /** Whether the row at a place of `rows` may be chosen; absent: all may. */
  readonly accepted?: readonly boolean[];
}

/** Reads the session. Answers of `accept` and of row texts may be promises. */
export async function readTree(session: TreeSession, options: TreeDataOptions): Promise<TreeData> {
  const rows = session.getIndex();
  const leafId = session.getLeafId();
  const entry = (id: string): SessionEntry | undefined => session.getEntry(id);
  const view = { leafId, labels: labelsOf(rows), entry };
  const order = treeOrder(rows, leafId);
  const replaced = await replacedTexts(rows, view, options.rowTexts ?? []);
  const accepted = await options.accept?.(rows, view);
  return {
    rows,
    order,
    view,
    labelled: Object.keys(view.labels).length,
    texts: new RowTexts(rows, order, entry, { home: options.home, replaced }),
    labelTimestamp: (targetId) => session.getLabelInForce(targetId)?.timestamp,
    ...(accepted && { accepted }),
  };
}

/** The index row at a position of the display order. */
export function rowAt(data: TreeData, position: number): IndexRow | undefined {
  return data.rows[data.order.order[position] ?? -1];
}

function labelsOf(rows: readonly IndexRow[]): Readonly<Record<string, string>> {
  const labels: Record<string, string> = Object.create(null);
  for (const row of rows) if (row.label !== undefined) labels[row.id] = row.label;
  return labels;
}

/** What other extensions say instead of the host's texts; the first in load order wins. */
async function replacedTexts(
  rows: readonly IndexRow[],
  view: TreeView,
  rowTexts: readonly TreeRowText[],
): Promise<ReadonlyMap<string, string>> {
  const replaced = new Map<string, string>();
  for (const rowText of rowTexts) {
    const asked = rows.filter((row) => isAsked(rowText, row) && !replaced.has(row.id));
    // What fails has been reported by the host; the rows keep their own texts.
    const [answer] = await Promise.allSettled([rowText.text(asked, view)]);
    asked.forEach((row, place) => {
      const text = answer.status === "fulfilled" ? answer.value[place] : undefined;
      if (text !== undefined) replaced.set(row.id, text);
    });
  }
  return replaced;
}

function isAsked(rowText: TreeRowText, row: IndexRow): boolean {
  const { types, customTypes } = rowText;
  if (!types && !customTypes) return true;
  return (
    types?.includes(row.type) === true ||
    (row.customType !== undefined && customTypes?.includes(row.customType) === true)
  );
}
