import type { Canvas, CursorPosition } from "./cells.ts";
import { paintPopup } from "./completion-view.ts";
import { paintDialog } from "./dialogs-view.ts";
import { paintEditor } from "./editor-view.ts";
import { type ChatLayout, chatLayout, isTooSmall, PROMPT_MARK } from "./layout.ts";
import type { AppModel } from "./model.ts";
import { paintPanel } from "./panels-view.ts";
import { footerRow, headerRow, statusRow } from "./status.ts";
import { linesInView, newLines, paintLines } from "./transcript-view.ts";

export interface ViewOptions {
  /** The person's own folder, shown as `~`. */
  readonly home?: string | undefined;
  /** Called when a panel cannot be painted. */
  readonly onPanelFailure: (id: number, error: unknown) => void;
}

/** Paints the screen; gives the cell of the hardware cursor. */
export function paintScreen(
  model: AppModel,
  canvas: Canvas,
  options: ViewOptions,
): CursorPosition | undefined {
  if (isTooSmall(canvas)) {
    canvas.text(0, 0, "Terminal too small");
    return undefined;
  }
  const cursor = paintBelow(model, canvas, options);
  const dialog = model.dialogs[0];
  return dialog === undefined ? cursor : paintDialog(canvas, dialog);
}

function paintBelow(
  model: AppModel,
  canvas: Canvas,
  options: ViewOptions,
): CursorPosition | undefined {
  const open = model.panels[0];
  if (open === undefined) return paintChat(model, canvas, options);
  try {
    return paintPanel(canvas, open);
  } catch (error) {
    options.onPanelFailure(open.id, error);
    return undefined;
  }
}

function paintChat(model: AppModel, canvas: Canvas, { home }: ViewOptions): CursorPosition {
  const layout = chatLayout(model);
  if (layout.header.rows > 0) {
    canvas.row(layout.header.top, headerRow({ ...model, ...(home !== undefined && { home }) }));
  }
  paintTranscript(model, canvas, layout);
  paintAround(model, canvas, layout);
  if (model.popup !== undefined) paintPopup(canvas, model, model.popup, layout.upperRule.top);
  const { top, rows } = layout.editor;
  canvas.text(0, top, PROMPT_MARK, "user");
  return paintEditor(
    canvas.region(PROMPT_MARK.length, top, layout.editorWidth, rows),
    model.editor,
  );
}

function paintTranscript(model: AppModel, canvas: Canvas, layout: ChatLayout): void {
  const { transcript, scrollMark, look } = layout;
  const area = canvas.region(0, transcript.top, canvas.columns, transcript.rows);
  paintLines(area, linesInView(model, model.scroll, transcript.rows, look));
  if (model.scroll === undefined || scrollMark.rows === 0) return;
  const count = newLines(model, model.scroll, look);
  const news = count === 0 ? "" : `${count} new ${count === 1 ? "line" : "lines"} below · `;
  canvas.row(scrollMark.top, { end: [{ text: `── ${news}End returns ↓ ──`, style: "dim" }] });
}

/** Status, widgets, rules and footer. */
function paintAround(model: AppModel, canvas: Canvas, layout: ChatLayout): void {
  const status = statusRow(model);
  if (status !== undefined && layout.status.rows > 0) canvas.row(layout.status.top, status);
  const widgets = [...model.widgets.values()].flat().slice(0, layout.widgets.rows);
  for (const [row, text] of widgets.entries()) canvas.text(1, layout.widgets.top + row, text);
  for (const rule of [layout.upperRule, layout.lowerRule]) {
    if (rule.rows > 0) canvas.text(0, rule.top, "─".repeat(canvas.columns), "dim");
  }
  if (layout.footer.rows > 0) canvas.row(layout.footer.top, footerRow(model));
}
