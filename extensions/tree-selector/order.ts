import type { IndexRow } from "coppice/core";

/** "No such row" in the index arrays of this extension. */
export const NONE = -1;

/**
 * All entries in display order: depth first, parents before children, and at every fork the child
 * that leads to the leaf first (session tree §13.1). A *position* counts in this order.
 */
export interface TreeOrder {
  /** Number of positions. */
  readonly length: number;
  /** Position → place in the index. */
  readonly order: Int32Array;
  /** Position → position of the parent, or {@link NONE}. */
  readonly parent: Int32Array;
  /** Position → 1 on the active path. */
  readonly active: Uint8Array;
  /** Position of the leaf, or {@link NONE}. */
  readonly leaf: number;
  /** Id → position. */
  readonly positions: ReadonlyMap<string, number>;
}

/** Sorts the entries of an index, in O(n) plus the sorting of children. */
export function treeOrder(rows: readonly IndexRow[], leafId: string | null): TreeOrder {
  const places = new Map(rows.map((row, place) => [row.id, place]));
  const parents = Int32Array.from(rows, (row) => placeOf(places, row.parentId));
  const active = activePath(parents, placeOf(places, leafId));
  const walk = preOrder(parents, siblingsOf(rows, parents, active));
  const positions = new Map<string, number>();
  walk.order.forEach((place, position) => {
    positions.set(rows[place]?.id ?? "", position);
  });
  return {
    ...walk,
    length: walk.order.length,
    active: Uint8Array.from(walk.order, (place) => active[place] ?? 0),
    leaf: placeOf(positions, leafId),
    positions,
  };
}

function placeOf(places: ReadonlyMap<string, number>, id: string | null): number {
  return id === null ? NONE : (places.get(id) ?? NONE);
}

function activePath(parents: Int32Array, leaf: number): Uint8Array {
  const active = new Uint8Array(parents.length);
  for (let at = leaf; at >= 0 && active[at] === 0; at = parents[at] ?? NONE) active[at] = 1;
  return active;
}

/** Gives the children of a place, or of the root, in display order. */
type Siblings = (parent: number) => readonly number[];

function siblingsOf(rows: readonly IndexRow[], parents: Int32Array, active: Uint8Array): Siblings {
  const { first, next } = linkChildren(parents);
  return (parent) => {
    const children: number[] = [];
    const start = first[parent === NONE ? parents.length : parent] ?? NONE;
    for (let at = start; at >= 0; at = next[at] ?? NONE) children.push(at);
    if (children.length < 2) return children;
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
  let last = Number.NEGATIVE_INFINITY;
  let sorted = true;
  const keyed = children.map((place) => {
    const time = rows[place]?.time || last;
    sorted &&= time >= last;
    last = time;
    return { place, time };
  });
  if (sorted) return children;
  return keyed.sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time))).map((k) => k.place);
}

function activeFirst(children: readonly number[], active: Uint8Array): readonly number[] {
  const place = children.find((child) => active[child] === 1);
  if (place === undefined || children[0] === place) return children;
  return [place, ...children.filter((child) => child !== place)];
}

function preOrder(
  parents: Int32Array,
  siblings: Siblings,
): { order: Int32Array; parent: Int32Array } {
  const order = new Int32Array(parents.length);
  const parent = new Int32Array(parents.length);
  const positionOf = new Int32Array(parents.length);
  const open: number[] = [];
  let count = 0;
  const push = (children: readonly number[]) => {
    for (let i = children.length - 1; i >= 0; i--) open.push(children[i] ?? NONE);
  };
  push(siblings(NONE));
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const above = parents[place] ?? NONE;
    order[count] = place;
    parent[count] = above < 0 ? NONE : (positionOf[above] ?? NONE);
    positionOf[place] = count++;
    push(siblings(place));
  }
  return { order: order.subarray(0, count), parent: parent.subarray(0, count) };
}
