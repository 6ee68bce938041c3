import type { ExtensionAPI, TreeFilter } from "coppice";
import type { IndexRow } from "coppice/core";

/** Kinds that are part of the conversation; all others are bookkeeping (session tree §2.4). */
const CONVERSATION: ReadonlySet<string> = new Set([
  "message",
  "custom_message",
  "compaction",
  "branch_summary",
]);

const isShown = (row: IndexRow): boolean => CONVERSATION.has(row.type);
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
  filter(1, "default", "", isShown),
  filter(2, "no-tools", "no-tools", (row) => isShown(row) && !isToolResult(row)),
  filter(3, "user-only", "user", isUser),
  filter(4, "labeled-only", "labeled", (row) => row.label !== undefined),
  filter(5, "all", "all", () => true),
];

export default (api: ExtensionAPI): void => {
  for (const mode of FILTER_MODES) api.contribute("tree.filter", mode);
};
