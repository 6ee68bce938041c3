import type { AgentMessage } from "../core/index.ts";
import type { BusyReason } from "./errors.ts";
import type { AssistantMessageEvent } from "./model-types.ts";

/** What the agent is doing. */
export type Activity = "idle" | BusyReason;

/** What an agent session tells its listeners: a screen, or an embedding program. */
export type SessionEvent =
  | { readonly type: "activity"; readonly activity: Activity }
  /** Entries, labels or the name have changed; the leaf may have. */
  | { readonly type: "tree_changed" }
  /** A move inside the session; the text goes into a blank editor. */
  | { readonly type: "leaf_moved"; readonly editorText?: string }
  /** Another session is active. The text goes into the editor whatever it holds. */
  | {
      readonly type: "session_replaced";
      readonly reason: "new" | "resume" | "fork";
      readonly editorText?: string;
    }
  | { readonly type: "model_changed" }
  /** The text of an item of the status line has changed. */
  | { readonly type: "status_changed" }
  | { readonly type: "message_start"; readonly message: AgentMessage }
  | {
      readonly type: "message_update";
      readonly message: AgentMessage;
      readonly event: AssistantMessageEvent;
    }
  | { readonly type: "message_end"; readonly message: AgentMessage };
