import type {
  AssistantMessage,
  LlmMessage,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
} from "../core/index.ts";

/** How much a model may think before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

export const THINKING_LEVELS: readonly ThinkingLevel[] = [
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
];

/** A model as a provider offers it. */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** Name of the wire protocol, such as `anthropic-messages`. */
  readonly api: string;
  readonly baseUrl?: string;
  readonly reasoning: boolean;
  readonly input: readonly ("text" | "image")[];
  /** US dollars per million tokens. */
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  /** Tokens. */
  readonly contextWindow: number;
  /** Largest output in tokens. */
  readonly maxTokens: number;
}

/** A tool as the model is told of it; `parameters` is a JSON Schema. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a model is asked: already converted and repaired (session tree §11.2, §11.3). */
export interface ModelContext {
  readonly systemPrompt?: string;
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly Tool[];
}

export interface StreamOptions {
  readonly signal?: AbortSignal;
  readonly maxTokens?: number;
  /** Absent or `off`: no thinking is asked for. */
  readonly reasoning?: ThinkingLevel;
  /** Names the conversation, for providers that cache by it. */
  readonly sessionId?: string;
}

/** One step of a reply. `partial` is the message as far as it has come; the last event is `done` or `error`. */
export type AssistantMessageEvent =
  | { readonly type: "start"; readonly partial: AssistantMessage }
  | {
      readonly type: "text_start";
      readonly contentIndex: number;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "text_delta";
      readonly contentIndex: number;
      readonly delta: string;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "text_end";
      readonly contentIndex: number;
      readonly content: TextBlock["text"];
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "thinking_start";
      readonly contentIndex: number;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "thinking_delta";
      readonly contentIndex: number;
      readonly delta: string;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "thinking_end";
      readonly contentIndex: number;
      readonly content: ThinkingBlock["thinking"];
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "toolcall_start";
      readonly contentIndex: number;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "toolcall_delta";
      readonly contentIndex: number;
      readonly delta: string;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "toolcall_end";
      readonly contentIndex: number;
      readonly toolCall: ToolCallBlock;
      readonly partial: AssistantMessage;
    }
  | {
      readonly type: "done";
      readonly reason: "stop" | "length" | "toolUse";
      readonly message: AssistantMessage;
    }
  | {
      readonly type: "error";
      readonly reason: "aborted" | "error";
      readonly error: AssistantMessage;
    };

/**
 * A reply as it comes: iterate over its events, or wait for `result()`. An error or abort of the
 * model is an event and a message with that stop reason, never a rejection.
 */
export interface AssistantMessageEventStream extends AsyncIterable<AssistantMessageEvent> {
  push(event: AssistantMessageEvent): void;
  end(): void;
  result(): Promise<AssistantMessage>;
}

/** What `registerProvider` takes. */
export interface ProviderConfig {
  /** Shown in lists and messages. */
  readonly title?: string;
  /** Models known without asking anybody. */
  readonly models: readonly Model[];
  /** Asks the provider for its models; the result replaces `models`. Not called at start. */
  refresh?(): Promise<readonly Model[]>;
  /** A model that is not listed but could be called; `undefined` if there can be none of this id. */
  describe?(modelId: string): Model | undefined;
  /** Whether a call could be made now: a key is there, or none is needed. Read at each use. */
  hasCredentials(): boolean;
  /** One line that tells how to supply credentials. */
  readonly credentialsHint?: string;
  /** Larger comes first when no model is chosen; a provider that is the last resort is negative. */
  readonly priority?: number;
  streamSimple(
    model: Model,
    context: ModelContext,
    options?: StreamOptions,
  ): AssistantMessageEventStream;
}
