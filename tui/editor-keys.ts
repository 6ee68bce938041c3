import {
  deleteTo,
  type EditorState,
  killTo,
  moveTo,
  redo,
  typeText,
  undo,
  yank,
  yankPop,
} from "./editor.ts";
import { lineEnd, lineStart, moveByLine, wordLeft, wordRight } from "./editor-moves.ts";

type Edit = (editor: EditorState, width: number) => EditorState;

const EDITS: Readonly<Record<string, Edit>> = {
  "tui.input.newLine": (editor) => typeText(editor, "\n"),
  "tui.editor.cursorUp": (editor, width) => moveByLine(editor, width, -1) ?? moveTo(editor, 0),
  "tui.editor.cursorDown": (editor, width) =>
    moveByLine(editor, width, 1) ?? moveTo(editor, editor.pieces.length),
  "tui.editor.cursorLeft": (editor) => moveTo(editor, editor.at - 1),
  "tui.editor.cursorRight": (editor) => moveTo(editor, editor.at + 1),
  "tui.editor.cursorWordLeft": (editor) => moveTo(editor, wordLeft(editor)),
  "tui.editor.cursorWordRight": (editor) => moveTo(editor, wordRight(editor)),
  "tui.editor.cursorLineStart": (editor) => moveTo(editor, lineStart(editor)),
  "tui.editor.cursorLineEnd": (editor) => moveTo(editor, lineEnd(editor)),
  "tui.editor.deleteCharBackward": (editor) => deleteTo(editor, editor.at - 1),
  "tui.editor.deleteCharForward": (editor) => deleteTo(editor, editor.at + 1),
  "tui.editor.deleteWordBackward": (editor) => killTo(editor, wordLeft(editor)),
  "tui.editor.deleteWordForward": (editor) => killTo(editor, wordRight(editor)),
  "tui.editor.deleteToLineStart": (editor) => killTo(editor, startOrBreak(editor)),
  "tui.editor.deleteToLineEnd": (editor) => killTo(editor, endOrBreak(editor)),
  "tui.editor.yank": yank,
  "tui.editor.yankPop": yankPop,
  "tui.editor.undo": undo,
  "tui.editor.redo": redo,
};

/** The text after an editing action; `undefined` if the action is none. `width` is the editor's. */
export function edit(action: string, editor: EditorState, width: number): EditorState | undefined {
  return Object.hasOwn(EDITS, action) ? EDITS[action]?.(editor, width) : undefined;
}

/** At the start of a line its break is what is deleted next. */
function startOrBreak(editor: EditorState): number {
  const start = lineStart(editor);
  return start === editor.at ? start - 1 : start;
}

function endOrBreak(editor: EditorState): number {
  const end = lineEnd(editor);
  return end === editor.at ? end + 1 : end;
}
