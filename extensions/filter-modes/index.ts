import type { ExtensionAPI, TreeFilter } from "coppice";
import { type IndexRow, isConversation } from "coppice/core";

const isUser = (row: IndexRow): boolean => row.type === "message" && row.role === "user";
const isToolResult = (row: IndexRow): boolean =>
  row.type === "message" && row.role === "toolResult";

/** Before every filter that others contribute (extensions spec §2.10). */
const FIRST = Number.MIN_SAFE_INTEGER;

const filter = (
  order: number,
  id: string,
  tag: string,
  admits: (row: IndexRow) => boolean,
): TreeFilter => ({
  id,
  title: id,
  tag,
  order: FIRST + order,
  predicate: (rows) => rows.map(admits),
});

/** The modes of the tree selector, in the order in which they go round (session tree §13.3). */
export const FILTER_MODES: readonly TreeFilter[] = [
  filter(1, "default", "", isConversation),
  filter(2, "no-tools", "no-tools", (row) => isConversation(row) && !isToolResult(row)),
  filter(3, "user-only", "user", isUser),
  filter(4, "labeled-only", "labeled", (row) => row.label !== undefined),
  filter(5, "all", "all", () => true),
];

export default (api: ExtensionAPI): void => {
  for (const mode of FILTER_MODES) api.contribute("tree.filter", mode);
};
