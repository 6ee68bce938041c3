/** Text written by a person, a model or a tool. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  /** Opaque proof of the provider that the thinking is its own; sent back unchanged. */
  readonly thinkingSignature?: string;
  readonly redacted?: boolean;
}

/** `data` is base64, or omp's `blob:sha256:<64 hex>` (session tree §2.5). */
export interface ImageBlock {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface ToolCallBlock {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export type ContentBlock = TextBlock | ThinkingBlock | ImageBlock | ToolCallBlock;

/** Money in US dollars. */
export interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

/** Tokens of one reply. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly cost: Cost;
}

export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  readonly timestamp: number;
}

export interface DeveloperMessage {
  readonly role: "developer";
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  readonly timestamp: number;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextBlock | ThinkingBlock | ToolCallBlock)[];
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  readonly errorMessage?: string;
  readonly timestamp: number;
}

export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly isError: boolean;
  readonly details?: unknown;
  readonly timestamp: number;
}

export interface CustomMessage {
  readonly role: "custom" | "hookMessage";
  readonly customType: string;
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  readonly display: boolean;
  readonly details?: unknown;
  readonly timestamp: number;
}

export interface BashExecutionMessage {
  readonly role: "bashExecution";
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

export interface PythonExecutionMessage {
  readonly role: "pythonExecution";
  readonly code: string;
  readonly output: string;
  readonly timestamp: number;
}

export interface FileMentionMessage {
  readonly role: "fileMention";
  readonly files: readonly {
    readonly path: string;
    readonly content: string;
    readonly image?: ImageBlock;
  }[];
  readonly timestamp: number;
}

export interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  readonly fromId?: string;
  readonly timestamp: number;
}

export interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** A message of the agent: what a context holds (session tree §2.4, §11.1). */
export type AgentMessage =
  | UserMessage
  | DeveloperMessage
  | AssistantMessage
  | ToolResultMessage
  | CustomMessage
  | BashExecutionMessage
  | PythonExecutionMessage
  | FileMentionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

/** A message as a model provider takes it (session tree §11.2). */
export type LlmMessage = UserMessage | DeveloperMessage | AssistantMessage | ToolResultMessage;

/** The blocks of a `content` that may be a string, a list, absent or `null` (session tree §2.4). */
export function contentBlocks(content: unknown): readonly ContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(
    (block): block is ContentBlock => typeof block === "object" && block !== null,
  );
}

/** The text of a `content`: the string, or its text blocks joined without separator. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return contentBlocks(content)
    .map((block) => (block.type === "text" && typeof block.text === "string" ? block.text : ""))
    .join("");
}

/** The text of a message: its content, summary, command or code. */
export function messageText(message: AgentMessage): string {
  switch (message.role) {
    case "bashExecution":
      return asText(message.command);
    case "pythonExecution":
      return asText(message.code);
    case "branchSummary":
    case "compactionSummary":
      return asText(message.summary);
    case "fileMention":
      return "";
    default:
      return contentText(message.content);
  }
}

/** The tool calls of a message, in order. */
export function toolCalls(message: AgentMessage): readonly ToolCallBlock[] {
  if (message.role !== "assistant") return [];
  return contentBlocks(message.content).filter((block) => block.type === "toolCall");
}

/** The files that a message mentions, each an object; what else stands in the list is left out. */
export function mentionedFiles({ files }: FileMentionMessage): FileMentionMessage["files"] {
  return Array.isArray(files) ? files.filter((file) => typeof file === "object" && file) : [];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
