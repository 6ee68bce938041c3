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
  const room = width - widthOf(head);
  const start = (row.start ?? []).map(measured);
  const body = [...start, ...(row.middle ?? []).map(measured)];
  const end = (row.end ?? []).map(measured);
  const endWidth = widthOf(end);
  if (endWidth === 0 || widthOf(start) + 1 + endWidth > room) {
    return [...head, ...cutSpans(body, room)].map(spanOf);
  }
  const shown = cutSpans(body, room - endWidth - 1);
  const gap = room === Number.POSITIVE_INFINITY ? 1 : room - endWidth - widthOf(shown);
  return [...head, ...shown, { span: { text: " ".repeat(gap) }, width: gap }, ...end].map(spanOf);
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
  return spans.map((span) => measured(span).span.text).join("");
}

/** Cells of spans side by side. */
export function spansWidth(spans: readonly Span[]): number {
  return widthOf(spans.map(measured));
}

/** A span that is clean and cut to its own `max`, and its cells. */
interface Measured {
  readonly span: Span;
  readonly width: number;
}

function measured({ text, style, max }: Span): Measured {
  const painted = max === undefined ? paintedLine(text) : clipText(text, max);
  const span = style === undefined ? { text: painted } : { text: painted, style };
  return { span, width: cellWidth(painted) };
}

function widthOf(spans: readonly Measured[]): number {
  return spans.reduce((sum, span) => sum + span.width, 0);
}

function spanOf({ span }: Measured): Span {
  return span;
}

function headOf(row: Row, width: number): readonly Measured[] {
  const cursor = measured({ text: takeCells(paintedLine(row.cursor ?? ""), width) });
  const levels = keptLevels(row.levels ?? [], width, width - cursor.width);
  const head = [cursor, { span: { text: levels.join("") }, width: levels.length * LEVEL_CELLS }];
  return head.filter(({ span }) => span.text !== "");
}

function keptLevels(levels: readonly string[], width: number, room: number): readonly string[] {
  const kept = width < NARROW ? Math.floor(width / 2) : KEPT_CELLS;
  const fitting = Math.max(0, Math.floor((room - kept) / LEVEL_CELLS));
  if (levels.length <= fitting) return levels.map(levelCells);
  if (fitting === 0) return [];
  return [DROPPED_LEVELS, ...levels.slice(levels.length - fitting + 1).map(levelCells)];
}

function levelCells(level: string): string {
  const painted = takeCells(paintedLine(level), LEVEL_CELLS);
  return painted + " ".repeat(LEVEL_CELLS - cellWidth(painted));
}

function cutSpans(spans: readonly Measured[], width: number): readonly Measured[] {
  if (widthOf(spans) <= width) return spans;
  const kept: Measured[] = [];
  let room = width - cellWidth(CUT_MARK);
  if (room < 0) return kept;
  for (const { span, width: cells } of spans) {
    if (cells > room) {
      const text = takeCells(span.text, room) + CUT_MARK;
      kept.push({ span: { ...span, text }, width: cellWidth(text) });
      break;
    }
    room -= cells;
    kept.push({ span, width: cells });
  }
  return kept;
}
