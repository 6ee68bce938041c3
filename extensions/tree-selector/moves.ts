import { isUserMessage } from "./filters.ts";
import {
  dataOf,
  idOfNode,
  isFolded,
  nodeOfEntry,
  positionOfNode,
  type SelectorModel,
  selected,
  selectedNode,
  withFolds,
} from "./model.ts";
import { NONE } from "./order.ts";
import { childCount, hasSiblings, isFoldable, parentOf, rowOfNode } from "./visible.ts";

type Move = (model: SelectorModel) => SelectorModel;

/** What the keys that move and fold do (session tree §13.5). An empty list stays as it is. */
export const MOVES: Readonly<Record<string, Move>> = {
  "tui.select.up": (model) => toRow(model, model.row - 1),
  "tui.select.down": (model) => toRow(model, model.row + 1),
  "tui.select.pageUp": (model) => toRow(model, model.row - model.page),
  "tui.select.pageDown": (model) => toRow(model, model.row + model.page),
  "tui.select.first": (model) => toRow(model, 0),
  "tui.select.last": (model) => toRow(model, model.listed.length - 1),
  "app.tree.fold": (model) => fold(model, parentNode),
  "app.tree.unfold": (model) => unfold(model, firstChild),
  "app.tree.foldOrUp": (model) => fold(model, forkAbove),
  "app.tree.unfoldOrDown": (model) => unfold(model, forkBelow),
  "app.tree.previousBranchPoint": (model) => nearest(model, -1, isBranchPoint),
  "app.tree.nextBranchPoint": (model) => nearest(model, 1, isBranchPoint),
  "app.tree.previousUserMessage": (model) => nearest(model, -1, isOwnMessage),
  "app.tree.nextUserMessage": (model) => nearest(model, 1, isOwnMessage),
  "app.tree.leaf": toLeaf,
  "app.tree.sideParent": sideParent,
};

function toRow(model: SelectorModel, row: number): SelectorModel {
  return selected(model, Math.min(Math.max(row, 0), model.listed.length - 1));
}

function toNode(model: SelectorModel, node: number): SelectorModel {
  return node === NONE ? model : selected(model, rowOfNode(model.listed, node));
}

type Step = (model: SelectorModel, node: number) => number;

function fold(model: SelectorModel, otherwise: Step): SelectorModel {
  const node = selectedNode(model);
  const id = idOfNode(model, node);
  if (id === undefined) return model;
  if (!isFoldable(model.tree, node) || isFolded(model, node)) {
    return toNode(model, otherwise(model, node));
  }
  return withFolds(model, new Set([...model.folds, id]));
}

function unfold(model: SelectorModel, otherwise: Step): SelectorModel {
  const node = selectedNode(model);
  if (node === NONE) return model;
  if (!isFolded(model, node)) return toNode(model, otherwise(model, node));
  const id = idOfNode(model, node);
  return withFolds(model, new Set([...model.folds].filter((folded) => folded !== id)));
}

function parentNode(model: SelectorModel, node: number): number {
  return parentOf(model.tree, node);
}

function firstChild(model: SelectorModel, node: number): number {
  return childCount(model.tree, node) > 0 ? node + 1 : NONE;
}

/** The nearest ancestor with siblings, else the root. */
function forkAbove(model: SelectorModel, node: number): number {
  const { tree } = model;
  let at = parentOf(tree, node);
  while (at !== NONE && !hasSiblings(tree, at) && parentOf(tree, at) !== NONE) {
    at = parentOf(tree, at);
  }
  return at;
}

/** Down first children: the first child of the next fork, else the end of the chain. */
function forkBelow(model: SelectorModel, node: number): number {
  const { tree } = model;
  let at = node;
  while (childCount(tree, at) === 1) at++;
  return childCount(tree, at) > 1 ? at + 1 : at;
}

function nearest(
  model: SelectorModel,
  step: 1 | -1,
  isWanted: (model: SelectorModel, node: number) => boolean,
): SelectorModel {
  for (let row = model.row + step; row >= 0 && row < model.listed.length; row += step) {
    if (isWanted(model, model.listed[row] ?? NONE)) return selected(model, row);
  }
  return model;
}

function isBranchPoint(model: SelectorModel, node: number): boolean {
  return childCount(model.tree, node) > 1;
}

function isOwnMessage(model: SelectorModel, node: number): boolean {
  return isUserMessage(dataOf(model), positionOfNode(model, node));
}

function toLeaf(model: SelectorModel): SelectorModel {
  const { leafId } = dataOf(model).view;
  return leafId === null ? model : toNode(model, nodeOfEntry(model, leafId));
}

/** From a side branch to the row on the active path it leaves; pressed again there: back. */
function sideParent(model: SelectorModel): SelectorModel {
  const node = selectedNode(model);
  const trip = model.sideTrip;
  const id = idOfNode(model, node);
  if (trip && trip.to === id) {
    const { sideTrip: _, ...rest } = model;
    return toNode(rest, nodeOfEntry(model, trip.from));
  }
  const trunk = activeAncestor(model, node);
  const to = idOfNode(model, trunk);
  if (trunk === node || id === undefined || to === undefined) return model;
  return toNode({ ...model, sideTrip: { from: id, to } }, trunk);
}

function activeAncestor(model: SelectorModel, node: number): number {
  const { active } = dataOf(model).order;
  let at = node;
  while (at !== NONE && active[positionOfNode(model, at)] !== 1) {
    at = parentOf(model.tree, at);
  }
  return at;
}
