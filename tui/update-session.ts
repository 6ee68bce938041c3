import type { AssistantMessage } from "../core/index.ts";
import type { Report } from "../host/index.ts";
import { argumentPopup } from "./completion.ts";
import { isBlank, textOf, withText } from "./editor.ts";
import { type AppEvent, type AppModel, following, type NewNote, type Step } from "./model.ts";
import { notesAfterMove, notified, withNote } from "./notes.ts";
import type { SessionFacts } from "./session-facts.ts";
import { liveBlocks, settledKey, withNotes } from "./transcript.ts";
import type { Scroll } from "./transcript-view.ts";
import { endProgram, refreshPopup } from "./update-popup.ts";

type EventOf<T extends AppEvent["type"]> = Extract<AppEvent, { readonly type: T }>;
type SessionEventType = Exclude<
  AppEvent["type"],
  | "input"
  | "resize"
  | "tick"
  | "panelOpened"
  | "panelEffect"
  | "panelFailed"
  | "dialogOpened"
  | "questionClosed"
>;

type Handlers = {
  readonly [T in SessionEventType]: (
    model: AppModel,
    event: EventOf<T>,
    now: number,
  ) => Step | AppModel;
};

/** What the session, its extensions and finished work tell the screen. */
export function sessionEvent(model: AppModel, event: EventOf<SessionEventType>, now: number): Step {
  const handler = HANDLERS[event.type] as (
    model: AppModel,
    event: AppEvent,
    now: number,
  ) => Step | AppModel;
  const next = handler(model, event, now);
  return isStep(next) ? next : [next, []];
}

const HANDLERS: Handlers = {
  facts: (model, { facts }) => withFacts(model, facts),
  opened: (model, { facts, notes }) => withAllNotes(withFacts(model, facts), notes),
  activity: (model, { activity, facts }, now) => {
    const { liveUsage: _, ...rest } = withFacts(model, facts);
    const noteBeforeMove = activity === "navigating" ? model.count : model.noteBeforeMove;
    const begun = { activity, since: now, now, noteBeforeMove };
    const next: AppModel = { ...rest, ...begun, isStopping: false, live: [] };
    return activity === "idle" && model.isEnding ? endProgram(next) : next;
  },
  moved: (model, { facts, editorText = "" }) => {
    const { before, during } = notesAfterMove(model, facts);
    const next = following(withFacts({ ...model, notes: [...before, ...during] }, facts));
    const isWanted = isBlank(model.editor) && editorText.trim() !== "";
    return isWanted ? { ...next, editor: withText(model.editor, editorText) } : next;
  },
  replaced: (model, { facts, editorText }) => {
    const { sending: _, ...rest } = following(model);
    const notes = notesAfterMove(model, facts).during;
    const next = withFacts({ ...rest, notes, live: [] }, facts);
    return editorText === undefined ? next : { ...next, editor: withText(next.editor, editorText) };
  },
  streaming: (model, { message }) => {
    const usage = (message as AssistantMessage).usage;
    const liveUsage = {
      input: usage?.input ?? 0,
      output: usage?.output ?? 0,
      cost: usage?.cost?.total ?? 0,
    };
    return { ...model, live: liveBlocks(message), liveUsage };
  },
  messageEnded: (model, { role, facts }) => {
    const { sending, ...rest } = withFacts(model, facts);
    const next = role === "user" || sending === undefined ? rest : { ...rest, sending };
    return role === "assistant" ? settledReply(next, facts.leafId) : next;
  },
  reported: (model, { report }) => (isShown(report) ? withNote(model, reportNote(report)) : model),
  notified: (model, { note }) => notified(model, note),
  promptEnded: ({ sending: _, ...model }) => model,
  commandEnded: (model, { line, facts }) => {
    const at = model.running.indexOf(line);
    const running = model.running.filter((_, i) => i !== at);
    return withFacts({ ...model, running }, facts);
  },
  failed: (model, { text, of }) => {
    const noted = following(withNote(model, { type: "error", text }));
    return of === "prompt" ? takeBack(noted) : noted;
  },
  completed: (model, { request, items }) => {
    if (textOf(model.editor) !== request || model.isPopupShut) return model;
    const { popup: _, ...rest } = model;
    const popup = argumentPopup(request, items);
    return popup === undefined ? rest : { ...rest, popup };
  },
  statusText: (model, { key, text }) => ({
    ...model,
    statusTexts: keyed(model.statusTexts, key, text),
  }),
  statusItems: (model, { items }) => ({ ...model, statusItems: items }),
  widget: (model, { key, lines }) => ({ ...model, widgets: keyed(model.widgets, key, lines) }),
  editorText: (model, { text }) => refreshPopup({ ...model, editor: withText(model.editor, text) }),
  shutdown: (model) =>
    model.activity === "idle" ? endProgram(model) : { ...model, isEnding: true },
};

function isStep(next: Step | AppModel): next is Step {
  return Array.isArray(next);
}

function withFacts(model: AppModel, facts: SessionFacts): AppModel {
  return { ...model, facts, blocks: withNotes(facts.path, facts.blocks, model.notes) };
}

function withAllNotes(model: AppModel, notes: readonly NewNote[]): AppModel {
  return notes.reduce(withNote, model);
}

/** The reply is an entry now: its live blocks go, and a view that stands in them stays where it is. */
function settledReply(model: AppModel, leafId: string | null): AppModel {
  const { scroll, ...rest } = model;
  const next = { ...rest, live: [] };
  return scroll === undefined ? next : { ...next, scroll: settledScroll(scroll, leafId) };
}

function settledScroll({ bottom, seen }: Scroll, leafId: string | null): Scroll {
  return {
    bottom: { ...bottom, key: settledKey(bottom.key, leafId) },
    seen: { ...seen, key: settledKey(seen.key, leafId) },
  };
}

/** A prompt that did not become part of the session returns to an editor that is free. */
function takeBack(model: AppModel): AppModel {
  const { sending, ...rest } = model;
  if (sending === undefined || !isBlank(model.editor)) return rest;
  return { ...rest, editor: withText(rest.editor, sending) };
}

/** Codes of reports after which everything still works. */
const HARMLESS: ReadonlySet<string> = new Set(["NAME_TAKEN", "EVENT_NEVER_FIRES"]);

/**
 * Whether a report is told in the chat. That a member or a field is not supported is told by what
 * fails for want of it, if anything does.
 */
export function isShown({ code }: Report): boolean {
  return code !== "NOT_SUPPORTED";
}

/** A report in one line; its stack is for the log. */
export function reportNote({ code, extension, where, message }: Report): NewNote {
  const [first = ""] = message.split("\n");
  const text = `${extension}: ${first} (${code} in ${where})`;
  return { type: HARMLESS.has(code) ? "warning" : "error", text };
}

function keyed<T>(map: ReadonlyMap<string, T>, key: string, value: T | undefined): Map<string, T> {
  const next = new Map(map);
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  return next;
}
