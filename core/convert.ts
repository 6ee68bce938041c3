import {
  type AgentMessage,
  type BashExecutionMessage,
  type ContentBlock,
  contentBlocks,
  type FileMentionMessage,
  type ImageBlock,
  type LlmMessage,
  mentionedFiles,
  messageText,
  type TextBlock,
  type UserMessage,
} from "./messages.ts";

export interface ConvertOptions {
  /**
   * Gives the base64 data behind an image's data reference (`blob:…`), or `undefined` if it is not
   * there. Without it no reference can be resolved.
   */
  resolveImage?(reference: string): string | undefined;
}

type UserBlock = TextBlock | ImageBlock;

/**
 * What a model is told: one message per agent message, or none (session tree §11.2). Developer
 * messages keep their role; a provider without it sends them as user. Converting twice changes
 * nothing, and no message that comes in is mutated.
 */
export function convertToLlm(
  messages: readonly AgentMessage[],
  options: ConvertOptions = {},
): LlmMessage[] {
  return messages.flatMap((message) => convert(message, options) ?? []);
}

function convert(message: AgentMessage, options: ConvertOptions): LlmMessage | undefined {
  switch (message.role) {
    case "user":
    case "developer":
      return typeof message.content === "string"
        ? message
        : { ...message, content: userBlocks(message.content, options) };
    case "assistant":
      return { ...message, content: contentBlocks(message.content).filter(isReplyBlock) };
    case "toolResult":
      return { ...message, content: userBlocks(message.content, options) };
    case "custom":
    case "hookMessage":
      return userMessage(message, userBlocks(message.content, options));
    case "branchSummary":
      return userMessage(message, [summaryBlock(BRANCH_LEAD_IN, messageText(message))]);
    case "compactionSummary":
      return userMessage(message, [summaryBlock(COMPACTION_LEAD_IN, messageText(message))]);
    case "bashExecution":
      if (message.excludeFromContext) return undefined;
      return userMessage(message, [textBlock(bashText(message))]);
    case "pythonExecution":
      return userMessage(message, [
        textBlock(`Ran this Python code:\n${fenced(message.code)}\n${outputText(message.output)}`),
      ]);
    case "fileMention":
      return userMessage(message, fileBlocks(message, options));
    default:
      return undefined;
  }
}

function isReplyBlock(block: ContentBlock): block is Exclude<ContentBlock, ImageBlock> {
  return block.type === "text" || block.type === "thinking" || block.type === "toolCall";
}

const BRANCH_LEAD_IN =
  "This is a summary of another branch of this conversation, which was explored and then left:";
const COMPACTION_LEAD_IN =
  "This is a summary of the earlier part of this conversation, which is no longer shown in full:";

function summaryBlock(leadIn: string, summary: string): TextBlock {
  return textBlock(`${leadIn}\n\n<summary>\n${summary}\n</summary>`);
}

function userMessage(
  { timestamp }: { readonly timestamp: number },
  content: UserBlock[],
): UserMessage {
  return { role: "user", content, timestamp };
}

function textBlock(text: string): TextBlock {
  return { type: "text", text };
}

function userBlocks(content: unknown, options: ConvertOptions): UserBlock[] {
  return contentBlocks(content).flatMap((block): UserBlock[] => {
    if (block.type === "text") return typeof block.text === "string" ? [block] : [];
    return block.type === "image" ? [imageBlock(block, options)] : [];
  });
}

function imageBlock(image: ImageBlock, options: ConvertOptions): UserBlock {
  if (typeof image.data !== "string") return unavailable(image);
  if (!image.data.startsWith("blob:")) return image;
  const data = options.resolveImage?.(image.data);
  return data === undefined ? unavailable(image) : { ...image, data };
}

function unavailable({ mimeType }: ImageBlock): TextBlock {
  const kind = typeof mimeType === "string" ? ` (${mimeType})` : "";
  return textBlock(`[An image${kind} stood here; it is unavailable.]`);
}

function bashText(message: BashExecutionMessage): string {
  const lines = [`Ran this command:\n${fenced(message.command)}`, outputText(message.output)];
  if (message.cancelled) lines.push("The command was cancelled.");
  else if (message.exitCode) lines.push(`The command ended with exit code ${message.exitCode}.`);
  if (message.truncated) {
    const rest = message.fullOutputPath ? `; all of it is in ${message.fullOutputPath}` : "";
    lines.push(`The output was truncated${rest}.`);
  }
  return lines.join("\n");
}

function outputText(output: unknown): string {
  return typeof output === "string" && output.trim() !== ""
    ? `It printed:\n${fenced(output)}`
    : "It printed nothing.";
}

/** A fence longer than any run of back quotes inside, so that the text cannot close it. */
function fenced(text: unknown): string {
  const body = typeof text === "string" ? text : "";
  const runs = body.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${body}${body.endsWith("\n") ? "" : "\n"}${fence}`;
}

function fileBlocks(message: FileMentionMessage, options: ConvertOptions): UserBlock[] {
  const files = mentionedFiles(message);
  const texts = files.map((file) => textBlock(`File ${file.path}:\n${fenced(file.content)}`));
  const images = files.flatMap((file) => (file.image ? [imageBlock(file.image, options)] : []));
  return [...texts, ...images];
}
