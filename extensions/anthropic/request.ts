import type { Anthropic } from "@anthropic-ai/sdk";
import type { Model, ModelContext } from "coppice/ai";
import type {
  AssistantMessage,
  ImageBlock,
  LlmMessage,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultMessage,
} from "coppice/core";
import { WireIds } from "./wire-ids.ts";

type Param = Anthropic.MessageParam;
type UserBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

export interface RequestOptions {
  /** Whether thinking of earlier replies is sent back; only the model that thought it can read it. */
  readonly sendThinking: boolean;
}

/** The part of a request that is the conversation: system prompt, tools and messages. */
export function conversationParams(model: Model, context: ModelContext, options: RequestOptions) {
  const messages = messageParams(model, context.messages, options);
  const tools = (context.tools ?? []).map(toolParam);
  const system = context.systemPrompt?.trim() ? [cached(textParam(context.systemPrompt))] : [];
  markForCache(messages);
  return {
    messages,
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && { tools: system.length > 0 ? tools : markLast(tools) }),
  };
}

/** Whether any reply holds thinking that `model` would get back. */
export function hasThinking(model: Model, messages: readonly LlmMessage[]): boolean {
  return messages.some(
    (message) =>
      message.role === "assistant" &&
      isOwn(model, message) &&
      message.content.some((block) => block.type === "thinking" && block.thinkingSignature),
  );
}

function messageParams(
  model: Model,
  messages: readonly LlmMessage[],
  options: RequestOptions,
): Param[] {
  const ids = new WireIds();
  const params: Param[] = [];
  for (const message of messages) {
    const param = messageParam(model, message, options, ids);
    const last = params.at(-1);
    if (message.role === "toolResult" && last?.role === "user" && holdsResults(last)) {
      (last.content as Anthropic.ContentBlockParam[]).push(...(param.content as []));
    } else if (param.content.length > 0) params.push(param);
  }
  if (params[0]?.role === "assistant") params.unshift(userParam([textParam("(continued)")]));
  return params;
}

function messageParam(
  model: Model,
  message: LlmMessage,
  options: RequestOptions,
  ids: WireIds,
): Param {
  switch (message.role) {
    case "assistant":
      return { role: "assistant", content: replyBlocks(model, message, options, ids) };
    case "toolResult":
      return userParam([resultBlock(model, message, ids)]);
    default:
      return userParam(userBlocks(model, message.content));
  }
}

function userParam(content: Anthropic.ContentBlockParam[]): Param {
  return { role: "user", content };
}

function holdsResults({ content }: Param): boolean {
  return Array.isArray(content) && content.every((block) => block.type === "tool_result");
}

function replyBlocks(
  model: Model,
  message: AssistantMessage,
  { sendThinking }: RequestOptions,
  ids: WireIds,
): Anthropic.ContentBlockParam[] {
  const withThinking = sendThinking && isOwn(model, message);
  return message.content.flatMap((block): Anthropic.ContentBlockParam[] => {
    if (block.type === "text") return textBlocks(block.text);
    if (block.type === "toolCall") return [callBlock(block, ids)];
    return withThinking ? thinkingBlocks(block) : [];
  });
}

function isOwn(model: Model, message: AssistantMessage): boolean {
  return message.provider === model.provider && message.model === model.id;
}

/** Thinking goes back exactly as it came, also with empty text; without a signature it cannot. */
function thinkingBlocks(block: ThinkingBlock): Anthropic.ContentBlockParam[] {
  const { thinking, thinkingSignature: signature, redacted } = block;
  if (!signature) return [];
  return redacted
    ? [{ type: "redacted_thinking", data: signature }]
    : [{ type: "thinking", thinking, signature }];
}

function callBlock(call: ToolCallBlock, ids: WireIds): Anthropic.ToolUseBlockParam {
  const isObject = typeof call.arguments === "object" && !Array.isArray(call.arguments);
  const input = isObject ? (call.arguments ?? {}) : {};
  return { type: "tool_use", id: ids.ofCall(call.id), name: call.name, input };
}

function resultBlock(
  model: Model,
  message: ToolResultMessage,
  ids: WireIds,
): Anthropic.ToolResultBlockParam {
  const content = userBlocks(model, message.content);
  return {
    type: "tool_result",
    tool_use_id: ids.ofResult(message.toolCallId),
    is_error: message.isError === true,
    ...(content.length > 0 && { content }),
  };
}

function userBlocks(
  model: Model,
  content: string | readonly (TextBlock | ImageBlock)[],
): UserBlock[] {
  if (typeof content === "string") return textBlocks(content);
  return content.flatMap((block) =>
    block.type === "text" ? textBlocks(block.text) : [imageParam(model, block)],
  );
}

/** The API refuses blank text. */
function textBlocks(text: string): Anthropic.TextBlockParam[] {
  return text.trim() === "" ? [] : [textParam(text)];
}

function textParam(text: string): Anthropic.TextBlockParam {
  return { type: "text", text };
}

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

function imageParam(model: Model, { data, mimeType }: ImageBlock): UserBlock {
  if (!model.input.includes("image") || !IMAGE_TYPES.has(mimeType)) {
    return textParam(`[An image (${mimeType}) is left out: the model does not take it.]`);
  }
  const media_type = mimeType as Anthropic.Base64ImageSource["media_type"];
  return { type: "image", source: { type: "base64", media_type, data } };
}

function toolParam({
  name,
  description,
  parameters,
}: NonNullable<ModelContext["tools"]>[number]): Anthropic.Tool {
  const input_schema = { ...parameters, type: "object" as const };
  return { name, description, input_schema };
}

function cached<T extends object>(block: T): T {
  return { ...block, cache_control: { type: "ephemeral" } };
}

function markLast<T extends object>(blocks: readonly T[]): T[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? cached(block) : block));
}

/**
 * Marks the end of the last two user messages: what comes before the second was written to the
 * cache by the request before, what comes before the last will be read by the next.
 */
function markForCache(params: Param[]): void {
  const users = params.filter(({ role }) => role === "user").slice(-2);
  for (const param of users) {
    if (Array.isArray(param.content)) param.content = markLast(param.content);
  }
}
