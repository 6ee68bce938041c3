import type { SessionEvent } from "../host/index.ts";
import type { AppEvent } from "./model.ts";
import type { SessionFacts } from "./session-facts.ts";

/** What an event of the session is to the screen; facts are read where they may have changed. */
export function screenEvent(
  event: Exclude<SessionEvent, { readonly type: "session_replaced" }>,
  readFacts: () => SessionFacts,
): AppEvent {
  switch (event.type) {
    case "activity":
      return { ...event, facts: readFacts() };
    case "leaf_moved":
      return { ...event, type: "moved", facts: readFacts() };
    case "message_start":
    case "message_update":
      return { type: "streaming", message: event.message };
    case "message_end":
      return { type: "messageEnded", role: event.message.role, facts: readFacts() };
    default:
      return { type: "facts", facts: readFacts() };
  }
}
