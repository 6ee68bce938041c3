import { type EditorState, isSpace, moveTo, type Piece } from "./editor.ts";
import { type EditorLayout, layoutEditor, placeOf } from "./editor-layout.ts";

const WORD = /[\p{L}\p{N}\p{M}_]/u;

/** Start of the word before a place. */
export function wordLeft({ pieces, at }: EditorState): number {
  let place = at;
  while (place > 0 && isSpaceAt(pieces, place - 1)) place--;
  const kind = kindAt(pieces, place - 1);
  while (place > 0 && !isSpaceAt(pieces, place - 1) && kindAt(pieces, place - 1) === kind) place--;
  return place;
}

/** End of the word behind a place. */
export function wordRight({ pieces, at }: EditorState): number {
  let place = at;
  while (place < pieces.length && isSpaceAt(pieces, place)) place++;
  const kind = kindAt(pieces, place);
  while (place < pieces.length && !isSpaceAt(pieces, place) && kindAt(pieces, place) === kind) {
    place++;
  }
  return place;
}

export function lineStart({ pieces, at }: EditorState): number {
  return pieces.findLastIndex((piece, i) => i < at && piece.text === "\n") + 1;
}

export function lineEnd({ pieces, at }: EditorState): number {
  const end = pieces.findIndex((piece, i) => i >= at && piece.text === "\n");
  return end < 0 ? pieces.length : end;
}

/** The cursor a screen line up or down; `undefined` from the first or the last one. */
export function moveByLine(
  editor: EditorState,
  width: number,
  by: -1 | 1,
): EditorState | undefined {
  const layout = layoutEditor(editor.pieces, width);
  const place = placeOf(layout, editor);
  const row = place.row + by;
  if (row < 0 || row >= layout.length) return undefined;
  const goal = editor.goal ?? place.column;
  return moveTo(editor, atColumn(editor.pieces, layout, row, goal), goal);
}

/** The place of a column in a line, or the line's end. */
function atColumn(
  pieces: readonly Piece[],
  layout: EditorLayout,
  row: number,
  column: number,
): number {
  const line = layout[row];
  if (line === undefined) return pieces.length;
  // The end of a line that goes on without a break is the start of the next.
  const last = layout[row + 1]?.start === line.end ? line.end - 1 : line.end;
  let at = line.start;
  for (let used = 0; at < last; at++) {
    used += pieces[at]?.width ?? 0;
    if (used > column) break;
  }
  return at;
}

function isSpaceAt(pieces: readonly Piece[], at: number): boolean {
  const piece = pieces[at];
  return piece !== undefined && isSpace(piece);
}

function kindAt(pieces: readonly Piece[], at: number): boolean {
  return WORD.test(pieces[at]?.text ?? "");
}
