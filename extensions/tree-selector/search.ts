import {
  type AgentMessage,
  contentText,
  isKind,
  mentionedFiles,
  messageOf,
  type SessionEntry,
  type ToolCallBlock,
  toolCalls,
} from "coppice/core";

/** The words of a query: lower case, split at white space (session tree §13.4). */
export function queryTokens(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((token) => token !== "");
}

/** Whether every token occurs in a text that is already in lower case. */
export function matches(text: string, tokens: readonly string[]): boolean {
  return tokens.every((token) => text.includes(token));
}

/**
 * What a search looks at beside label and displayed text: all text of the entry, and names and
 * arguments of tool calls, for a tool result of its call (session tree §13.4).
 */
export function fullText(entry: SessionEntry, call: ToolCallBlock | undefined): string {
  const message = messageOf(entry);
  if (message) return [messageFullText(message), ...callTexts(message, call)].join("\n");
  if (isKind(entry, "custom_message")) return contentText(entry.content);
  if (isKind(entry, "compaction") || isKind(entry, "branch_summary")) return asText(entry.summary);
  return "";
}

function messageFullText(message: AgentMessage): string {
  switch (message.role) {
    case "bashExecution":
      return `${asText(message.command)}\n${asText(message.output)}`;
    case "pythonExecution":
      return `${asText(message.code)}\n${asText(message.output)}`;
    case "branchSummary":
    case "compactionSummary":
      return asText(message.summary);
    case "fileMention":
      return mentionedFiles(message)
        .map(({ path, content }) => `${asText(path)}\n${asText(content)}`)
        .join("\n");
    default:
      return contentText(message.content);
  }
}

function callTexts(message: AgentMessage, call: ToolCallBlock | undefined): readonly string[] {
  const calls = call ? [call, ...toolCalls(message)] : toolCalls(message);
  return calls.map(({ name, arguments: args }) => `${asText(name)} ${JSON.stringify(args ?? {})}`);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
