import type { Row } from "coppice";
import type { TreeData } from "./tree-data.ts";
import type { VisibleTree } from "./visible.ts";

export interface RowOptions {
  readonly isFolded: boolean;
  readonly isSelected: boolean;
  /** Cells of the terminal; nothing that cannot be seen in them need be made. */
  readonly columns: number;
  /** Words of the query, to be highlighted. */
  readonly tokens?: readonly string[];
  /** Shows label times as of then. */
  readonly labelTimesAt?: Date;
}

/** Makes the row of a node of one visible tree. */
export type RowRenderer = (node: number, options: RowOptions) => Row;

/** A way to draw the visible tree: same rows in the same order, with the same folds (session tree §13.2). */
export type TreeLayout = (data: TreeData, tree: VisibleTree) => RowRenderer;
