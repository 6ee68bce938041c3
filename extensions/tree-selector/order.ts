import type { IndexRow } from "coppice/core";

/** "No such row" in the index arrays of this extension. */
export const NONE = -1;

/**
 * All entries in display order: depth first, parents before children, and at every fork the child
 * that leads to the leaf first (session tree §13.1). A *position* counts in this order, a *place* in
 * the index, which is in file order.
 */
export interface TreeOrder {
  /** Number of positions. */
  readonly length: number;
  /** Position → place. */
  readonly order: Int32Array;
  /** Position → position of the parent, or {@link NONE}. */
  readonly parent: Int32Array;
  /** Position → 1 on the active path. */
  readonly active: Uint8Array;
  /** Position of the leaf, or {@link NONE}. */
  readonly leaf: number;
  /** Position of an entry, or {@link NONE}. */
  positionOf(id: string | null | undefined): number;
}

/** Orders the entries of an index, in O(n) plus the sorting of children. */
export function treeOrder(rows: readonly IndexRow[], leafId: string | null): TreeOrder {
  const places = new Map<string, number>();
  for (let place = 0; place < rows.length; place++) places.set(rows[place]?.id ?? "", place);
  const placeOf = (id: string | null | undefined): number =>
    typeof id === "string" ? (places.get(id) ?? NONE) : NONE;
  const parents = new Int32Array(rows.length);
  for (let place = 0; place < rows.length; place++) parents[place] = placeOf(rows[place]?.parentId);
  const onPath = activePath(parents, placeOf(leafId));
  const { order, parent, positions } = preOrder(parents, siblingsOf(rows, parents, onPath));
  const active = new Uint8Array(order.length);
  for (let at = 0; at < order.length; at++) active[at] = onPath[order[at] ?? NONE] ?? 0;
  const positionOf: TreeOrder["positionOf"] = (id) => positions[placeOf(id)] ?? NONE;
  return { length: order.length, order, parent, active, leaf: positionOf(leafId), positionOf };
}

function activePath(parents: Int32Array, leaf: number): Uint8Array {
  const active = new Uint8Array(parents.length);
  for (let at = leaf; at >= 0 && active[at] === 0; at = parents[at] ?? NONE) active[at] = 1;
  return active;
}

/** Gives the children of a place, or of the root, in display order. */
type Siblings = (parent: number) => readonly number[];

const NO_CHILDREN: readonly number[] = [];

function siblingsOf(rows: readonly IndexRow[], parents: Int32Array, active: Uint8Array): Siblings {
  const { first, next } = linkChildren(parents);
  return (parent) => {
    const start = first[parent === NONE ? parents.length : parent] ?? NONE;
    if (start === NONE) return NO_CHILDREN;
    const children: number[] = [];
    for (let at = start; at >= 0; at = next[at] ?? NONE) children.push(at);
    if (children.length === 1) return children;
    return activeFirst(parent === NONE ? children : oldestFirst(children, rows), active);
  };
}

/** First child and next sibling in file order; the roots hang under one more place at the end. */
function linkChildren(parents: Int32Array): { first: Int32Array; next: Int32Array } {
  const count = parents.length;
  const first = new Int32Array(count + 1).fill(NONE);
  const next = new Int32Array(count).fill(NONE);
  for (let at = count - 1; at >= 0; at--) {
    const parent = parents[at] ?? NONE;
    const slot = parent === NONE ? count : parent;
    next[at] = first[slot] ?? NONE;
    first[slot] = at;
  }
  return { first, next };
}

/** Children by time; one without readable time goes with its earlier sibling (session tree §6.3). */
function oldestFirst(children: readonly number[], rows: readonly IndexRow[]): readonly number[] {
  const times = new Float64Array(children.length);
  let last = Number.NEGATIVE_INFINITY;
  let isSorted = true;
  for (let i = 0; i < children.length; i++) {
    const time = rows[children[i] ?? NONE]?.time || last;
    isSorted &&= time >= last;
    times[i] = time;
    last = time;
  }
  if (isSorted) return children;
  const timeOf = (i: number): number => times[i] ?? 0;
  return Array.from(children.keys())
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : Number(timeOf(a) > timeOf(b))))
    .map((i) => children[i] ?? NONE);
}

function activeFirst(children: readonly number[], active: Uint8Array): readonly number[] {
  const place = children.find((child) => active[child] === 1);
  if (place === undefined || children[0] === place) return children;
  return [place, ...children.filter((child) => child !== place)];
}

function preOrder(
  parents: Int32Array,
  siblings: Siblings,
): { order: Int32Array; parent: Int32Array; positions: Int32Array } {
  const order = new Int32Array(parents.length);
  const parent = new Int32Array(parents.length);
  const positions = new Int32Array(parents.length).fill(NONE);
  const open: number[] = [];
  let count = 0;
  const push = (children: readonly number[]) => {
    for (let i = children.length - 1; i >= 0; i--) open.push(children[i] ?? NONE);
  };
  push(siblings(NONE));
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const above = parents[place] ?? NONE;
    order[count] = place;
    parent[count] = above < 0 ? NONE : (positions[above] ?? NONE);
    positions[place] = count++;
    push(siblings(place));
  }
  return { order: order.subarray(0, count), parent: parent.subarray(0, count), positions };
}
