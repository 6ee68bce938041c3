import { NONE, type TreeOrder } from "./order.ts";

/**
 * The entries that filter and query admit, each under its nearest admitted ancestor, in display
 * order (session tree §13.2). A *node* counts in this order; folds are no part of it.
 */
export interface VisibleTree {
  readonly length: number;
  /** Number of nodes without parent. */
  readonly roots: number;
  /** Number of branch points: nodes with several children, and the place above several roots. */
  readonly forks: number;
  /** Node → position. */
  readonly position: Int32Array;
  /** Position → its node, else that of its nearest visible ancestor, else {@link NONE}. */
  readonly nodeAt: Int32Array;
  /** Node → parent, or {@link NONE}. */
  readonly parent: Int32Array;
  /** Node → number of children. */
  readonly children: Int32Array;
  /** Node → the node after its last descendant. */
  readonly end: Int32Array;
}

/** The visible tree of the positions with a 1 in `admitted`, in one pass each way. */
export function visibleTree(order: TreeOrder, admitted: Uint8Array): VisibleTree {
  const nodeAt = new Int32Array(order.length);
  const position = new Int32Array(order.length);
  const parent = new Int32Array(order.length);
  let length = 0;
  for (let at = 0; at < order.length; at++) {
    const above = order.parent[at] ?? NONE;
    const node = above < 0 ? NONE : (nodeAt[above] ?? NONE);
    nodeAt[at] = admitted[at] === 1 ? length : node;
    if (admitted[at] !== 1) continue;
    position[length] = at;
    parent[length++] = node;
  }
  const parents = parent.subarray(0, length);
  return {
    length,
    position: position.subarray(0, length),
    nodeAt,
    parent: parents,
    ...countChildren(parents),
  };
}

function countChildren(parents: Int32Array) {
  const children = new Int32Array(parents.length);
  const end = new Int32Array(parents.length);
  let roots = 0;
  for (let node = parents.length - 1; node >= 0; node--) {
    const parent = parents[node] ?? NONE;
    end[node] = Math.max(end[node] ?? 0, node + 1);
    if (parent < 0) {
      roots++;
      continue;
    }
    children[parent] = (children[parent] ?? 0) + 1;
    end[parent] = Math.max(end[parent] ?? 0, end[node] ?? 0);
  }
  return { children, end, roots, forks: countForks(children) + Number(roots > 1) };
}

function countForks(children: Int32Array): number {
  let forks = 0;
  for (let node = 0; node < children.length; node++) forks += Number((children[node] ?? 0) > 1);
  return forks;
}

export function parentOf(tree: VisibleTree, node: number): number {
  return tree.parent[node] ?? NONE;
}

export function childCount(tree: VisibleTree, node: number): number {
  return tree.children[node] ?? 0;
}

/** Whether the node has visible siblings; several roots are siblings. */
export function hasSiblings(tree: VisibleTree, node: number): boolean {
  const parent = parentOf(tree, node);
  return (parent === NONE ? tree.roots : childCount(tree, parent)) > 1;
}

export function isLastSibling(tree: VisibleTree, node: number): boolean {
  const parent = parentOf(tree, node);
  return tree.end[node] === (parent === NONE ? tree.length : tree.end[parent]);
}

/** Whether a fold can close here (session tree §13.5). */
export function isFoldable(tree: VisibleTree, node: number): boolean {
  const isRoot = parentOf(tree, node) === NONE;
  return childCount(tree, node) > 0 && (isRoot || hasSiblings(tree, node));
}

/** The number of visible ancestors of every node. */
export function depths(tree: VisibleTree): Int32Array {
  const depth = new Int32Array(tree.length);
  for (let node = 0; node < tree.length; node++) {
    const parent = parentOf(tree, node);
    depth[node] = parent === NONE ? 0 : (depth[parent] ?? 0) + 1;
  }
  return depth;
}

/** The nodes that are listed: all but the descendants of folded ones. */
export function listedNodes(tree: VisibleTree, isFolded: (node: number) => boolean): Int32Array {
  const listed = new Int32Array(tree.length);
  let count = 0;
  for (let node = 0; node < tree.length; ) {
    listed[count++] = node;
    node = isFolded(node) ? (tree.end[node] ?? tree.length) : node + 1;
  }
  return listed.subarray(0, count);
}

/** The row that shows a node: its own, or that of the folded ancestor that hides it. */
export function rowOfNode(listed: Int32Array, node: number): number {
  let low = 0;
  let high = listed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((listed[middle] ?? 0) <= node) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
