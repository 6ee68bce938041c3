import { hostError } from "../host/index.ts";
import { commandText, selectedItem } from "./completion.ts";
import { selectContent } from "./dialogs.ts";
import {
  deleteTo,
  type EditorState,
  isBlank,
  pasteText,
  textOf,
  typeText,
  withText,
} from "./editor.ts";
import { newer, older, remember } from "./editor-history.ts";
import { edit } from "./editor-keys.ts";
import { moveByLine } from "./editor-moves.ts";
import { pressEscape } from "./escape.ts";
import { type KeyEvent, keyName, type PasteEvent } from "./input-events.ts";
import { chatLayout } from "./layout.ts";
import { type AppModel, following, type Step } from "./model.ts";
import { withoutStatus } from "./notes.ts";
import { isTopNear, scrollBy } from "./transcript-view.ts";
import {
  closePopup,
  completeFromPopup,
  endProgram,
  popupAction,
  refreshPopup,
} from "./update-popup.ts";

type Action = (model: AppModel, now: number) => Step;

/** Blocks above the view that are read before they are reached. */
const READ_AHEAD = 100;
/** Milliseconds in which a second Ctrl+C quits. */
const QUIT_WINDOW = 2000;

/** What a key or a paste does in the chat (tui spec §3.2). */
export function chatInput(before: AppModel, event: KeyEvent | PasteEvent, now: number): Step {
  const model = withoutStatus(before);
  if (event.type === "paste") return edited(model, pasteText(model.editor, event.text));
  const key = keyName(event);
  const action = model.bindings.scopes.chat.get(key);
  const counting = action === "app.interrupt" ? model : { ...model, escape: passed(model) };
  const inPopup = popupKey(counting, key);
  if (inPopup !== undefined) return inPopup;
  if (event.text !== undefined) return edited(counting, typeText(model.editor, event.text));
  if (action === undefined) return [counting, [{ type: "shortcut", key }]];
  const known = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (known !== undefined) return known(counting, now);
  const editor = edit(action, model.editor, chatLayout(model).editorWidth);
  return editor === undefined ? [counting, []] : edited(counting, editor);
}

/** Any other key between two presses of Escape parts them. */
function passed({ escape: { stoppedAt } }: AppModel): AppModel["escape"] {
  return stoppedAt === undefined ? {} : { stoppedAt };
}

function popupKey(model: AppModel, key: string): Step | undefined {
  const action = model.bindings.scopes.lists.get(key);
  if (model.popup === undefined || action === undefined) return undefined;
  const next = popupAction(model, model.popup, action);
  return next && [next, []];
}

const ACTIONS: Readonly<Record<string, Action>> = {
  "tui.input.submit": submit,
  "app.message.steer": submit,
  "tui.input.tab": (model) => completeFromPopup(model),
  "app.interrupt": interrupt,
  "app.clear": clear,
  "app.exit": (model) =>
    model.editor.pieces.length === 0
      ? endProgram(model)
      : edited(model, deleteTo(model.editor, model.editor.at + 1)),
  "app.session.back": (model) => startCommand(model, "/back"),
  "app.model.select": (model) => startCommand(model, "/model"),
  "app.history.search": searchHistory,
  "app.tools.expand": (model) => [{ ...model, isExpanded: !model.isExpanded }, []],
  "tui.editor.cursorUp": (model) => moveOrBrowse(model, -1),
  "tui.editor.cursorDown": (model) => moveOrBrowse(model, 1),
  "tui.editor.cursorLineEnd": (model) => {
    if (model.scroll !== undefined) return [following(model), []];
    const editor = edit("tui.editor.cursorLineEnd", model.editor, 1);
    return [{ ...model, editor: editor ?? model.editor }, []];
  },
  "tui.editor.pageUp": (model) => scrolled(model, -1),
  "tui.editor.pageDown": (model) => scrolled(model, 1),
};

/** The text has changed or its cursor has moved. */
function edited(model: AppModel, editor: EditorState): Step {
  const next = { ...model, editor };
  if (editor.pieces === model.editor.pieces) return [next, []];
  return refreshPopup({ ...next, history: { texts: model.history.texts } });
}

function submit(model: AppModel): Step {
  const chosen = model.popup && selectedItem(model.popup)?.text;
  const text = chosen ?? textOf(model.editor);
  if (text.trim() === "") return [model, []];
  return commandText(text) === undefined
    ? sendPrompt(model, text)
    : sendCommand(model, text.trim());
}

function sendPrompt(model: AppModel, text: string): Step {
  if (model.activity !== "idle" || model.sending !== undefined) {
    const reason = model.activity === "idle" ? "streaming" : model.activity;
    const busy = hostError("AGENT_BUSY", { reason });
    return [{ ...model, status: { type: "warning", text: busy.message } }, []];
  }
  const next = { ...emptied(following(model)), sending: text };
  return [next, [{ type: "prompt", text }]];
}

/** Runs what is written; the text of a command that there is not stays, to be mended. */
function sendCommand(model: AppModel, line: string): Step {
  const name = commandText(line)?.name;
  const isKnown = model.facts.commands.some((command) => command.name === name);
  return startCommand(isKnown ? emptied(following(model)) : closePopup(model), line);
}

function startCommand(model: AppModel, line: string): Step {
  return [{ ...model, running: [...model.running, line] }, [{ type: "command", line }]];
}

/** An empty editor; what stood in it is in the history. */
function emptied(model: AppModel): AppModel {
  const { popup: _, ...rest } = model;
  return {
    ...rest,
    isPopupShut: false,
    history: remember(model.history, textOf(model.editor)),
    editor: withText(model.editor, ""),
  };
}

/** Escape takes one step: popup, reply, double Escape (tui spec §3.3). */
function interrupt(model: AppModel, now: number): Step {
  if (model.popup !== undefined) return [closePopup(model), []];
  if (model.activity !== "idle") return stop(model, now);
  const { state, isDouble } = pressEscape(model.escape, now, model.settings.escapeWindow);
  const next = { ...model, escape: state };
  return isDouble ? doubleEscape(next) : [next, []];
}

function stop(model: AppModel, now: number): Step {
  const next = { ...model, isStopping: true, escape: { stoppedAt: now } };
  return [next, [{ type: "abort" }]];
}

function doubleEscape(model: AppModel): Step {
  if (!isBlank(model.editor)) {
    const text = "The text is in the history: Up brings it back.";
    return [{ ...emptied(model), status: { type: "info", text } }, []];
  }
  const { doubleEscape: action } = model.settings;
  const line = `/${action}`;
  if (action === "none" || model.running.includes(line)) return [model, []];
  return startCommand(model, line);
}

function clear(model: AppModel, now: number): Step {
  if (model.activity !== "idle") return stop(model, now);
  const { quitAsked, ...rest } = model;
  if (!isBlank(model.editor)) return [emptied(rest), []];
  if (quitAsked !== undefined && now - quitAsked <= QUIT_WINDOW) return endProgram(rest);
  const status = { type: "info", text: "Ctrl+C once more quits." } as const;
  return [{ ...emptied(rest), quitAsked: now, status }, []];
}

function moveOrBrowse(model: AppModel, by: -1 | 1): Step {
  const moved = moveByLine(model.editor, chatLayout(model).editorWidth, by);
  if (moved !== undefined) return [{ ...model, editor: moved }, []];
  const text = textOf(model.editor);
  const found = by < 0 ? older(model.history, text) : newer(model.history, text);
  if (found === undefined) return [model, []];
  const editor = withText(model.editor, found.text);
  return [{ ...model, editor, history: found.history }, []];
}

function searchHistory(model: AppModel): Step {
  const texts = [...new Set([...model.history.texts].reverse())];
  if (texts.length === 0) {
    return [{ ...model, status: { type: "info", text: "Nothing was sent yet." } }, []];
  }
  const content = selectContent(texts.map((label) => ({ label })));
  const dialog = { id: -1 - model.count, title: "What you sent", isForEditor: true, ...content };
  return [{ ...model, count: model.count + 1, dialogs: [...model.dialogs, dialog] }, []];
}

function scrolled(model: AppModel, pages: -1 | 1): Step {
  const { transcript, look } = chatLayout(model);
  const { scroll: before, ...rest } = model;
  const lines = pages * Math.max(1, transcript.rows - 2);
  const scroll = scrollBy(model, before, lines, transcript.rows, look);
  const next = scroll === undefined ? rest : { ...rest, scroll };
  const isNearTop = pages < 0 && isTopNear(model, scroll, READ_AHEAD);
  return [next, isNearTop && model.facts.hasEarlier ? [{ type: "readEarlier" }] : []];
}
