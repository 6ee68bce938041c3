import type { SelectOption } from "../host/index.ts";
import {
  deleteTo,
  type EditorState,
  EMPTY_EDITOR,
  pasteText,
  textOf,
  typeText,
  withText,
} from "./editor.ts";
import { edit } from "./editor-keys.ts";
import { type KeyEvent, keyName, type PasteEvent } from "./input-events.ts";
import type { Bindings } from "./keys.ts";

/** A question to the person, in a box above everything else. */
export type Dialog = {
  readonly id: number;
  readonly title: string;
  /** The third party that asks. */
  readonly from?: string;
  /** Asked by the screen itself: the answer is a text for the editor. */
  readonly isForEditor?: boolean;
} & DialogContent;

export type DialogContent =
  | {
      readonly kind: "select";
      readonly options: readonly SelectOption[];
      readonly query: string;
      /** Row among the options that match the query. */
      readonly at: number;
    }
  | { readonly kind: "input"; readonly placeholder: string; readonly editor: EditorState }
  | { readonly kind: "editor"; readonly editor: EditorState }
  | { readonly kind: "confirm"; readonly message: string; readonly at: number }
  | {
      /** A question of the host itself, above all others. */
      readonly kind: "decide";
      readonly message: string;
      readonly choices: readonly string[];
      readonly at: number;
    };

/** What comes of a question; closed without an answer it is `undefined`, or `false` for a confirmation. */
export type Answer = unknown;

/** The dialog after a key, or its answer. */
export type DialogStep =
  | { readonly dialog: Dialog }
  | { readonly answer: Answer }
  /** Without a meaning here. */
  | undefined;

const CONFIRM_CHOICES = ["Yes", "No"] as const;

export function selectContent(options: readonly SelectOption[]): DialogContent {
  return { kind: "select", options, query: "", at: 0 };
}

export function inputContent(placeholder: string): DialogContent {
  return { kind: "input", placeholder, editor: EMPTY_EDITOR };
}

export function editorContent(prefill: string): DialogContent {
  return { kind: "editor", editor: { ...withText(EMPTY_EDITOR, prefill), undo: [] } };
}

/** A confirmation begins on No, so that Enter by habit changes nothing. */
export function confirmContent(message: string): DialogContent {
  return { kind: "confirm", message, at: CONFIRM_CHOICES.indexOf("No") };
}

export function decideContent(message: string, choices: readonly string[]): DialogContent {
  return { kind: "decide", message, choices, at: 0 };
}

/** The answers that a question has below its text. */
export function choicesOf(
  dialog: Extract<Dialog, { kind: "confirm" | "decide" }>,
): readonly string[] {
  return dialog.kind === "decide" ? dialog.choices : CONFIRM_CHOICES;
}

/** The answer of a dialog that is closed without one. */
export function noAnswer({ kind }: DialogContent): Answer {
  return kind === "confirm" ? false : undefined;
}

/** The options that hold the query, in their order. */
export function matching({ options, query }: Extract<Dialog, { kind: "select" }>) {
  const wanted = query.toLowerCase();
  return options.filter(({ label, description = "" }) =>
    `${label} ${description}`.toLowerCase().includes(wanted),
  );
}

/** What a key or a paste does to a dialog whose text has `width` cells and whose list `rows` rows. */
export function dialogStep(
  dialog: Dialog,
  event: KeyEvent | PasteEvent,
  bindings: Bindings,
  { width, rows }: { readonly width: number; readonly rows: number },
): DialogStep {
  switch (dialog.kind) {
    case "select":
      return selectStep(dialog, event, bindings, rows);
    case "confirm":
      return event.type === "key" ? confirmStep(dialog, event, bindings) : undefined;
    case "decide":
      return event.type === "key" ? decideStep(dialog, event, bindings) : undefined;
    default:
      return fieldStep(dialog, event, bindings, width);
  }
}

function selectStep(
  dialog: Extract<Dialog, { kind: "select" }>,
  event: KeyEvent | PasteEvent,
  bindings: Bindings,
  rows: number,
): DialogStep {
  if (event.type === "paste")
    return { dialog: searching(dialog, dialog.query + oneLine(event.text)) };
  const found = matching(dialog);
  const action = bindings.scopes.lists.get(keyName(event));
  if (action === "tui.select.confirm") {
    const chosen = found[dialog.at];
    return chosen === undefined ? undefined : { answer: chosen.label };
  }
  if (action === "tui.select.cancel" || isClose(event)) {
    return dialog.query === "" || isClose(event)
      ? { answer: undefined }
      : { dialog: searching(dialog, "") };
  }
  const at = movedRow(action, dialog.at, found.length, rows);
  if (at !== undefined) return { dialog: { ...dialog, at } };
  if (event.text !== undefined) return { dialog: searching(dialog, dialog.query + event.text) };
  if (event.name !== "backspace") return undefined;
  const query = textOf(deleteTo(...atEnd(dialog.query)));
  return { dialog: searching(dialog, query) };
}

function atEnd(query: string): readonly [editor: EditorState, to: number] {
  const editor = withText(EMPTY_EDITOR, query);
  return [editor, editor.at - 1];
}

function searching(
  dialog: Extract<Dialog, { kind: "select" }>,
  query: string,
): Extract<Dialog, { kind: "select" }> {
  return { ...dialog, query, at: 0 };
}

/** The row an action of a list leads to; it stays at the ends. `undefined`: the action is none of a list. */
function movedRow(
  action: string | undefined,
  at: number,
  length: number,
  page: number,
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    "tui.select.up": at - 1,
    "tui.select.down": at + 1,
    "tui.select.pageUp": at - page,
    "tui.select.pageDown": at + page,
    "tui.select.first": 0,
    "tui.select.last": length - 1,
  };
  const row = action === undefined ? undefined : steps[action];
  return row === undefined ? undefined : Math.max(0, Math.min(row, length - 1));
}

function confirmStep(
  dialog: Extract<Dialog, { kind: "confirm" }>,
  event: KeyEvent,
  bindings: Bindings,
): DialogStep {
  const action = bindings.scopes.lists.get(keyName(event));
  if (action === "tui.select.cancel" || isClose(event)) return { answer: false };
  if (action === "tui.select.confirm") return { answer: CONFIRM_CHOICES[dialog.at] === "Yes" };
  if (event.text === "y" || event.text === "n") return { answer: event.text === "y" };
  const at = movedRow(action, dialog.at, CONFIRM_CHOICES.length, 1);
  return at === undefined ? undefined : { dialog: { ...dialog, at } };
}

/** Only the keys of lists act here: what is typed by habit decides nothing. */
function decideStep(
  dialog: Extract<Dialog, { kind: "decide" }>,
  event: KeyEvent,
  bindings: Bindings,
): DialogStep {
  const action = event.text === undefined && bindings.scopes.lists.get(keyName(event));
  if (action === "tui.select.cancel" || isClose(event)) return { answer: undefined };
  if (action === "tui.select.confirm") return { answer: dialog.choices[dialog.at] };
  const at = movedRow(action || undefined, dialog.at, dialog.choices.length, 1);
  return at === undefined ? undefined : { dialog: { ...dialog, at } };
}

function fieldStep(
  dialog: Extract<Dialog, { kind: "input" | "editor" }>,
  event: KeyEvent | PasteEvent,
  bindings: Bindings,
  width: number,
): DialogStep {
  const isOneLine = dialog.kind === "input";
  const to = (editor: EditorState): DialogStep => ({ dialog: { ...dialog, editor } });
  const { editor } = dialog;
  if (event.type === "paste") {
    return to(pasteText(editor, isOneLine ? oneLine(event.text) : event.text));
  }
  if (event.text !== undefined) return to(typeText(editor, event.text));
  const action = bindings.scopes.chat.get(keyName(event));
  if (action === "tui.input.submit") return { answer: textOf(editor) };
  if (bindings.scopes.lists.get(keyName(event)) === "tui.select.cancel" || isClose(event)) {
    return { answer: undefined };
  }
  if (action === undefined || (isOneLine && action === "tui.input.newLine")) return undefined;
  const next = edit(action, editor, width);
  return next && to(next);
}

/** Ctrl+C closes every dialog, whatever is bound. */
function isClose(event: KeyEvent): boolean {
  return keyName(event) === "ctrl+c";
}

function oneLine(text: string): string {
  return text.replace(/\s*[\n\t]\s*/g, " ");
}
