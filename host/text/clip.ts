import { cleanLine, cleanText } from "./clean.ts";
import { type Cluster, cellWidth, clusters, isSimple } from "./clusters.ts";

export const CUT_MARK = "…";
const TAB_STOP = 4;

/** Cells that a text takes on one line; escape sequences and controls in it count nothing. */
export function visibleWidth(text: string): number {
  return cellWidth(isSimple(text) ? text : cleanText(text).replace(/[\n\t]/g, ""));
}

/**
 * The text, cleaned for one line, cut to at most `width` cells; a cut text ends in `mark`, which counts.
 * `width` may be any number; below 1 the result is empty.
 */
export function clipText(text: string, width: number, mark: string = CUT_MARK): string {
  const line = paintedLine(text);
  if (cellWidth(line) <= width) return line;
  const markWidth = cellWidth(mark);
  return markWidth > width ? takeCells(mark, width) : takeCells(line, width - markWidth) + mark;
}

/** `clipText` under the name extension authors know. */
export function truncateToWidth(text: string, width: number, mark: string = CUT_MARK): string {
  return clipText(text, width, mark);
}

/** The longest beginning of whole clusters that takes at most `width` cells. */
export function takeCells(line: string, width: number): string {
  if (width <= 0) return "";
  let taken = "";
  let used = 0;
  for (const cluster of clusters(line)) {
    if (used + cluster.width > width) break;
    used += cluster.width;
    taken += cluster.text;
  }
  return taken;
}

/**
 * A text cleaned for one line, without the clusters that take no cell: joined behind other text they
 * could widen it (a variation selector makes the sign before it an emoji).
 */
export function paintedLine(text: string): string {
  if (isSimple(text)) return text;
  let line = "";
  for (const cluster of clusters(cleanLine(text))) if (cluster.width > 0) line += cluster.text;
  return line;
}

/**
 * The lines of a text of several lines, each at most `width` cells (at least 1): broken between words,
 * long words inside, a line break always breaks. Blanks at a break are dropped, indents stay, tabs
 * become blanks. An empty text is one empty line.
 */
export function wrapText(text: string, width: number): readonly string[] {
  return cleanText(text)
    .split("\n")
    .flatMap((line) => wrapLine(expandTabs(line), width));
}

function wrapLine(line: string, width: number): readonly string[] {
  if (isSimple(line) && cellWidth(line) <= width) return [line];
  const painted = clusters(line)
    .filter((cluster) => cluster.width > 0)
    .map((cluster) => (cluster.width > width ? { text: CUT_MARK, width: 1 as const } : cluster));
  return wrapClusters(painted, width).map(({ start, end }) =>
    painted
      .slice(start, end)
      .map((cluster) => cluster.text)
      .join(""),
  );
}

/** A line of wrapped clusters: `start` inclusive, `end` exclusive; blanks dropped at a break lie between two lines. */
export interface WrappedLine {
  readonly start: number;
  readonly end: number;
}

/** Where a line of clusters breaks to fit into `width` cells; always at least one line. */
export function wrapClusters(line: readonly Cluster[], width: number): readonly WrappedLine[] {
  const lines: WrappedLine[] = [];
  let start = 0;
  for (;;) {
    const full = fits(line, start, width);
    if (full === line.length) return [...lines, { start, end: full }];
    const next = breakBefore(line, start, full);
    lines.push({ start, end: withoutBlanks(line, start, next) });
    start = next;
  }
}

/** End of the longest piece from `start` that fits, at least one cluster. */
function fits(line: readonly Cluster[], start: number, width: number): number {
  let used = 0;
  let at = start;
  for (; at < line.length; at++) {
    used += line[at]?.width ?? 0;
    if (used > width && at > start) break;
  }
  return at;
}

/** Start of the next line: after the last blank or at a wide cluster, else where the line is full. */
function breakBefore(line: readonly Cluster[], start: number, full: number): number {
  let next = full;
  while (next < line.length && line[next]?.text === " ") next++;
  if (next > full) return next;
  const indent = indentEnd(line, start, full);
  for (let at = full; at > indent; at--) {
    if (line[at]?.width === 2 || line[at - 1]?.width === 2 || line[at - 1]?.text === " ") return at;
  }
  return full;
}

function indentEnd(line: readonly Cluster[], start: number, full: number): number {
  let at = start;
  while (at < full && line[at]?.text === " ") at++;
  return at;
}

function withoutBlanks(line: readonly Cluster[], start: number, end: number): number {
  let at = end;
  while (at > start && line[at - 1]?.text === " ") at--;
  return at;
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let expanded = "";
  let column = 0;
  for (const piece of line.split(/(\t)/)) {
    const text = piece === "\t" ? " ".repeat(TAB_STOP - (column % TAB_STOP)) : piece;
    expanded += text;
    column += cellWidth(text);
  }
  return expanded;
}
