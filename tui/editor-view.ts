import type { Canvas, CursorPosition } from "./cells.ts";
import type { EditorState } from "./editor.ts";
import { editorWindow, layoutEditor, placeOf } from "./editor-layout.ts";

/** Paints the lines of a text around its cursor; gives the cell of the cursor. */
export function paintEditor(canvas: Canvas, editor: EditorState): CursorPosition {
  const layout = layoutEditor(editor.pieces, canvas.columns);
  const place = placeOf(layout, editor);
  const { first, lines } = editorWindow(layout, place.row, Math.max(1, canvas.rows));
  for (const [row, { start, end }] of lines.entries()) {
    const text = editor.pieces
      .slice(start, end)
      .map((piece) => piece.text)
      .join("");
    canvas.text(0, row, text);
  }
  return canvas.position(place.column, place.row - first);
}
