import type { Row, Span, StyleName, TreeFilter } from "coppice";
import type { IndexRow } from "coppice/core";
import { type ClassicLayout, classicLayout, classicLevels, foldMark } from "./classic.ts";
import { labelTime } from "./label-time.ts";
import type { RowOptions, TreeLayout } from "./layout.ts";
import { NONE } from "./order.ts";
import { oneLine } from "./shorten.ts";
import { rowAt, type TreeData } from "./tree-data.ts";

/** Cells of the longest label that is shown whole (session tree §13.2). */
const LABEL_CELLS = 40;

/** Cells of a level. */
const LEVEL_CELLS = 3;

/** The layout `classic` (session tree §13.2). */
export const classicRows: TreeLayout = (data, tree) => {
  const layout = classicLayout(tree);
  return (node, options) => classicRow(data, layout, node, options);
};

function classicRow(data: TreeData, layout: ClassicLayout, node: number, options: RowOptions): Row {
  const { isFolded, isSelected, columns } = options;
  const position = layout.tree.position[node] ?? NONE;
  const row = rowAt(data, position);
  const mark = foldMark(layout.tree, node, isFolded);
  const isActive = data.order.active[position] === 1;
  return {
    cursor: isSelected ? "› " : "  ",
    // One level more than can be seen, so that the cut shows.
    levels: classicLevels(layout, node, isFolded, Math.ceil(columns / LEVEL_CELLS) + 1),
    start: [
      ...(mark === "" ? [] : [{ text: mark }]),
      ...(isActive ? [{ text: "• ", style: "active" } as const] : []),
      ...labelSpans(data, row, options.labelTimesAt),
    ],
    middle: highlighted(data.texts.shown(position), styleOf(row), options.tokens ?? []),
    selected: isSelected,
  };
}

/** The line under the list: row, rows and filter (session tree §13.1). */
export function statusLine(
  row: number,
  rows: number,
  filter: TreeFilter,
  showsLabelTimes = false,
): string {
  const tag = filter.tag === "" ? "" : ` [${oneLine(filter.tag)}]`;
  return `  (${rows === 0 ? 0 : row + 1}/${rows})${tag}${showsLabelTimes ? " [+label time]" : ""}`;
}

function labelSpans(data: TreeData, row: IndexRow | undefined, now: Date | undefined): Span[] {
  const label = oneLine(row?.label);
  if (row === undefined || label === "") return [];
  const time = now ? labelTime(data.labelTimestamp(row.id), now) : "";
  return [
    { text: "[", style: "label" },
    { text: label, style: "label", max: LABEL_CELLS },
    { text: "] ", style: "label" },
    ...(time === "" ? [] : [{ text: `${time} `, style: "dim" } as const]),
  ];
}

function styleOf(row: IndexRow | undefined): StyleName {
  switch (row?.type) {
    case "message":
      return messageStyle(row);
    case "compaction":
    case "branch_summary":
      return "summary";
    case "custom_message":
      return "text";
    default:
      return "dim";
  }
}

function messageStyle(row: IndexRow): StyleName {
  if (row.stopReason === "error" || row.stopReason === "aborted") return "error";
  if (row.role === "user") return "user";
  return row.role === "assistant" ? "text" : "tool";
}

/** The text in its style, with every occurrence of a token as a match. */
function highlighted(text: string, style: StyleName, tokens: readonly string[]): Span[] {
  const lower = text.toLowerCase();
  // Lower case may have another length in rare scripts; then no place of it can be trusted.
  if (tokens.length === 0 || lower.length !== text.length) return [{ text, style }];
  const isHit = new Uint8Array(text.length);
  for (const token of tokens) {
    for (let at = lower.indexOf(token); at >= 0; at = lower.indexOf(token, at + token.length)) {
      isHit.fill(1, at, at + token.length);
    }
  }
  const spans: Span[] = [];
  for (let start = 0; start < text.length; ) {
    const hit = isHit[start] === 1;
    const next = isHit.indexOf(hit ? 0 : 1, start);
    const end = next < 0 ? text.length : next;
    spans.push({ text: text.slice(start, end), style: hit ? [style, "match"] : style });
    start = end;
  }
  return spans;
}
