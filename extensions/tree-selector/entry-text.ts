import {
  type AgentMessage,
  type AssistantMessage,
  contentText,
  isKind,
  messageOf,
  modelOfChange,
  type SessionEntry,
  type ToolCallBlock,
} from "coppice/core";
import { oneLine } from "./shorten.ts";
import { toolCallText } from "./tool-call-text.ts";

const MESSAGE_CHARACTERS = 200;
const ERROR_CHARACTERS = 80;

/** What a row text needs beside its entry. */
export interface TextSources {
  /** The call that the entry, a tool result, answers. */
  readonly call: ToolCallBlock | undefined;
  /** Shown as `~`. */
  readonly home: string;
}

/** The text of a row, cleaned and uncut by any width (session tree §13.2). */
export function entryText(entry: SessionEntry, sources: TextSources): string {
  const message = messageOf(entry);
  if (message) return messageRowText(message, sources).trimEnd();
  const text = Object.hasOwn(KINDS, entry.type) ? KINDS[entry.type]?.(entry) : undefined;
  return (text ?? `[${oneLine(entry.type)}]`).trimEnd();
}

function messageRowText(message: AgentMessage, sources: TextSources): string {
  switch (message.role) {
    case "user":
      return `user: ${oneLine(contentText(message.content), MESSAGE_CHARACTERS)}`;
    case "assistant":
      return `assistant: ${assistantText(message)}`;
    case "toolResult":
      return sources.call
        ? toolCallText(sources.call, sources.home)
        : `[${oneLine(message.toolName) || "toolResult"}]`;
    case "bashExecution":
      return `[bash]: ${oneLine(message.command)}`;
    default:
      return `[${oneLine(message.role)}]`;
  }
}

function assistantText(message: AssistantMessage): string {
  const text = oneLine(contentText(message.content), MESSAGE_CHARACTERS);
  if (text !== "") return text;
  if (message.stopReason === "aborted") return "(aborted)";
  return oneLine(message.errorMessage, ERROR_CHARACTERS) || "(no content)";
}

const KINDS: Readonly<Record<string, (entry: SessionEntry) => string | undefined>> = {
  custom_message: (entry) =>
    isKind(entry, "custom_message")
      ? `[${oneLine(entry.customType)}]: ${oneLine(contentText(entry.content))}`
      : undefined,
  branch_summary: (entry) =>
    isKind(entry, "branch_summary") ? `[branch summary]: ${oneLine(entry.summary)}` : undefined,
  compaction: (entry) =>
    isKind(entry, "compaction") ? `[compaction: ${kiloTokens(entry.tokensBefore)}]` : undefined,
  model_change: (entry) => {
    const model = modelOfChange(entry);
    return model && `[model: ${oneLine(model.provider)}/${oneLine(model.modelId)}]`;
  },
  thinking_level_change: (entry) =>
    isKind(entry, "thinking_level_change")
      ? `[thinking: ${oneLine(entry.thinkingLevel) || "off"}]`
      : undefined,
  custom: (entry) =>
    isKind(entry, "custom") ? `[custom: ${oneLine(entry.customType)}]` : undefined,
  label: (entry) =>
    isKind(entry, "label") ? `[label: ${oneLine(entry.label) || "(cleared)"}]` : undefined,
  session_info: (entry) =>
    isKind(entry, "session_info") ? `[title: ${oneLine(entry.name) || "(empty)"}]` : undefined,
  mode_change: (entry) =>
    isKind(entry, "mode_change") ? `[mode: ${oneLine(entry.mode) || "none"}]` : undefined,
};

function kiloTokens(tokens: unknown): string {
  const count = typeof tokens === "number" && Number.isFinite(tokens) ? tokens : 0;
  return `${Math.round(count / 1000)}k tokens`;
}
