import { layoutEditor } from "./editor-layout.ts";
import type { AppModel } from "./model.ts";
import type { ScreenSize } from "./screen.ts";
import { statusRow } from "./status.ts";
import type { Look } from "./transcript-lines.ts";

/** Rows of the screen, from `top`. */
interface Band {
  readonly top: number;
  readonly rows: number;
}

/** Where the parts of the chat stand; a part without rows is not shown (tui spec §2.1). */
export interface ChatLayout {
  readonly header: Band;
  readonly transcript: Band;
  readonly look: Look;
  /** The row that says that the view stands still. */
  readonly scrollMark: Band;
  readonly status: Band;
  readonly widgets: Band;
  readonly upperRule: Band;
  readonly editor: Band;
  readonly editorWidth: number;
  readonly lowerRule: Band;
  readonly footer: Band;
}

export const PROMPT_MARK = " › ";
const SMALLEST: ScreenSize = { columns: 20, rows: 5 };
/** Below so many rows, what can be missed gives its room to the conversation. */
const ROWS_FOR_FRAME = 10;
const ROWS_FOR_TALL_EDITOR = 16;
const TALL_EDITOR = 3;

export function isTooSmall({ columns, rows }: ScreenSize): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

export function chatLayout(model: AppModel): ChatLayout {
  const { columns, rows } = model.size;
  const frame = rows >= ROWS_FOR_FRAME ? 1 : 0;
  const editorWidth = Math.max(1, columns - PROMPT_MARK.length);
  const editorRows = rowsOfEditor(model, editorWidth);
  const status = statusRow(model) === undefined ? 0 : 1;
  const widgets = rowsOfWidgets(model);
  const scrollMark = model.scroll === undefined ? 0 : 1;
  const used = frame + scrollMark + status + widgets + frame + editorRows + frame + frame;
  const stack = bands([
    frame,
    Math.max(0, rows - used),
    scrollMark,
    status,
    widgets,
    frame,
    editorRows,
    frame,
    frame,
  ]);
  const [header, transcript, mark, statusBand, widgetBand, upperRule, editor, lowerRule, footer] =
    stack as [Band, Band, Band, Band, Band, Band, Band, Band, Band];
  return {
    header,
    transcript,
    look: { width: columns, isExpanded: model.isExpanded },
    scrollMark: mark,
    status: statusBand,
    widgets: widgetBand,
    upperRule,
    editor,
    editorWidth,
    lowerRule,
    footer,
  };
}

/** Three rows, growing to a third of the screen; on a low screen one. */
function rowsOfEditor({ size: { rows }, editor }: AppModel, width: number): number {
  const least = rows >= ROWS_FOR_TALL_EDITOR ? TALL_EDITOR : 1;
  const most = Math.max(least, Math.floor(rows / 3));
  return Math.max(least, Math.min(layoutEditor(editor.pieces, width).length, most));
}

function rowsOfWidgets({ size: { rows }, widgets }: AppModel): number {
  const lines = [...widgets.values()].reduce((sum, each) => sum + each.length, 0);
  return Math.min(lines, Math.floor(rows / 4));
}

function bands(heights: readonly number[]): readonly Band[] {
  let top = 0;
  return heights.map((rows) => {
    const band = { top, rows };
    top += rows;
    return band;
  });
}
