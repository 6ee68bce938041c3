import type { Row } from "coppice";
import { truncateToWidth, visibleWidth } from "coppice/tui";
import type { LineEdit } from "./line-edit.ts";
import type { LabelBox } from "./model.ts";

/** Rows of the box, and cells left of the text. */
export const BOX_ROWS = 3;
const TEXT_COLUMN = 3;

/** The label box over the bottom rows of the list (tui spec §2.5). */
export function boxRows(box: LabelBox, columns: number): readonly Row[] {
  const inner = Math.max(0, columns - TEXT_COLUMN - 2);
  const style = box.problem === undefined ? "label" : "error";
  const { text } = seenPart(box.line, inner);
  const blanks = " ".repeat(Math.max(0, inner - visibleWidth(text)));
  const title = box.problem ?? `label for “${box.title}”`;
  const hint = "⏎ save · empty removes · Esc keeps the old one";
  return [
    { start: [{ text: border("┌", title, "┐", inner), style }] },
    { start: [{ text: ` │ ${text}${blanks}│` }] },
    { start: [{ text: border("└", hint, "┘", inner), style: "dim" }] },
  ];
}

/** Column of the cursor in the row of the text. */
export function boxCursor(box: LabelBox, columns: number): number {
  const inner = Math.max(0, columns - TEXT_COLUMN - 2);
  return TEXT_COLUMN + seenPart(box.line, inner).cursor;
}

function border(left: string, text: string, right: string, inner: number): string {
  const shown = truncateToWidth(text, Math.max(0, inner - 2));
  const rule = "─".repeat(Math.max(0, inner - 1 - visibleWidth(shown)));
  return ` ${left} ${shown} ${rule}${right}`;
}

/** The part of a line that fits with its cursor: it moves left when the cursor would leave. */
function seenPart(line: LineEdit, cells: number): { text: string; cursor: number } {
  let start = line.at;
  let cursor = 0;
  for (; start > 0; start--) {
    const width = visibleWidth(line.clusters[start - 1] ?? "");
    if (cursor + width >= cells) break;
    cursor += width;
  }
  return { text: truncateToWidth(headOf(line.clusters, start, cells), cells), cursor };
}

/** As much of a line from `start` as is wider than the cells, or all of it. */
function headOf(clusters: readonly string[], start: number, cells: number): string {
  let end = start;
  for (let width = 0; end < clusters.length && width <= cells; end++) {
    width += visibleWidth(clusters[end] ?? "");
  }
  return clusters.slice(start, end).join("");
}
