import { cellWidth, clipText } from "../host/index.ts";
import type { Canvas } from "./cells.ts";

/** Cells that the frame takes of a row. */
export const FRAME_CELLS = 4;

/** Paints a frame over the bottom rows of a canvas; gives the canvas inside of it. */
export function paintBox(
  canvas: Canvas,
  rows: number,
  { title, hints }: { readonly title: string; readonly hints: string },
): Canvas {
  const height = Math.min(canvas.rows, rows + 2);
  const box = canvas.region(0, canvas.rows - height, canvas.columns, height);
  box.fill();
  edge(box, 0, "┌", title, "┐", "bold");
  for (let row = 1; row < height - 1; row++) {
    box.text(0, row, "│", "dim");
    box.text(box.columns - 1, row, "│", "dim");
  }
  edge(box, height - 1, "└", hints, "┘", "dim");
  return box.region(2, 1, box.columns - FRAME_CELLS, height - 2);
}

function edge(
  box: Canvas,
  row: number,
  left: string,
  text: string,
  right: string,
  style: "bold" | "dim",
): void {
  const inside = Math.max(0, box.columns - 2);
  const shown = text === "" ? "" : ` ${clipText(text, inside - 2)} `;
  box.text(0, row, left, "dim");
  box.text(1, row, shown, style);
  const rest = Math.max(0, inside - cellWidth(shown));
  box.text(1 + cellWidth(shown), row, "─".repeat(rest) + right, "dim");
}
