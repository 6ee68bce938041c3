import type { EventName } from "./events.ts";
import type { Shape } from "./shape.ts";

/** How the results of an event's handlers are used (extensions spec §3.2). */
export type HookKind = "before" | "gate" | "transform" | "provide" | "after";

export interface HookRow {
  readonly kind: HookKind;
  /** Permission without which the event is not delivered. */
  readonly receive?: string;
  /** Shape of a result, and per field the permission without which it does not count. */
  readonly result?: Shape;
  readonly honour?: Readonly<Record<string, string>>;
  /** Fields of the payload that are seen with a permission only. */
  readonly visible?: Readonly<Record<string, string>>;
  /** An object of the payload that a handler may also change in place; `{}` where it is not seen. */
  readonly inPlace?: string;
  /** Brings the accepted forms of a result into one; a text says why it is none of them. */
  readonly read?: (result: object) => object | string;
  /** All handlers at once, with one limit for all of them, in milliseconds. */
  readonly parallelMs?: number;
  /** Sent without waiting for anybody. */
  readonly notAwaited?: true;
}

const SUMMARY: Shape = { summary: "string", details: "any" };
const PREVIOUS = { previousSessionFile: "session:read" };
const TARGET = { targetSessionFile: "session:read" };

/** One row an event: kind, permissions, honoured results (session tree §15.1, extensions spec §2.2). */
export const HOOKS: Readonly<Record<EventName, HookRow>> = {
  session_start: { kind: "after", visible: PREVIOUS },
  session_shutdown: { kind: "after", parallelMs: 2000, visible: TARGET },
  session_before_switch: {
    kind: "before",
    visible: TARGET,
    result: { cancel: "any" },
    honour: { cancel: "session:gate" },
  },
  session_switch: { kind: "after", visible: PREVIOUS },
  session_before_branch: {
    kind: "before",
    result: { cancel: "any", skipConversationRestore: "boolean?" },
    honour: { cancel: "session:gate", skipConversationRestore: "session:gate" },
  },
  session_branch: { kind: "after", visible: PREVIOUS },
  session_before_tree: {
    kind: "before",
    receive: "session:read",
    result: {
      cancel: "any",
      summary: "object?",
      customInstructions: "string?",
      replaceInstructions: "boolean?",
      label: "string?",
    },
    honour: {
      cancel: "session:gate",
      summary: "session:summarize",
      customInstructions: "session:summarize",
      replaceInstructions: "session:summarize",
      label: "session:label",
    },
  },
  summarize_branch: {
    kind: "provide",
    receive: "session:read",
    result: SUMMARY,
    honour: { summary: "session:summarize", details: "session:summarize" },
  },
  session_tree: { kind: "after", visible: { summaryEntry: "session:read" } },
  session_info_changed: { kind: "after" },
  input: {
    kind: "transform",
    receive: "session:read",
    result: { action: "string?", text: "string?", handled: "any" },
    read: readInput,
    honour: { action: "agent:context", text: "agent:context" },
  },
  context: {
    kind: "transform",
    receive: "session:read",
    result: { messages: "array?" },
    honour: { messages: "agent:context" },
  },
  agent_start: { kind: "after" },
  agent_end: { kind: "after", receive: "session:read" },
  turn_start: { kind: "after" },
  turn_end: { kind: "after", receive: "session:read" },
  tool_call: {
    kind: "gate",
    receive: "tools:block",
    visible: { input: "tools:input" },
    inPlace: "input",
    result: { block: "any", reason: "string?", input: "object?" },
    honour: { block: "tools:block", reason: "tools:block", input: "tools:mutate" },
  },
  tool_result: {
    kind: "transform",
    receive: "session:read",
    result: { content: "array?", details: "any", isError: "boolean?" },
    honour: { content: "tools:mutate", details: "tools:mutate", isError: "tools:mutate" },
  },
  tool_execution_start: { kind: "after", receive: "session:read" },
  tool_execution_update: { kind: "after", receive: "session:read", notAwaited: true },
  tool_execution_end: { kind: "after", receive: "session:read" },
  message_start: { kind: "after", receive: "session:read" },
  message_update: { kind: "after", receive: "session:read", notAwaited: true },
  message_end: { kind: "after", receive: "session:read" },
  model_select: { kind: "after" },
  thinking_level_select: { kind: "after" },
};

/** Fields of a result that have a shape of their own. */
export const FIELD_SHAPES: Readonly<Record<string, Shape>> = {
  "session_before_tree.summary": SUMMARY,
  "tool_result.content": [{ type: "string" }],
};

/** Second spellings of one event (extensions spec §3.5). */
export const SPELLINGS: Readonly<Record<string, EventName>> = {
  session_before_fork: "session_before_branch",
  session_fork: "session_branch",
};

/** The forms of both peers: by `action`, or `handled` and `text` alone (extensions spec §3.6). */
function readInput(result: object): object | string {
  const { action, handled, text } = result as { action?: string; handled?: unknown; text?: string };
  switch (action ?? (handled ? "handled" : "transform")) {
    case "handled":
      return { action: "handled" };
    case "continue":
      return {};
    case "transform":
      return text == null && action != null ? "result.text must be a string" : { text };
    default:
      return `result.action must be continue, transform or handled, not ${JSON.stringify(action)}`;
  }
}
