import type { Canvas, CursorPosition } from "./cells.ts";
import { type OpenPanel, panelSize } from "./panels.ts";

/**
 * Paints a panel: its rows from the top, its footer at the bottom, above both the name of a third party.
 * What the panel's view throws goes through.
 */
export function paintPanel(canvas: Canvas, open: OpenPanel): CursorPosition | undefined {
  const { from, panel, model } = open;
  const size = panelSize(open, { columns: canvas.columns, rows: canvas.rows });
  const { rows, footer = [], cursor } = panel.view(model, size);
  if (from !== undefined)
    canvas.row(0, { start: [{ text: ` ${from}: ${panel.title}`, style: "dim" }] });
  const area = canvas.region(0, canvas.rows - size.rows, size.columns, size.rows);
  const footerTop = Math.max(0, size.rows - footer.length);
  for (const [index, row] of rows.slice(0, footerTop).entries()) area.row(index, row);
  for (const [index, row] of footer.slice(0, size.rows).entries()) area.row(footerTop + index, row);
  return cursor && area.position(cursor.column, cursor.row);
}
