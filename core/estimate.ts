import { type AgentMessage, type ContentBlock, contentBlocks, mentionedFiles } from "./messages.ts";

/** Characters that an image counts for. */
const IMAGE_CHARACTERS = 4800;

/** Characters of a tool result that enter a branch summary (session tree §9.5). */
export const TOOL_RESULT_LIMIT = 2000;

/** Tokens of a text: UTF-16 units / 4, rounded up. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Estimated tokens of a message (session tree §9.2). */
export function estimateTokens(message: AgentMessage): number {
  return Math.ceil(characters(message, IMAGE_CHARACTERS) / 4);
}

/**
 * Estimated tokens of a message in a branch summary: images count nothing, a tool result only as
 * far as it is told (session tree §9.2).
 */
export function estimateSummaryTokens(message: AgentMessage): number {
  const count = characters(message, 0);
  return Math.ceil(
    (message.role === "toolResult" ? Math.min(count, TOOL_RESULT_LIMIT) : count) / 4,
  );
}

function characters(message: AgentMessage, image: number): number {
  switch (message.role) {
    case "bashExecution":
      return length(message.command) + length(message.output);
    case "pythonExecution":
      return length(message.code) + length(message.output);
    case "branchSummary":
    case "compactionSummary":
      return length(message.summary);
    case "fileMention":
      return mentionedFiles(message).reduce(
        (sum, file) => sum + length(file.path) + length(file.content) + (file.image ? image : 0),
        0,
      );
    default:
      return contentBlocks(message.content).reduce((sum, block) => sum + ofBlock(block, image), 0);
  }
}

function ofBlock(block: ContentBlock, image: number): number {
  switch (block.type) {
    case "text":
      return length(block.text);
    case "thinking":
      return length(block.thinking);
    case "toolCall":
      return length(block.name) + length(JSON.stringify(block.arguments));
    case "image":
      return image;
    default:
      return 0;
  }
}

function length(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
