import type { SessionEntry } from "./entries.ts";
import { childrenOf, labelOf, ROOT, sortedChildrenOf, type Tree } from "./tree.ts";

/** A node of `getTree()`: an entry with its children, oldest first (session tree §6.3). */
export interface SessionTreeNode {
  /** Parsed when first asked for. */
  readonly entry: SessionEntry;
  readonly children: SessionTreeNode[];
  readonly label?: string;
  /** Timestamp of the label entry in force. */
  readonly labelTimestamp?: string;
}

/** The whole tree as nested nodes; roots in file order. Without recursion (session tree §17). */
export function projectTree(tree: Tree, read: (index: number) => SessionEntry): SessionTreeNode[] {
  const roots = childrenOf(tree, ROOT).map((index) => new Node(tree, index, read));
  const waiting = [...roots];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const child of sortedChildrenOf(tree, node.index)) {
      const next = new Node(tree, child, read);
      node.children.push(next);
      waiting.push(next);
    }
  }
  return roots;
}

class Node implements SessionTreeNode {
  readonly children: Node[] = [];
  readonly index: number;
  readonly label?: string;
  readonly labelTimestamp?: string;
  readonly #read: (index: number) => SessionEntry;

  constructor(tree: Tree, index: number, read: (index: number) => SessionEntry) {
    this.index = index;
    this.#read = read;
    const found = labelOf(tree, index);
    if (!found) return;
    this.label = found.label;
    if (found.timestamp !== undefined) this.labelTimestamp = found.timestamp;
  }

  get entry(): SessionEntry {
    return this.#read(this.index);
  }
}
