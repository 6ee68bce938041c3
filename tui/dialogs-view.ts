import { type Row, revealHidden, type SelectOption, wrapText } from "../host/index.ts";
import { FRAME_CELLS, paintBox } from "./box.ts";
import type { Canvas, CursorPosition } from "./cells.ts";
import { choicesOf, type Dialog, matching } from "./dialogs.ts";
import { layoutEditor } from "./editor-layout.ts";
import { paintEditor } from "./editor-view.ts";
import type { ScreenSize } from "./screen.ts";

type Kind<K extends Dialog["kind"]> = Extract<Dialog, { readonly kind: K }>;

const HINTS: Readonly<Record<Dialog["kind"], string>> = {
  select: "↑↓ choose · type to search · ⏎ take · Esc close",
  input: "⏎ take · Esc close",
  editor: "⏎ take · Alt+⏎ new line · Esc close",
  confirm: "↑↓ choose · ⏎ take · Esc no",
  decide: "↑↓ choose · ⏎ take · Esc not now",
};
const LEAST_EDITOR = 3;

/** Cells and rows of what stands in the box of a dialog. */
export function dialogSize(
  dialog: Dialog,
  { columns, rows }: ScreenSize,
): { readonly width: number; readonly rows: number } {
  const width = Math.max(1, columns - FRAME_CELLS);
  const most = Math.max(1, Math.floor(rows / 2));
  switch (dialog.kind) {
    case "select":
      return { width, rows: Math.max(1, Math.min(matching(dialog).length, most)) };
    case "input":
      return { width, rows: 1 };
    case "editor": {
      const lines = layoutEditor(dialog.editor.pieces, width).length;
      return { width, rows: Math.min(most, Math.max(LEAST_EDITOR, lines)) };
    }
    case "confirm":
    case "decide": {
      const lines = messageLines(dialog, width).length + choicesOf(dialog).length;
      return { width, rows: Math.min(Math.max(1, rows - 2), lines) };
    }
  }
}

/** Paints a dialog over the bottom rows; gives the cell of the cursor. */
export function paintDialog(canvas: Canvas, dialog: Dialog): CursorPosition {
  const { rows } = dialogSize(dialog, canvas);
  const inside = paintBox(canvas, rows, { title: titleOf(dialog), hints: hintsOf(dialog) });
  switch (dialog.kind) {
    case "select":
      return paintOptions(inside, dialog);
    case "confirm":
    case "decide":
      return paintChoices(inside, dialog);
    default: {
      const cursor = paintEditor(inside, dialog.editor);
      const isEmpty = dialog.editor.pieces.length === 0;
      if (dialog.kind === "input" && isEmpty) inside.text(0, 0, dialog.placeholder, "dim");
      return cursor;
    }
  }
}

/** Nothing a title holds is hidden: it may be what is decided on (tui spec §1.6.4). */
function titleOf({ title, from }: Dialog): string {
  return revealHidden(from === undefined ? title : `${from}: ${title}`);
}

function hintsOf(dialog: Dialog): string {
  if (dialog.kind !== "select" || dialog.query === "") return HINTS[dialog.kind];
  return `/ ${dialog.query} · ${matching(dialog).length} of ${dialog.options.length} · Esc clears`;
}

function paintOptions(inside: Canvas, dialog: Kind<"select">): CursorPosition {
  const found = matching(dialog);
  if (found.length === 0) inside.text(0, 0, `Nothing matches “${dialog.query}”.`, "dim");
  const first = Math.max(
    0,
    Math.min(dialog.at - Math.floor(inside.rows / 2), found.length - inside.rows),
  );
  for (const [row, option] of found.slice(first, first + inside.rows).entries()) {
    inside.row(row, optionRow(option, first + row === dialog.at));
  }
  return inside.position(0, dialog.at - first);
}

function optionRow({ label, description }: SelectOption, selected: boolean): Row {
  return {
    cursor: selected ? "▌" : " ",
    start: [{ text: revealHidden(label) }],
    ...(description && { middle: [{ text: `  ${description}`, style: "dim" as const }] }),
    selected,
  };
}

function paintChoices(inside: Canvas, dialog: Kind<"confirm" | "decide">): CursorPosition {
  const choices = choicesOf(dialog);
  const room = Math.max(0, inside.rows - choices.length);
  const lines = messageLines(dialog, inside.columns).slice(0, room);
  for (const [row, line] of lines.entries()) inside.text(0, row, line);
  for (const [index, choice] of choices.entries()) {
    const selected = index === dialog.at;
    const row = { cursor: selected ? "▌ " : "  ", start: [{ text: choice }], selected };
    inside.row(lines.length + index, row);
  }
  return inside.position(0, lines.length + dialog.at);
}

function messageLines({ message }: Kind<"confirm" | "decide">, width: number): readonly string[] {
  return message === "" ? [] : [...wrapText(revealHidden(message), width), ""];
}
