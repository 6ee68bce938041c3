import type { Panel } from "../host/index.ts";
import { type Dialog, dialogStep } from "./dialogs.ts";
import { dialogSize } from "./dialogs-view.ts";
import { withText } from "./editor.ts";
import { failureText } from "./failure.ts";
import { type KeyEvent, keyName, type PasteEvent } from "./input-events.ts";
import type { AppEvent, AppModel, Effect, Step } from "./model.ts";
import { withNote } from "./notes.ts";
import {
  type OpenPanel,
  openPanel,
  type PanelOutcome,
  panelInput,
  panelSize,
  panelStep,
} from "./panels.ts";
import { helpPanel } from "./panels-help.ts";

type OverlayEvent = Extract<
  AppEvent,
  {
    readonly type:
      | "panelOpened"
      | "panelEffect"
      | "panelFailed"
      | "dialogOpened"
      | "questionClosed";
  }
>;

/** Keys that act on every screen. */
export function globalKey(model: AppModel, event: KeyEvent): Step | undefined {
  switch (model.bindings.scopes.all.get(keyName(event))) {
    case "app.suspend":
      return [model, [{ type: "suspend" }]];
    case "app.redraw":
      return [model, [{ type: "redraw" }]];
    case "app.help":
      return model.dialogs.length > 0 ? [model, []] : openHelp(model);
    default:
      return undefined;
  }
}

/** What is typed into a dialog or a panel; `undefined` if neither is open. */
export function overlayInput(model: AppModel, event: KeyEvent | PasteEvent): Step | undefined {
  const dialog = model.dialogs[0];
  if (dialog !== undefined) return inDialog(model, dialog, event);
  const open = model.panels[0];
  if (open === undefined) return undefined;
  return settle(model, panelStep(open, panelInput(event, open.keys)));
}

export function overlayEvent(model: AppModel, event: OverlayEvent): Step {
  switch (event.type) {
    case "panelOpened": {
      const opened = openPanel(event.panel, model.bindings);
      const next = { ...model, panels: [...model.panels, opened] };
      return model.panels.length === 0 ? resizePanel(next) : [next, []];
    }
    case "panelEffect": {
      const open = model.panels.find(({ id }) => id === event.id);
      if (open === undefined) return [model, []];
      return settle(model, panelStep(open, { type: "effect", ...event.settled }));
    }
    case "panelFailed": {
      const open = model.panels.find(({ id }) => id === event.id);
      return open === undefined
        ? [model, []]
        : settle(model, { open, failure: { error: event.error } });
    }
    case "dialogOpened":
      return [{ ...model, dialogs: queued(model.dialogs, event.dialog) }, []];
    case "questionClosed":
      return closing(model, event.id, []);
  }
}

/** Dialogs come one after the other; a question of the host comes before those of extensions. */
function queued(dialogs: readonly Dialog[], dialog: Dialog): readonly Dialog[] {
  if (dialog.kind !== "decide") return [...dialogs, dialog];
  const own = dialogs.filter(({ kind }) => kind === "decide");
  return [...own, dialog, ...dialogs.filter(({ kind }) => kind !== "decide")];
}

/** Tells the panel that is shown how much room it has. */
export function resizePanel(model: AppModel): Step {
  const open = model.panels[0];
  if (open === undefined) return [model, []];
  return settle(model, panelStep(open, { type: "resize", size: panelSize(open, model.size) }));
}

function inDialog(model: AppModel, dialog: Dialog, event: KeyEvent | PasteEvent): Step {
  const step = dialogStep(dialog, event, model.bindings, dialogSize(dialog, model.size));
  if (step === undefined) return [model, []];
  if ("dialog" in step)
    return [{ ...model, dialogs: [step.dialog, ...model.dialogs.slice(1)] }, []];
  const next = closed(model, dialog.id);
  if (dialog.isForEditor !== true) {
    return [next, [{ type: "answer", id: dialog.id, answer: step.answer }]];
  }
  if (typeof step.answer !== "string") return [next, []];
  return [{ ...next, editor: withText(next.editor, step.answer) }, []];
}

function openHelp(model: AppModel): Step {
  const front = model.panels[0];
  if (front !== undefined && isOwn(front)) return [model, []];
  const panel = helpPanel("Keys", front?.panel.keys ?? [], model.bindings) as Panel<
    unknown,
    unknown
  >;
  const opened = openPanel({ id: -1 - model.count, panel }, model.bindings);
  // In front of the panel it explains, which goes on where it was.
  return resizePanel({ ...model, count: model.count + 1, panels: [opened, ...model.panels] });
}

/** Ids below 0 are those of the screen's own panels, whose end nobody waits for. */
function isOwn({ id }: OpenPanel): boolean {
  return id < 0;
}

/** Takes in what a panel made of an event. */
function settle(model: AppModel, { open, done, effect, failure }: PanelOutcome): Step {
  const { id } = open;
  if (failure !== undefined) {
    const text = failureText(failure.error, `the panel ${open.panel.title}`);
    return closing(withNote(model, { type: "error", text }), id, [
      { type: "answer", id, answer: undefined },
    ]);
  }
  if (done !== undefined) return closing(model, id, [{ type: "answer", id, answer: done.value }]);
  const panels = model.panels.map((each) => (each.id === id ? open : each));
  const next = { ...model, panels };
  return [next, effect === undefined ? [] : [{ type: "panelEffect", id, run: effect }]];
}

/** Closes a panel or a dialog; the panel that comes to the front learns how much room it has. */
function closing(model: AppModel, id: number, effects: readonly Effect[]): Step {
  const wasInFront = model.panels[0]?.id === id;
  const next = closed(model, id);
  if (!wasInFront) return [next, effects];
  const [shown, more] = resizePanel(next);
  return [shown, [...effects, ...more]];
}

function closed(model: AppModel, id: number): AppModel {
  return {
    ...model,
    panels: model.panels.filter((open) => open.id !== id),
    dialogs: model.dialogs.filter((dialog) => dialog.id !== id),
  };
}
