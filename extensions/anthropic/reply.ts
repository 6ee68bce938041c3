import type { Anthropic } from "@anthropic-ai/sdk";
import { type AssistantMessageEvent, costOf, emptyUsage } from "coppice/ai";
import type {
  AssistantMessage,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  Usage,
} from "coppice/core";
import type { ModelFacts } from "./models.ts";

type Block = TextBlock | ThinkingBlock | ToolCallBlock;

/** Turns the events of the API into those of a reply, and holds the reply as far as it has come. */
export class Reply {
  readonly #facts: ModelFacts;
  readonly #timestamp: number;
  readonly #blocks: Block[] = [];
  /** Position in the reply of each block that the API numbers. */
  readonly #positions = new Map<number, number>();
  /** JSON of the arguments of calls that are not complete. */
  readonly #json = new Map<number, string>();
  #counts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #stop: Anthropic.RawMessageDeltaEvent.Delta | undefined;
  #complete = false;

  constructor(facts: ModelFacts, timestamp: number) {
    this.#facts = facts;
    this.#timestamp = timestamp;
  }

  /** Whether the API has said that the reply is complete; servers may leave out its last event. */
  get complete(): boolean {
    return this.#complete || Boolean(this.#stop?.stop_reason);
  }

  /** Why the reply ended, in the API's words. */
  get stop(): Anthropic.RawMessageDeltaEvent.Delta | undefined {
    return this.#stop;
  }

  /** The reply as it ended; calls whose arguments have not all come are left out. */
  ended(stopReason: StopReason, errorMessage?: string): AssistantMessage {
    const partial = this.#partial();
    return {
      ...partial,
      content: partial.content.filter((_, index) => !this.#json.has(index)),
      stopReason,
      ...(errorMessage !== undefined && { errorMessage }),
    };
  }

  /** Takes one event of the API; gives the event of the reply, if it makes one. */
  take(event: Anthropic.RawMessageStreamEvent): AssistantMessageEvent | undefined {
    switch (event.type) {
      case "message_start":
        this.#count(event.message.usage);
        return { type: "start", partial: this.#partial() };
      case "content_block_start":
        return this.#startBlock(event);
      case "content_block_delta":
        return this.#extendBlock(event);
      case "content_block_stop":
        return this.#endBlock(event);
      case "message_delta":
        this.#count(event.usage);
        this.#stop = event.delta;
        return undefined;
      case "message_stop":
        this.#complete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  #partial(): AssistantMessage {
    const { id: model, provider, api } = this.#facts.model;
    return {
      role: "assistant",
      content: [...this.#blocks],
      api,
      provider,
      model,
      usage: this.#usage(),
      stopReason: "stop",
      timestamp: this.#timestamp,
    };
  }

  #startBlock({ index, content_block }: Anthropic.RawContentBlockStartEvent) {
    const block = blockOf(content_block);
    if (!block) return undefined;
    const contentIndex = this.#blocks.push(block) - 1;
    this.#positions.set(index, contentIndex);
    if (block.type === "toolCall") this.#json.set(contentIndex, "");
    return { type: START[block.type], contentIndex, partial: this.#partial() } as const;
  }

  #extendBlock({ index, delta }: Anthropic.RawContentBlockDeltaEvent) {
    const contentIndex = this.#positions.get(index);
    const block = contentIndex === undefined ? undefined : this.#blocks[contentIndex];
    if (contentIndex === undefined || !block) return undefined;
    if (delta.type === "input_json_delta" && block.type === "toolCall") {
      this.#json.set(contentIndex, (this.#json.get(contentIndex) ?? "") + delta.partial_json);
      return this.#step("toolcall_delta", contentIndex, delta.partial_json);
    }
    const extended = extend(block, delta);
    if (!extended) return undefined;
    this.#blocks[contentIndex] = extended;
    if (delta.type === "text_delta") return this.#step("text_delta", contentIndex, delta.text);
    return delta.type === "thinking_delta"
      ? this.#step("thinking_delta", contentIndex, delta.thinking)
      : undefined;
  }

  #step(
    type: "text_delta" | "thinking_delta" | "toolcall_delta",
    contentIndex: number,
    delta: string,
  ): AssistantMessageEvent {
    return { type, contentIndex, delta, partial: this.#partial() };
  }

  #endBlock({ index }: Anthropic.RawContentBlockStopEvent): AssistantMessageEvent | undefined {
    const contentIndex = this.#positions.get(index);
    const block = contentIndex === undefined ? undefined : this.#blocks[contentIndex];
    if (contentIndex === undefined || !block) return undefined;
    if (block.type === "toolCall") return this.#endCall(contentIndex, block);
    const partial = this.#partial();
    return block.type === "text"
      ? { type: "text_end", contentIndex, content: block.text, partial }
      : { type: "thinking_end", contentIndex, content: block.thinking, partial };
  }

  /** A call whose arguments are no JSON object stays incomplete. */
  #endCall(contentIndex: number, block: ToolCallBlock): AssistantMessageEvent | undefined {
    const json = this.#json.get(contentIndex) ?? "";
    const args = json.trim() === "" ? block.arguments : parseArguments(json);
    if (!args) return undefined;
    const toolCall = { ...block, arguments: args };
    this.#blocks[contentIndex] = toolCall;
    this.#json.delete(contentIndex);
    return { type: "toolcall_end", contentIndex, toolCall, partial: this.#partial() };
  }

  #count(usage: Anthropic.Usage | Anthropic.MessageDeltaUsage): void {
    const before = this.#counts;
    this.#counts = {
      input: usage.input_tokens || before.input,
      output: usage.output_tokens || before.output,
      cacheRead: usage.cache_read_input_tokens || before.cacheRead,
      cacheWrite: usage.cache_creation_input_tokens || before.cacheWrite,
    };
  }

  #usage(): Usage {
    const counts = this.#counts;
    const prompt = counts.input + counts.cacheRead + counts.cacheWrite;
    const totalTokens = prompt + counts.output;
    if (totalTokens === 0) return emptyUsage;
    const { longPrompt, model } = this.#facts;
    const prices = longPrompt && prompt > longPrompt.above ? longPrompt : model;
    return { ...counts, totalTokens, cost: costOf(prices, { ...counts, totalTokens }) };
  }
}

const START = {
  text: "text_start",
  thinking: "thinking_start",
  toolCall: "toolcall_start",
} as const;

function blockOf(block: Anthropic.ContentBlock): Block | undefined {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "thinking", thinking: block.thinking, thinkingSignature: block.signature };
    case "redacted_thinking":
      return { type: "thinking", thinking: "", thinkingSignature: block.data, redacted: true };
    case "tool_use":
      return {
        type: "toolCall",
        id: block.id,
        name: block.name,
        arguments: (block.input ?? {}) as ToolCallBlock["arguments"],
      };
    default:
      return undefined;
  }
}

function extend(block: Block, delta: Anthropic.RawContentBlockDelta): Block | undefined {
  if (delta.type === "text_delta" && block.type === "text") {
    return { ...block, text: block.text + delta.text };
  }
  if (block.type !== "thinking") return undefined;
  if (delta.type === "thinking_delta") {
    return { ...block, thinking: block.thinking + delta.thinking };
  }
  if (delta.type !== "signature_delta") return undefined;
  return { ...block, thinkingSignature: (block.thinkingSignature ?? "") + delta.signature };
}

function parseArguments(json: string): ToolCallBlock["arguments"] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as ToolCallBlock["arguments"]) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
