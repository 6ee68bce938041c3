import type { SessionEntry } from "./entries.ts";
import { childrenOf, labelOf, ROOT, sortedChildrenOf, type Tree } from "./tree.ts";

/** A node of `getTree()`: an entry with its children, oldest first (session tree §6.3). */
export interface SessionTreeNode {
  /** Parsed when first asked for. */
  readonly entry: SessionEntry;
  /** Made when first asked for. */
  readonly children: SessionTreeNode[];
  readonly label?: string;
  /** Timestamp of the label entry in force. */
  readonly labelTimestamp?: string;
}

/** The whole tree as nested nodes; roots in file order. Nodes are made as they are reached. */
export function projectTree(tree: Tree, read: (index: number) => SessionEntry): SessionTreeNode[] {
  const source = { tree, read, length: tree.rows.length };
  return childrenOf(tree, ROOT).map((index) => new Node(source, index));
}

interface Source {
  readonly tree: Tree;
  /** Rows that there were when the tree was asked for: later ones are no part of it. */
  readonly length: number;
  read(index: number): SessionEntry;
}

class Node implements SessionTreeNode {
  readonly label?: string;
  readonly labelTimestamp?: string;
  readonly #source: Source;
  readonly #index: number;
  #children: SessionTreeNode[] | undefined;

  constructor(source: Source, index: number) {
    this.#source = source;
    this.#index = index;
    const { tree } = source;
    const found = tree.labels.size > 0 ? labelOf(tree, index) : undefined;
    if (!found) return;
    this.label = found.label;
    if (found.timestamp !== undefined) this.labelTimestamp = found.timestamp;
  }

  get entry(): SessionEntry {
    return this.#source.read(this.#index);
  }

  get children(): SessionTreeNode[] {
    const { tree, length } = this.#source;
    this.#children ??= sortedChildrenOf(tree, this.#index)
      .filter((child) => child < length)
      .map((child) => new Node(this.#source, child));
    return this.#children;
  }
}
