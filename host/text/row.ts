import type { Row, Span } from "../panel.ts";
import { CUT_MARK, clipText, paintedLine, takeCells } from "./clip.ts";
import { cellWidth } from "./clusters.ts";

const LEVEL_CELLS = 3;
const DROPPED_LEVELS = "…  ";
/** Cells that the levels of a row leave for what follows them, where there is room at all. */
const KEPT_CELLS = 20;
const NARROW = 40;

/**
 * The spans of a row, cleaned, measured and cut so that together they are never wider than `width`
 * cells (at least 1; Infinity cuts nothing but spans with `max`). Levels on the left give way first,
 * then the end of `start` and `middle`; `end` stands at the right edge, and is left out where the whole
 * start does not fit beside it (session tree spec §13.2, tui spec §1.7.3).
 */
export function layoutRow(row: Row, width: number): readonly Span[] {
  const head = headOf(row, width);
  const room = width - spansWidth(head);
  const body = [...(row.start ?? []), ...(row.middle ?? [])].map(painted);
  const end = (row.end ?? []).map(painted);
  const endWidth = spansWidth(end);
  const startWidth = spansWidth((row.start ?? []).map(painted));
  if (endWidth === 0 || startWidth + 1 + endWidth > room) return [...head, ...cutSpans(body, room)];
  const shown = cutSpans(body, room - endWidth - 1);
  const gap = room === Infinity ? 1 : room - endWidth - spansWidth(shown);
  return [...head, ...shown, { text: " ".repeat(gap) }, ...end];
}

/** The row as one line of plain text, without blanks at its end. */
export function rowText(row: Row, width: number): string {
  return layoutRow(row, width)
    .map((span) => span.text)
    .join("")
    .trimEnd();
}

/** The text of spans in a row, cleaned, uncut but for spans with `max`. */
export function spansText(spans: readonly Span[]): string {
  return spans.map((span) => painted(span).text).join("");
}

/** Cells of spans side by side. */
export function spansWidth(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + cellWidth(painted(span).text), 0);
}

function headOf(row: Row, width: number): readonly Span[] {
  const cursor = takeCells(paintedLine(row.cursor ?? ""), width);
  const levels = keptLevels(row.levels ?? [], width, width - cellWidth(cursor));
  return [{ text: cursor }, { text: levels.join("") }].filter((span) => span.text !== "");
}

function keptLevels(levels: readonly string[], width: number, room: number): readonly string[] {
  const kept = width < NARROW ? Math.floor(width / 2) : KEPT_CELLS;
  const fitting = Math.max(0, Math.floor((room - kept) / LEVEL_CELLS));
  const cells = (level: string): string =>
    takeCells(paintedLine(level), LEVEL_CELLS).padEnd(LEVEL_CELLS);
  if (levels.length <= fitting) return levels.map(cells);
  if (fitting === 0) return [];
  return [DROPPED_LEVELS, ...levels.slice(levels.length - fitting + 1).map(cells)];
}

function painted(span: Span): Span {
  const text = span.max === undefined ? paintedLine(span.text) : clipText(span.text, span.max);
  return span.style === undefined ? { text } : { text, style: span.style };
}

function cutSpans(spans: readonly Span[], width: number): readonly Span[] {
  if (spansWidth(spans) <= width) return spans;
  const kept: Span[] = [];
  let room = width - cellWidth(CUT_MARK);
  if (room < 0) return kept;
  for (const span of spans) {
    const cells = cellWidth(span.text);
    if (cells > room) {
      kept.push({ ...span, text: takeCells(span.text, room) + CUT_MARK });
      break;
    }
    room -= cells;
    kept.push(span);
  }
  return kept;
}
