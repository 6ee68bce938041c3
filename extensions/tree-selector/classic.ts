import { NONE } from "./order.ts";
import { hasSiblings, isFoldable, isLastSibling, parentOf, type VisibleTree } from "./visible.ts";

/** Indents and connectors of the layout `classic` (session tree §13.2). */
export interface ClassicLayout {
  readonly tree: VisibleTree;
  /** Node → number of levels drawn before it. */
  readonly shown: Int32Array;
  /** Node → nearest ancestor with a drawn connector, or {@link NONE}. */
  readonly owner: Int32Array;
}

export function classicLayout(tree: VisibleTree): ClassicLayout {
  const shown = new Int32Array(tree.length);
  const owner = new Int32Array(tree.length).fill(NONE);
  const hidden = tree.roots > 1 ? 1 : 0;
  const indent = new Int32Array(tree.length);
  for (let node = 0; node < tree.length; node++) {
    const parent = parentOf(tree, node);
    if (parent === NONE) {
      indent[node] = hidden;
      continue;
    }
    const deeper = hasSiblings(tree, node) || hasSiblings(tree, parent);
    indent[node] = (indent[parent] ?? 0) + Number(deeper);
    shown[node] = (indent[node] ?? 0) - hidden;
    owner[node] = hasConnector(tree, parent) ? parent : (owner[parent] ?? NONE);
  }
  return { tree, shown, owner };
}

function hasConnector(tree: VisibleTree, node: number): boolean {
  return parentOf(tree, node) !== NONE && hasSiblings(tree, node);
}

/**
 * The levels of a node, outermost first, each three cells wide; of more than `limit` the innermost
 * ones, so that a row costs no more than the width it is painted in.
 */
export function classicLevels(
  layout: ClassicLayout,
  node: number,
  isFolded: boolean,
  limit: number,
): string[] {
  const { tree, shown, owner } = layout;
  const count = shown[node] ?? 0;
  const dropped = Math.max(0, count - limit);
  const levels = new Array<string>(count - dropped).fill("   ");
  if (hasConnector(tree, node)) {
    levels[count - dropped - 1] = connector(tree, node, isFolded);
  }
  for (let at = owner[node] ?? NONE; at !== NONE; at = owner[at] ?? NONE) {
    const level = (shown[at] ?? 0) - 1 - dropped;
    if (level < 0) break;
    if (!isLastSibling(tree, at)) levels[level] = "│  ";
  }
  return levels;
}

function connector(tree: VisibleTree, node: number, isFolded: boolean): string {
  const line = isLastSibling(tree, node) ? "└" : "├";
  if (isFolded) return `${line}⊞ `;
  return isFoldable(tree, node) ? `${line}⊟ ` : `${line}─ `;
}

/** The mark before the bullet of a folded row that has no connector (session tree §13.2). */
export function foldMark(tree: VisibleTree, node: number, isFolded: boolean): string {
  return isFolded && !hasConnector(tree, node) ? "⊞ " : "";
}
