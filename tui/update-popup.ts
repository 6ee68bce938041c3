import { commandPopup, commandText, type Popup, selectedItem, selectIn } from "./completion.ts";
import { textOf, withText } from "./editor.ts";
import type { AppModel, Step } from "./model.ts";

/** Rows a page key moves in the popup. */
const PAGE = 8;

/** The popup that belongs to the text after it has changed. */
export function refreshPopup(model: AppModel): Step {
  const { popup, ...rest } = model;
  const text = textOf(model.editor);
  const command = commandText(text);
  if (command === undefined) return [{ ...rest, isPopupShut: false }, []];
  if (model.isPopupShut) return [rest, []];
  if (command.argument === undefined) {
    const next = commandPopup(command.name, model.facts.commands);
    return [next === undefined ? rest : { ...rest, popup: next }, []];
  }
  // What was offered stays until the new offer is there.
  const kept = keptOffer(popup, command.name);
  return [
    kept === undefined ? rest : { ...rest, popup: kept },
    [{ type: "complete", request: text }],
  ];
}

/** What an action of a list does in the popup; `undefined` if it is not meant. */
export function popupAction(model: AppModel, popup: Popup, action: string): AppModel | undefined {
  const steps: Readonly<Record<string, number>> = {
    "tui.select.up": -1,
    "tui.select.down": 1,
    "tui.select.pageUp": -PAGE,
    "tui.select.pageDown": PAGE,
  };
  const by = steps[action];
  return by === undefined ? undefined : { ...model, popup: selectIn(popup, by) };
}

/** Tab: the selected item becomes the text, and its arguments are asked for. */
export function completeFromPopup(model: AppModel): Step {
  const { popup } = model;
  if (popup === undefined) return refreshPopup({ ...model, isPopupShut: false });
  const item = selectedItem(popup) ?? popup.items[0];
  if (item === undefined) return [model, []];
  const text = popup.kind === "command" ? `${item.text} ` : item.text;
  return refreshPopup({ ...model, editor: withText(model.editor, text) });
}

export function closePopup(model: AppModel): AppModel {
  const { popup: _, ...rest } = model;
  return { ...rest, isPopupShut: true };
}

function keptOffer(popup: Popup | undefined, name: string): Popup | undefined {
  if (popup?.kind !== "argument" || commandText(popup.request)?.name !== name) return undefined;
  const { selected: _, ...rest } = popup;
  return rest;
}

/** The program ends; the session is closed outside. */
export function endProgram(model: AppModel): Step {
  return [{ ...model, isEnding: true }, [{ type: "end" }]];
}
