import type { ExtensionAPI } from "coppice";

/** Adds a filter to the tree and to `coppice tree --filter`: entries with more than one child. */
export default (api: ExtensionAPI): void => {
  api.contribute("tree.filter", {
    id: "branch-points",
    title: "branch points",
    tag: "branch points",
    predicate: (rows) => {
      const children = new Map<string | null, number>();
      for (const { parentId } of rows) children.set(parentId, (children.get(parentId) ?? 0) + 1);
      return rows.map(({ id }) => (children.get(id) ?? 0) > 1);
    },
  });
};
