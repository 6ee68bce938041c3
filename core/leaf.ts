import type { Diagnostic } from "./diagnostics.ts";
import { isKind, messageOf, type SessionEntry } from "./entries.ts";
import { contentText } from "./messages.ts";
import {
  findMarker,
  findNode,
  isNode,
  pathOf,
  ROOT,
  rowAt,
  type Tree,
  throughMarkers,
} from "./tree.ts";

/**
 * The leaf that the rows record: the last node, or where the last marker points (session tree §3.5).
 */
export function recordedLeaf(tree: Tree): {
  readonly leaf: number;
  readonly diagnostic?: Diagnostic;
} {
  const last = tree.rows.length - 1;
  if (last < 0) return { leaf: ROOT };
  if (isNode(tree, last)) return { leaf: last };
  if (!rowAt(tree, last).marker) return { leaf: lastNode(tree) };
  const leaf = markedLeaf(tree, last);
  if (leaf !== undefined) return { leaf };
  const { id, line } = rowAt(tree, last);
  const message = `the position marker ${id} names no entry; the last entry is the position`;
  return {
    leaf: lastNode(tree),
    diagnostic: { code: "MARKER_INVALID", id, ...(line !== undefined && { line }), message },
  };
}

function lastNode(tree: Tree): number {
  for (let i = tree.rows.length - 1; i >= 0; i--) if (isNode(tree, i)) return i;
  return ROOT;
}

function markedLeaf(tree: Tree, marker: number): number | undefined {
  const row = rowAt(tree, marker);
  const { id, passed } = throughMarkers(tree, row.parentId);
  const chain = [row, ...passed.map((name) => rowAt(tree, findMarker(tree, name) as number))];
  if (chain.some((link) => link.marker === "invalid")) return undefined;
  if (id !== null) return findNode(tree, id);
  return chain.at(-1)?.parentId === null ? ROOT : undefined;
}

/** Where selecting an entry lands and what it puts into the editor (session tree §8.3 step 5). */
export interface Landing {
  /** `null` is the root position. */
  readonly leafId: string | null;
  readonly editorText?: string;
}

/** A user message or `custom_message` lands on its parent and gives its text; all else on itself. */
export function landingOf(entry: SessionEntry): Landing {
  if (isKind(entry, "custom_message")) {
    return { leafId: entry.parentId, editorText: contentText(entry.content) };
  }
  const message = messageOf(entry);
  if (message?.role !== "user") return { leafId: entry.id };
  return { leafId: entry.parentId, editorText: contentText(message.content) };
}

/** Rows left behind by a move, and the deepest row on both paths (session tree §9.1). */
export interface Abandoned {
  /** Ancestor side first. */
  readonly rows: readonly number[];
  readonly commonAncestor: number;
}

/** What a move from `oldLeaf` to `target` leaves behind. Unknown rows are given as `ROOT`. */
export function abandonedPath(tree: Tree, oldLeaf: number, target: number): Abandoned {
  if (oldLeaf === ROOT) return { rows: [], commonAncestor: ROOT };
  const old = pathOf(tree, oldLeaf);
  const other = pathOf(tree, target);
  let shared = 0;
  while (shared < old.length && shared < other.length && old[shared] === other[shared]) shared++;
  return { rows: old.slice(shared), commonAncestor: old[shared - 1] ?? ROOT };
}
