import type { Diagnostic } from "./diagnostics.ts";
import { IdIndex } from "./id-index.ts";
import { IntList } from "./int-list.ts";
import type { IndexRow, RecordRow, Rows } from "./rows.ts";

/** The position before every entry, in place of a row: the parent of roots, the `null` leaf. */
export const ROOT = -1;
/** Marks rows that are no nodes: position markers, and records that a later one replaces. */
const NO_NODE = -2;

/**
 * The index of a session: which rows are nodes and how they hang together. Nodes are named by their
 * position in `rows`. It grows by {@link addRow} only; nothing is ever taken out.
 */
export interface Tree {
  readonly rows: Rows;
  /** Nodes by the key of their id. */
  readonly nodes: IdIndex;
  /** Position markers by the key of their id; the last of several with one id. */
  readonly markers: Map<number, number>;
  /** Row of the label entry in force, by the row of its target. */
  readonly labels: Map<number, number>;
  readonly parents: IntList;
  readonly links: ChildLinks;
  count: number;
}

/** Children of every node in file order, as linked lists over rows. */
interface ChildLinks {
  readonly first: IntList;
  readonly last: IntList;
  readonly next: IntList;
  firstRoot: number;
  lastRoot: number;
}

export interface LoadedTree {
  readonly tree: Tree;
  readonly diagnostics: readonly Diagnostic[];
}

/** Builds the index of all rows: duplicates, effective parents, labels (session tree §3.4, §3.5). */
export function buildTree(rows: Rows): LoadedTree {
  const diagnostics: Diagnostic[] = [];
  const tree = emptyTree(rows);
  findNodes(tree, diagnostics);
  if (linkParents(tree, diagnostics)) breakCycles(tree, diagnostics);
  for (let i = 0; i < rows.length; i++) {
    if (!isNode(tree, i)) continue;
    linkChild(tree, i);
    if (rows.kindAt(i).type === "label") applyLabel(tree, i);
  }
  return { tree, diagnostics };
}

/** Adds the row that the store has just appended; its parent is a node or the root position. */
export function addRow(tree: Tree, index: number): void {
  const { rows } = tree;
  growTo(tree, index);
  if (rows.kindAt(index).marker) {
    tree.markers.set(rows.idKey(index), index);
    tree.parents.set(index, NO_NODE);
    return;
  }
  tree.nodes.set(rows.idKey(index), index);
  tree.count++;
  const parentKey = rows.parentKey(index);
  tree.parents.set(index, parentKey < 0 ? ROOT : tree.nodes.get(parentKey));
  linkChild(tree, index);
  applyLabel(tree, index);
}

/** The row of the node with an id, or `undefined`. */
export function findNode(tree: Tree, id: string): number | undefined {
  const key = tree.rows.keyOf(id);
  const row = key < 0 ? -1 : tree.nodes.get(key);
  return row < 0 ? undefined : row;
}

/** The row of the position marker with an id, or `undefined`. */
export function findMarker(tree: Tree, id: string): number | undefined {
  return tree.markers.get(tree.rows.keyOf(id));
}

export function isNode(tree: Tree, index: number): boolean {
  return index >= 0 && tree.parents.at(index) !== NO_NODE;
}

export function rowAt(tree: Tree, index: number): RecordRow {
  return tree.rows.at(index) as RecordRow;
}

/** Rows from the root down to `index`, both included; `[]` for the root position. */
export function pathOf(tree: Tree, index: number): number[] {
  const path: number[] = [];
  for (let i = index; i >= 0; i = tree.parents.at(i)) path.push(i);
  return path.reverse();
}

/** Direct children in file order; `ROOT` gives the roots. */
export function childrenOf(tree: Tree, index: number): number[] {
  const { links } = tree;
  const children: number[] = [];
  let child = index === ROOT ? links.firstRoot : links.first.at(index);
  for (; child >= 0; child = links.next.at(child)) children.push(child);
  return children;
}

/**
 * Children oldest first, stable in file order; a time that cannot be parsed sorts as that of the
 * nearest earlier sibling in file order, oldest without one (session tree §6.3).
 */
export function sortedChildrenOf(tree: Tree, index: number): number[] {
  const children = childrenOf(tree, index);
  if (children.length < 2) return children;
  let last = Number.NEGATIVE_INFINITY;
  const keyed = children.map((child) => {
    last = tree.rows.timeAt(child) ?? last;
    return { child, time: last };
  });
  return keyed.sort((a, b) => (a.time === b.time ? 0 : a.time - b.time)).map(({ child }) => child);
}

/** Text and time of the label in force, or `undefined`. */
export function labelOf(
  tree: Tree,
  node: number,
):
  | { readonly label: string; readonly timestamp: string | undefined; readonly row: number }
  | undefined {
  const index = tree.labels.get(node);
  if (index === undefined) return undefined;
  const row = rowAt(tree, index);
  return { label: row.label ?? "", timestamp: row.timestamp, row: index };
}

/** The index rows of all nodes in file order (extensions spec §2.7). */
export function indexRows(tree: Tree): IndexRow[] {
  const rows: IndexRow[] = [];
  for (let i = 0; i < tree.rows.length; i++) if (isNode(tree, i)) rows.push(indexRow(tree, i));
  return rows;
}

function indexRow(tree: Tree, index: number): IndexRow {
  const { rows } = tree;
  const { type, hasText, role, customType, toolName, stopReason } = rows.kindAt(index);
  const parent = tree.parents.at(index);
  const label = labelOf(tree, index)?.label;
  const cost = rows.costAt(index);
  return {
    id: rows.idAt(index),
    parentId: parent === ROOT ? null : rows.idAt(parent),
    type,
    time: rows.timeAt(index) ?? 0,
    hasText,
    ...(role !== undefined && { role }),
    ...(customType !== undefined && { customType }),
    ...(toolName !== undefined && { toolName }),
    ...(label !== undefined && { label }),
    ...(stopReason !== undefined && { stopReason }),
    ...(cost !== undefined && { cost }),
  };
}

function emptyTree(rows: Rows): Tree {
  const links = {
    first: new IntList(),
    last: new IntList(),
    next: new IntList(),
    firstRoot: -1,
    lastRoot: -1,
  };
  const nodes = new IdIndex((row) => rows.idKey(row));
  const maps = { nodes, markers: new Map(), labels: new Map() };
  return { rows, ...maps, parents: new IntList(), links, count: 0 };
}

function growTo(tree: Tree, index: number): void {
  const { first, last, next } = tree.links;
  for (const list of [tree.parents, first, last, next]) while (list.length <= index) list.push(-1);
}

function findNodes(tree: Tree, diagnostics: Diagnostic[]): void {
  const { rows, parents, nodes, markers } = tree;
  const repeated = new Set<number>();
  growTo(tree, rows.length - 1);
  for (let i = 0; i < rows.length; i++) {
    const key = rows.idKey(i);
    if (rows.kindAt(i).marker) {
      markers.set(key, i);
      parents.set(i, NO_NODE);
      continue;
    }
    const earlier = nodes.set(key, i);
    if (earlier >= 0) {
      parents.set(earlier, NO_NODE);
      repeated.add(key);
    } else tree.count++;
  }
  for (const key of repeated) {
    const row = rowAt(tree, nodes.get(key));
    diagnostics.push(
      found("DUPLICATE_ID", row, `id ${row.id} is used again; the last record counts`),
    );
  }
}

/** Sets the effective parents; true if one stands later in the file than its child, as in a ring. */
function linkParents(tree: Tree, diagnostics: Diagnostic[]): boolean {
  let isForward = false;
  for (let i = 0; i < tree.rows.length; i++) {
    if (!isNode(tree, i)) continue;
    const parent = parentRow(tree, i, diagnostics);
    tree.parents.set(i, parent);
    isForward ||= parent >= i;
  }
  return isForward;
}

function parentRow(tree: Tree, index: number, diagnostics: Diagnostic[]): number {
  const { rows } = tree;
  const key = rows.parentKey(index);
  if (key < 0) return ROOT;
  // Most records follow their parent.
  if (index > 0 && rows.idKey(index - 1) === key && isNode(tree, index - 1)) return index - 1;
  const direct = tree.nodes.get(key);
  return direct >= 0 ? direct : markedParent(tree, index, diagnostics);
}

/** The parent of a row whose stored one is no node: a marker, or missing. */
function markedParent(tree: Tree, index: number, diagnostics: Diagnostic[]): number {
  const row = rowAt(tree, index);
  const target = throughMarkers(tree, row.parentId);
  if (target.id === null) return ROOT;
  const parent = findNode(tree, target.id);
  if (parent !== undefined) return parent;
  const text = `the parent ${target.id} of ${row.id} is missing; ${row.id} is shown as a root`;
  diagnostics.push(found("PARENT_MISSING", row, text));
  return ROOT;
}

/** Follows a parent link through markers (session tree §3.4): where it ends and what it passed. */
export function throughMarkers(
  tree: Tree,
  parentId: string | null,
): { readonly id: string | null; readonly passed: readonly string[] } {
  const passed: string[] = [];
  const seen = new Set<string>();
  let id = parentId;
  while (id !== null && findNode(tree, id) === undefined) {
    const marker = findMarker(tree, id);
    if (marker === undefined) break;
    if (seen.has(id)) return { id: null, passed };
    seen.add(id);
    passed.push(id);
    id = rowAt(tree, marker).parentId;
  }
  return { id, passed };
}

function breakCycles(tree: Tree, diagnostics: Diagnostic[]): void {
  const walks = new IntList();
  for (let i = 0; i < tree.rows.length; i++) walks.push(0);
  for (let start = 0; start < tree.rows.length; start++) {
    if (!isNode(tree, start)) continue;
    const end = walkUp(tree, start, walks);
    if (end !== ROOT && walks.at(end) === start + 1) breakRing(tree, end, diagnostics);
  }
}

/** Marks the ancestors that no earlier walk has seen; gives the first row seen before, or `ROOT`. */
function walkUp(tree: Tree, start: number, walks: IntList): number {
  let i = start;
  for (; i !== ROOT && walks.at(i) === 0; i = tree.parents.at(i)) walks.set(i, start + 1);
  return i;
}

function breakRing(tree: Tree, member: number, diagnostics: Diagnostic[]): void {
  let earliest = member;
  for (let i = tree.parents.at(member); i !== member; i = tree.parents.at(i)) {
    earliest = Math.min(earliest, i);
  }
  tree.parents.set(earliest, ROOT);
  const row = rowAt(tree, earliest);
  const text = `the parents of ${row.id} form a ring; ${row.id} is shown as a root`;
  diagnostics.push(found("PARENT_CYCLE", row, text));
}

function linkChild(tree: Tree, index: number): void {
  const { parents, links } = tree;
  const parent = parents.at(index);
  const previous = parent === ROOT ? links.lastRoot : links.last.at(parent);
  if (previous >= 0) links.next.set(previous, index);
  if (parent === ROOT) {
    if (previous < 0) links.firstRoot = index;
    links.lastRoot = index;
    return;
  }
  if (previous < 0) links.first.set(parent, index);
  links.last.set(parent, index);
}

function applyLabel(tree: Tree, index: number): void {
  const { type, targetId, label } = rowAt(tree, index);
  if (type !== "label" || targetId === undefined) return;
  const target = findNode(tree, targetId);
  if (target === undefined) return;
  tree.labels.delete(target);
  if (label !== undefined) tree.labels.set(target, index);
}

function found(code: Diagnostic["code"], row: RecordRow, message: string): Diagnostic {
  return { code, id: row.id, ...(row.line !== undefined && { line: row.line }), message };
}
