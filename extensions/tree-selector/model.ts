import type { PanelEvent } from "coppice";
import type { RowRenderer, TreeLayout } from "./layout.ts";
import type { LineEdit } from "./line-edit.ts";
import { NONE } from "./order.ts";
import type { Wanted } from "./settle.ts";
import { rowAt, type TreeData } from "./tree-data.ts";
import { isFoldable, listedNodes, rowOfNode, type VisibleTree } from "./visible.ts";

/** Filter and query, to open the selector as it was left. */
export interface Resume {
  readonly filterId: string;
  readonly query: string;
}

/** What a person chose in the tree. */
export interface TreeChoice {
  readonly action: "go" | "goSilently" | "newSession";
  readonly id: string;
  readonly resume: Resume;
}

/** The box in which a label is written (session tree §13.6). */
export interface LabelBox {
  readonly id: string;
  readonly title: string;
  readonly line: LineEdit;
  readonly problem?: string;
}

/** The state of the selector; everything in it is replaced, never changed. */
export interface SelectorModel {
  /** What is wanted: while `work` is `"settling"`, what is being made; else what is shown. */
  readonly wanted: Wanted;
  readonly shown: Wanted;
  readonly tree: VisibleTree;
  readonly layout: TreeLayout;
  /** Draws the nodes of `tree`. */
  readonly rowOf: RowRenderer;
  /** Ids of folded rows. */
  readonly folds: ReadonlySet<string>;
  /** Nodes that have a row, in order. */
  readonly listed: Int32Array;
  /** Selected row, or {@link NONE} in an empty list. */
  readonly row: number;
  /** The entry selected last; it survives an empty list (session tree §13.1). */
  readonly lastId: string | undefined;
  readonly work: "settling" | "saving" | undefined;
  /** Keys that came during the work and need its result. */
  readonly waiting: readonly PanelEvent[];
  readonly labelTimes: boolean;
  /** The row that Shift+P returns to, and where it was pressed last. */
  readonly sideTrip?: { readonly from: string; readonly to: string };
  readonly box?: LabelBox;
  readonly notice?: string;
  /** Rows that a page key moves. */
  readonly page: number;
}

const FIRST_PAGE = 10;

/** The state in which the selector opens: all is settled, nothing folded. */
export function firstModel(
  wanted: Wanted,
  tree: VisibleTree,
  layout: TreeLayout,
  initialId?: string,
): SelectorModel {
  const lastId = initialId ?? wanted.data.view.leafId ?? undefined;
  const model: SelectorModel = {
    wanted,
    shown: wanted,
    tree,
    layout,
    rowOf: layout(wanted.data, tree),
    folds: new Set(),
    listed: listedNodes(tree, () => false),
    row: NONE,
    lastId,
    work: undefined,
    waiting: [],
    labelTimes: false,
    page: FIRST_PAGE,
  };
  return reselected(model);
}

/** The state with a new visible tree; folds go with another filter or query (session tree §13.5). */
export function withTree(model: SelectorModel, shown: Wanted, tree: VisibleTree): SelectorModel {
  const isSameView = model.shown.filter === shown.filter && model.shown.query === shown.query;
  const folds = isSameView ? model.folds : new Set<string>();
  return relisted({ ...model, shown, tree, rowOf: model.layout(shown.data, tree), folds });
}

/** The state with other folds; the selected entry stays selected. */
export function withFolds(model: SelectorModel, folds: ReadonlySet<string>): SelectorModel {
  return relisted({ ...model, folds });
}

function relisted(model: SelectorModel): SelectorModel {
  const folded = foldedNodes(model);
  const listed = listedNodes(model.tree, (node) => folded.has(node));
  return reselected({ ...model, listed });
}

function foldedNodes(model: SelectorModel): ReadonlySet<number> {
  const nodes = new Set<number>();
  for (const id of model.folds) {
    const node = nodeOfEntry(model, id);
    if (idOfNode(model, node) === id && isFoldable(model.tree, node)) nodes.add(node);
  }
  return nodes;
}

/** Selects the entry selected last, or its nearest visible ancestor, or the last row. */
function reselected(model: SelectorModel): SelectorModel {
  const node = model.lastId === undefined ? NONE : nodeOfEntry(model, model.lastId);
  const row = node === NONE ? model.listed.length - 1 : rowOfNode(model.listed, node);
  return selected(model, row);
}

/** The state with a row selected; {@link NONE} keeps what was selected last. */
export function selected(model: SelectorModel, row: number): SelectorModel {
  return { ...model, row, lastId: idOfNode(model, model.listed[row] ?? NONE) ?? model.lastId };
}

/** The node of an entry, else of its nearest visible ancestor, else {@link NONE}. */
export function nodeOfEntry(model: SelectorModel, id: string): number {
  const position = dataOf(model).order.positionOf(id);
  return model.tree.nodeAt[position] ?? NONE;
}

export function dataOf(model: SelectorModel): TreeData {
  return model.shown.data;
}

/** Position of a node in the display order. */
export function positionOfNode(model: SelectorModel, node: number): number {
  return model.tree.position[node] ?? NONE;
}

export function idOfNode(model: SelectorModel, node: number): string | undefined {
  return rowAt(dataOf(model), positionOfNode(model, node))?.id;
}

export function selectedNode(model: SelectorModel): number {
  return model.listed[model.row] ?? NONE;
}

export function selectedId(model: SelectorModel): string | undefined {
  return idOfNode(model, selectedNode(model));
}

export function isFolded(model: SelectorModel, node: number): boolean {
  if (model.folds.size === 0 || !isFoldable(model.tree, node)) return false;
  const id = idOfNode(model, node);
  return id !== undefined && model.folds.has(id);
}
