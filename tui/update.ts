import type { KeyEvent, PasteEvent } from "./input-events.ts";
import type { AppEvent, AppModel, Step } from "./model.ts";
import { chatInput } from "./update-chat.ts";
import { globalKey, overlayEvent, overlayInput, resizePanel } from "./update-overlay.ts";
import { sessionEvent } from "./update-session.ts";

/**
 * The next state of the screen and the work it asks for. Pure: `now` is the time of the clock in
 * milliseconds, and everything that is read comes with the event.
 */
export function update(model: AppModel, event: AppEvent, now: number): Step {
  switch (event.type) {
    case "input":
      return event.event.type === "key" || event.event.type === "paste"
        ? input(model, event.event, now)
        : [model, []];
    case "resize":
      return resizePanel({ ...model, size: event.size });
    case "tick":
      return [{ ...model, now }, []];
    case "panelOpened":
    case "panelEffect":
    case "panelFailed":
    case "dialogOpened":
    case "questionClosed":
      return overlayEvent(model, event);
    default:
      return sessionEvent(model, event, now);
  }
}

function input(model: AppModel, event: KeyEvent | PasteEvent, now: number): Step {
  const everywhere = event.type === "key" ? globalKey(model, event) : undefined;
  return everywhere ?? overlayInput(model, event) ?? chatInput(model, event, now);
}
