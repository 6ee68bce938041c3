import { cellWidth, type Row, type Span } from "../host/index.ts";
import type { Canvas } from "./cells.ts";
import { type Popup, type PopupItem, selectedItem } from "./completion.ts";
import { KEY_TABLE, keysOf, keyTitle } from "./keys.ts";
import type { AppModel } from "./model.ts";

const MOST_ROWS = 8;
/** Rows above the popup that stay free: the header and a line of the chat. */
const ROWS_ABOVE = 3;
/** Keys that run a command as typing it does. */
const COMMAND_KEYS: Readonly<Record<string, string>> = {
  "/back": "app.session.back",
  "/model": "app.model.select",
};

/** Paints the popup, its last row right above `bottom` (tui spec §2.2). */
export function paintPopup(canvas: Canvas, model: AppModel, popup: Popup, bottom: number): void {
  const { items, selected = 0 } = popup;
  const rows = Math.min(MOST_ROWS, items.length, Math.max(0, bottom - ROWS_ABOVE));
  if (rows === 0) return;
  const first = Math.max(0, Math.min(selected - rows + 1, items.length - rows));
  const shown = items.slice(first, first + rows);
  const widest = Math.floor(canvas.columns / 2);
  const width = Math.min(widest, Math.max(...shown.map(({ label }) => cellWidth(label))));
  const area = canvas.region(0, bottom - rows - 2, canvas.columns, rows + 2);
  area.fill();
  area.text(0, 0, `┌${"─".repeat(area.columns)}`, "dim");
  for (const [index, item] of shown.entries()) {
    area.text(0, index + 1, "│", "dim");
    const row = itemRow(item, width, item === selectedItem(popup));
    area.region(1, index + 1, area.columns - 1, 1).row(0, { ...row, end: hint(item, model) });
  }
  area.row(rows + 1, hintRow(popup));
}

function itemRow({ label, description }: PopupItem, width: number, selected: boolean): Row {
  const gap = " ".repeat(Math.max(0, width - cellWidth(label)) + 2);
  return {
    cursor: selected ? "▌" : " ",
    start: [{ text: label, max: width }],
    middle: [{ text: `${gap}${description}`, style: "dim" }],
    selected,
  };
}

/** The source of a third party's command, or the keys of one of ours. */
function hint({ label, source }: PopupItem, { bindings, settings }: AppModel): readonly Span[] {
  if (source !== undefined) return [{ text: `ext: ${source} ` }];
  if (label === `/${settings.doubleEscape}`) return [{ text: "Esc Esc ", style: "dim" }];
  const row = KEY_TABLE.find(({ id }) => id === COMMAND_KEYS[label]);
  const key = row && keysOf(row, bindings)[0];
  return key === undefined ? [] : [{ text: `${keyTitle(key)} `, style: "dim" }];
}

function hintRow({ items, total, selected }: Popup): Row {
  const count = total === items.length ? `${total}` : `${items.length} of ${total}`;
  const enter = selected === undefined ? "⏎ as written" : "⏎ run";
  const hints = [count, "↑↓ choose", "Tab complete", enter, "Esc close"];
  return { middle: [{ text: `└ ${hints.join(" · ")} `, style: "dim" }] };
}
