import { wrapClusters } from "../host/index.ts";
import type { Piece } from "./editor.ts";

/** A screen line of the text: from one piece to another, exclusive; blanks dropped at a break follow it. */
interface ScreenLine {
  readonly start: number;
  readonly end: number;
}

/** Screen lines of a text, always at least one. */
export type EditorLayout = readonly ScreenLine[];

interface Remembered {
  readonly width: number;
  readonly layout: EditorLayout;
}

const remembered = new WeakMap<readonly Piece[], Remembered>();

/** Breaks a text into lines of at most `width` cells, the cursor behind the last one included. */
export function layoutEditor(pieces: readonly Piece[], width: number): EditorLayout {
  const known = remembered.get(pieces);
  if (known?.width === width) return known.layout;
  const room = Math.max(1, width - 1);
  const layout = lineStretches(pieces).flatMap(({ start, end }) =>
    wrapClusters(pieces.slice(start, end), room).map((line) => ({
      start: start + line.start,
      end: start + line.end,
    })),
  );
  remembered.set(pieces, { width, layout });
  return layout;
}

/** Row and column of the cursor. */
export function placeOf(
  layout: EditorLayout,
  { pieces, at }: { readonly pieces: readonly Piece[]; readonly at: number },
): { readonly row: number; readonly column: number } {
  const row = Math.max(
    0,
    layout.findLastIndex((line) => line.start <= at),
  );
  const line = layout[row] ?? { start: 0, end: 0 };
  const column = pieces
    .slice(line.start, Math.min(at, line.end))
    .reduce((sum, piece) => sum + piece.width, 0);
  return { row, column };
}

/** The lines to show so that the cursor is among them, and its row among those shown. */
export function editorWindow(
  layout: EditorLayout,
  cursorRow: number,
  rows: number,
): { readonly first: number; readonly lines: EditorLayout } {
  const first = Math.max(0, cursorRow - rows + 1);
  return { first, lines: layout.slice(first, first + rows) };
}

function lineStretches(pieces: readonly Piece[]): readonly ScreenLine[] {
  const stretches: ScreenLine[] = [];
  let start = 0;
  for (const [at, piece] of pieces.entries()) {
    if (piece.text !== "\n") continue;
    stretches.push({ start, end: at });
    start = at + 1;
  }
  return [...stretches, { start, end: pieces.length }];
}
