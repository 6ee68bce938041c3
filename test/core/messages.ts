import type {
  AgentMessage,
  AssistantMessage,
  SessionEntry,
  ToolResultMessage,
  UserMessage,
} from "coppice/core";

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: NO_COST,
};

/** A user message. */
export function user(content: string | object[], timestamp = 1): UserMessage {
  return { role: "user", content, timestamp } as UserMessage;
}

/** A reply of the given blocks; a string is one text block. */
export function reply(
  content: string | readonly object[],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return {
    role: "assistant",
    content: blocks as AssistantMessage["content"],
    api: "x",
    provider: "acme",
    model: "m1",
    usage: NO_USAGE,
    stopReason: "stop",
    timestamp: 2,
    ...fields,
  };
}

export function call(id: string, name = "read", args: object = { path: id }) {
  return { type: "toolCall", id, name, arguments: args };
}

export function result(toolCallId: string, text: string, toolName = "read"): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 3,
  };
}

/** A message entry, or an entry of another kind from its fields. */
export function entry(
  id: string,
  content: AgentMessage | { type: string; [key: string]: unknown },
) {
  const fields = "role" in content ? { type: "message", message: content } : content;
  return { ...fields, id, parentId: null, timestamp: "2026-03-01T09:00:00.000Z" } as SessionEntry;
}
