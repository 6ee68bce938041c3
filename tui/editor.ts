import { type Cluster, cleanText, clusters } from "../host/index.ts";

/** A cluster of the text; a line break is one of width 0, a tab one of width 1. */
export type Piece = Cluster;

/** Text and cursor, as they can be returned to. */
interface Snapshot {
  readonly pieces: readonly Piece[];
  readonly at: number;
}

/** What the last change was, by which the next one joins its undo step or its kill. */
type Change = "word" | "blank" | "delete" | "killForward" | "killBackward" | "yank" | "other";

/** A text being written: clusters, and a cursor between two of them. */
export interface EditorState extends Snapshot {
  /** Column that moves up and down try to keep. */
  readonly goal?: number;
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** Killed texts, the newest last. */
  readonly kills: readonly (readonly Piece[])[];
  readonly last?: Change;
  /** The yanked stretch, while the last change was a yank. */
  readonly yanked?: { readonly from: number; readonly kill: number };
}

const LINE_BREAK: Piece = { text: "\n", width: 0 };
const TAB: Piece = { text: "\t", width: 1 };
const KEPT_STEPS = 200;
const KEPT_KILLS = 30;

export const EMPTY_EDITOR: EditorState = { pieces: [], at: 0, undo: [], redo: [], kills: [] };

/** The pieces of a text, cleaned: what is written here is shown as it is sent. */
function piecesOf(text: string): readonly Piece[] {
  return cleanText(text)
    .split(/(\n|\t)/)
    .flatMap((part) => {
      if (part === "\n") return [LINE_BREAK];
      return part === "\t" ? [TAB] : clusters(part);
    });
}

export function textOf({ pieces }: { readonly pieces: readonly Piece[] }): string {
  return pieces.map((piece) => piece.text).join("");
}

export function isBlank({ pieces }: { readonly pieces: readonly Piece[] }): boolean {
  return pieces.every(isSpace);
}

export function isSpace(piece: Piece): boolean {
  return piece.text.trim() === "";
}

/** Another text, the cursor at its end; undo returns to the old one. */
export function withText(editor: EditorState, text: string): EditorState {
  const pieces = piecesOf(text);
  return changed(editor, { pieces, at: pieces.length }, "other");
}

/** Typed text: words and the blanks behind them are undone together. */
export function typeText(editor: EditorState, text: string): EditorState {
  const typed = piecesOf(text);
  return changed(editor, inserted(editor, typed), typed.every(isSpace) ? "blank" : "word");
}

/** A paste is one step. */
export function pasteText(editor: EditorState, text: string): EditorState {
  return changed(editor, inserted(editor, piecesOf(text)), "other");
}

export function moveTo(editor: EditorState, at: number, goal?: number): EditorState {
  const { goal: _, last: __, yanked: ___, ...rest } = editor;
  const place = Math.max(0, Math.min(at, editor.pieces.length));
  return { ...rest, at: place, ...(goal !== undefined && { goal }) };
}

export function deleteTo(editor: EditorState, to: number): EditorState {
  const cut = withoutStretch(editor, to);
  return cut === undefined ? editor : changed(editor, cut, "delete");
}

/** Deletes up to a place and keeps the text for a yank; kills in a row grow into one. */
export function killTo(editor: EditorState, to: number): EditorState {
  const cut = withoutStretch(editor, to);
  if (cut === undefined) return editor;
  const isForward = to > editor.at;
  const change = isForward ? "killForward" : "killBackward";
  const killed = editor.pieces.slice(Math.min(editor.at, to), Math.max(editor.at, to));
  const isMore = editor.last === "killForward" || editor.last === "killBackward";
  const before = isMore ? (editor.kills.at(-1) ?? []) : [];
  const joined = isForward ? [...before, ...killed] : [...killed, ...before];
  const kills = [...(isMore ? editor.kills.slice(0, -1) : editor.kills), joined].slice(-KEPT_KILLS);
  return { ...changed(editor, cut, change), kills };
}

export function yank(editor: EditorState): EditorState {
  return yankKill(editor, editor.at, editor.kills.length - 1);
}

/** Puts the kill before in place of the one just yanked. */
export function yankPop(editor: EditorState): EditorState {
  const { yanked, kills } = editor;
  if (yanked === undefined || kills.length < 2) return editor;
  const kill = (yanked.kill + kills.length - 1) % kills.length;
  return yankKill(withoutYank(editor, yanked.from), yanked.from, kill);
}

export function undo(editor: EditorState): EditorState {
  const before = editor.undo.at(-1);
  if (before === undefined) return editor;
  return returned(editor, before, {
    undo: editor.undo.slice(0, -1),
    redo: [...editor.redo, { pieces: editor.pieces, at: editor.at }],
  });
}

export function redo(editor: EditorState): EditorState {
  const next = editor.redo.at(-1);
  if (next === undefined) return editor;
  return returned(editor, next, {
    undo: [...editor.undo, { pieces: editor.pieces, at: editor.at }],
    redo: editor.redo.slice(0, -1),
  });
}

function yankKill(editor: EditorState, from: number, kill: number): EditorState {
  const pieces = editor.kills[kill];
  if (pieces === undefined) return editor;
  return { ...changed(editor, inserted(editor, pieces), "yank"), yanked: { from, kill } };
}

function withoutYank(editor: EditorState, from: number): EditorState {
  const pieces = [...editor.pieces.slice(0, from), ...editor.pieces.slice(editor.at)];
  return { ...editor, pieces, at: from };
}

function inserted({ pieces, at }: Snapshot, more: readonly Piece[]): Snapshot {
  return {
    pieces: [...pieces.slice(0, at), ...more, ...pieces.slice(at)],
    at: at + more.length,
  };
}

function withoutStretch({ pieces, at }: Snapshot, to: number): Snapshot | undefined {
  const from = Math.max(0, Math.min(at, to));
  const end = Math.min(pieces.length, Math.max(at, to));
  if (from === end) return undefined;
  return { pieces: [...pieces.slice(0, from), ...pieces.slice(end)], at: from };
}

/** The text after a change; the state before becomes a step of undo unless the change goes on. */
function changed(editor: EditorState, next: Snapshot, change: Change): EditorState {
  const { goal: _, yanked: __, ...rest } = editor;
  const step: Snapshot = { pieces: editor.pieces, at: editor.at };
  const undo = goesOn(editor.last, change)
    ? editor.undo
    : [...editor.undo, step].slice(-KEPT_STEPS);
  return { ...rest, ...next, undo, redo: [], last: change };
}

function goesOn(last: Change | undefined, change: Change): boolean {
  if (change === "blank") return last === "word" || last === "blank";
  return (change === "word" || change === "delete") && last === change;
}

function returned(
  editor: EditorState,
  { pieces, at }: Snapshot,
  steps: Pick<EditorState, "undo" | "redo">,
): EditorState {
  return { pieces, at, kills: editor.kills, ...steps };
}
