import type { Canvas } from "./cells.ts";
import type { Block } from "./transcript.ts";
import { type Look, linesOf } from "./transcript-lines.ts";
import { type Line, WIDEST } from "./transcript-text.ts";

/** A line of the transcript: the block it belongs to, and its number in it. */
export interface Place {
  readonly key: string;
  readonly line: number;
}

/** Where a view that does not follow the end stands: its last line, and the end as it was then. */
export interface Scroll {
  readonly bottom: Place;
  readonly seen: Place;
}

/** The blocks to be shown, from the first to those of a reply that still comes. */
export interface Roll {
  readonly blocks: readonly Block[];
  readonly live: readonly Block[];
}

interface Cursor {
  readonly block: number;
  readonly line: number;
}

/** The lines in view, at most `rows`; blocks above them are not laid out. */
export function linesInView(
  roll: Roll,
  scroll: Scroll | undefined,
  rows: number,
  look: Look,
): readonly Line[] {
  const lines: Line[] = [];
  let at =
    scroll === undefined ? endOf(roll, look) : (find(roll, scroll.bottom) ?? endOf(roll, look));
  while (lines.length < rows && at.block >= 0) {
    const all = linesAt(roll, at.block, look);
    const taken = all.slice(Math.max(0, at.line + 1 - (rows - lines.length)), at.line + 1);
    lines.unshift(...taken);
    at = { block: at.block - 1, line: linesAt(roll, at.block - 1, look).length - 1 };
  }
  return lines;
}

/** How many lines came since the view stands still. */
export function newLines(roll: Roll, scroll: Scroll, look: Look): number {
  const seen = find(roll, scroll.seen);
  if (seen === undefined) return 0;
  let count = Math.max(0, linesAt(roll, seen.block, look).length - 1 - seen.line);
  for (let block = seen.block + 1; block < lengthOf(roll); block++) {
    count += linesAt(roll, block, look).length;
  }
  return count;
}

/** The view so many lines up (negative) or down; `undefined` where it follows the end again. */
export function scrollBy(
  roll: Roll,
  scroll: Scroll | undefined,
  lines: number,
  rows: number,
  look: Look,
): Scroll | undefined {
  const end = endOf(roll, look);
  const from = (scroll && find(roll, scroll.bottom)) ?? end;
  const moved = lines < 0 ? up(roll, from, -lines, look) : down(roll, from, lines, look);
  const bottom = notAbove(roll, moved, rows, look);
  if (bottom.block > end.block || (bottom.block === end.block && bottom.line >= end.line)) {
    return undefined;
  }
  return { bottom: placeOf(roll, bottom), seen: scroll?.seen ?? placeOf(roll, end) };
}

/** Whether a view has fewer than so many blocks above its last line. */
export function isTopNear(roll: Roll, scroll: Scroll | undefined, blocks: number): boolean {
  const at = scroll && find(roll, scroll.bottom);
  return (at?.block ?? lengthOf(roll) - 1) < blocks;
}

/** Paints lines at the bottom of a canvas. */
export function paintLines(canvas: Canvas, lines: readonly Line[]): void {
  const top = canvas.rows - lines.length;
  for (const [index, line] of lines.entries()) paintLine(canvas, top + index, line);
}

function paintLine(canvas: Canvas, row: number, { runs, end = [] }: Line): void {
  let column = 0;
  for (const run of runs) column = canvas.text(column, row, run.text, run.style);
  const width = end.reduce((sum, span) => sum + span.text.length, 0);
  const start = Math.min(canvas.columns, WIDEST) - width - 1;
  if (width === 0 || start <= 0) return;
  // What is wider gives way to the end, which is kept whole.
  if (column >= start) canvas.text(start - 2, row, "… ");
  canvas.spans(start, row, end);
}

function up(roll: Roll, from: Cursor, lines: number, look: Look): Cursor {
  let { block, line } = from;
  let left = lines;
  while (block > 0 && left > line) {
    left -= line + 1;
    block--;
    line = linesAt(roll, block, look).length - 1;
  }
  return { block, line: Math.max(0, line - left) };
}

function down(roll: Roll, from: Cursor, lines: number, look: Look): Cursor {
  let { block, line } = from;
  let left = lines;
  while (block < lengthOf(roll)) {
    const below = linesAt(roll, block, look).length - 1 - line;
    if (left <= below) return { block, line: line + left };
    left -= below + 1;
    block++;
    line = 0;
  }
  return endOf(roll, look);
}

/** The place, or the highest one that leaves no row empty. */
function notAbove(roll: Roll, place: Cursor, rows: number, look: Look): Cursor {
  const top = down(roll, { block: 0, line: 0 }, rows - 1, look);
  const isAbove = place.block < top.block || (place.block === top.block && place.line < top.line);
  return isAbove ? top : place;
}

function endOf(roll: Roll, look: Look): Cursor {
  const block = lengthOf(roll) - 1;
  return { block, line: linesAt(roll, block, look).length - 1 };
}

function find(roll: Roll, { key, line }: Place): Cursor | undefined {
  const inLive = roll.live.findIndex((block) => block.key === key);
  if (inLive >= 0) return { block: roll.blocks.length + inLive, line };
  const block = roll.blocks.findLastIndex((each) => each.key === key);
  return block < 0 ? undefined : { block, line };
}

function placeOf(roll: Roll, { block, line }: Cursor): Place {
  return { key: blockAt(roll, block)?.key ?? "", line };
}

function linesAt(roll: Roll, at: number, look: Look): readonly Line[] {
  const block = blockAt(roll, at);
  return block === undefined ? [] : linesOf(block, look);
}

function blockAt({ blocks, live }: Roll, at: number): Block | undefined {
  return at < blocks.length ? blocks[at] : live[at - blocks.length];
}

function lengthOf({ blocks, live }: Roll): number {
  return blocks.length + live.length;
}
