import { convertToLlm } from "./convert.ts";
import { TOOL_RESULT_LIMIT } from "./estimate.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  contentBlocks,
  contentText,
  type LlmMessage,
  type ToolCallBlock,
} from "./messages.ts";

/**
 * A conversation as text for a summariser: parts such as `[User]: …`, joined by a blank line
 * (session tree §9.5). Tool results are cut, nothing else is; images and developer messages are
 * left out. Takes agent messages, or what {@link convertToLlm} made of them.
 */
export function serializeConversation(messages: readonly AgentMessage[]): string {
  return convertToLlm(messages, { resolveImage: (reference) => reference })
    .flatMap(parts)
    .join("\n\n");
}

function parts(message: LlmMessage): string[] {
  switch (message.role) {
    case "user":
      return part("User", contentText(message.content));
    case "assistant":
      return assistantParts(message);
    case "toolResult":
      return part("Tool result", cutResult(contentText(message.content)));
    default:
      return [];
  }
}

function part(title: string, text: string): string[] {
  return text.trim() === "" ? [] : [`[${title}]: ${text}`];
}

function assistantParts(message: AssistantMessage): string[] {
  const blocks = contentBlocks(message.content);
  const thinking = blocks
    .map((block) => (block.type === "thinking" ? asText(block.thinking) : ""))
    .filter((text) => text.trim() !== "");
  const calls = blocks.filter((block) => block.type === "toolCall").map(callText);
  return [
    ...part("Assistant thinking", thinking.join("\n")),
    ...part("Assistant", contentText(message.content)),
    ...part("Assistant tool calls", calls.join("; ")),
  ];
}

function callText(call: ToolCallBlock): string {
  const args = Object.entries(call.arguments ?? {});
  return `${call.name}(${args.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(", ")})`;
}

function cutResult(text: string): string {
  const rest = text.length - TOOL_RESULT_LIMIT;
  if (rest <= 0) return text;
  return `${text.slice(0, TOOL_RESULT_LIMIT)}\n[${rest} more characters were cut]`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
