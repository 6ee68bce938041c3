import type {
  AgentMessage,
  AssistantMessage,
  BranchSummaryEntry,
  SessionEntry,
  ToolResultMessage,
} from "../core/index.ts";
import type { AssistantMessageEvent, Model, ThinkingLevel } from "./model-types.ts";
import type { ToolResult } from "./tools-types.ts";

/** What a move in the tree is about to do (session tree §8.3). */
export interface TreePreparation {
  readonly targetId: string;
  readonly oldLeafId: string | null;
  readonly commonAncestorId: string | null;
  /** All entries left behind, ancestor side first. */
  readonly entriesToSummarize: readonly SessionEntry[];
  readonly userWantsSummary: boolean;
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
}

export type SessionStartReason = "startup" | "reload" | "new" | "resume" | "fork";
export type SessionShutdownReason = "quit" | "reload" | "new" | "resume" | "fork";

export interface BranchSummaryResult {
  readonly summary: string;
  readonly details?: unknown;
}

/** A call of a tool: the name the model called, and the call's id. */
export interface ToolCallFacts {
  readonly toolName: string;
  readonly toolCallId: string;
}

/** Every event that is sent now: its payload and the results honoured (extensions spec §2.2). */
export interface ExtensionEvents {
  session_start: {
    readonly payload: {
      readonly reason: SessionStartReason;
      readonly previousSessionFile?: string;
    };
    readonly result: never;
  };
  session_shutdown: {
    readonly payload: {
      readonly reason: SessionShutdownReason;
      readonly targetSessionFile?: string;
    };
    readonly result: never;
  };
  session_before_switch: {
    readonly payload: { readonly reason: "new" | "resume"; readonly targetSessionFile?: string };
    readonly result: { readonly cancel?: boolean };
  };
  session_switch: {
    readonly payload: {
      readonly reason: "new" | "resume";
      readonly previousSessionFile: string | undefined;
    };
    readonly result: never;
  };
  session_before_branch: {
    readonly payload: { readonly entryId: string; readonly position: "before" | "at" };
    readonly result: { readonly cancel?: boolean; readonly skipConversationRestore?: boolean };
  };
  session_branch: {
    readonly payload: { readonly previousSessionFile: string | undefined };
    readonly result: never;
  };
  session_before_tree: {
    readonly payload: { readonly preparation: TreePreparation; readonly signal: AbortSignal };
    readonly result: {
      readonly cancel?: boolean;
      readonly summary?: BranchSummaryResult;
      readonly customInstructions?: string;
      readonly replaceInstructions?: boolean;
      readonly label?: string;
    };
  };
  summarize_branch: {
    readonly payload: {
      readonly preparation: TreePreparation;
      readonly signal: AbortSignal;
      /** Tells the person how far the summary has come. */
      readonly onProgress: (progress: { text: string; tokens: number }) => void;
    };
    readonly result: BranchSummaryResult;
  };
  session_tree: {
    readonly payload: {
      readonly newLeafId: string | null;
      readonly oldLeafId: string | null;
      readonly summaryEntry?: BranchSummaryEntry;
      readonly fromExtension?: boolean;
    };
    readonly result: never;
  };
  session_info_changed: {
    readonly payload: { readonly name: string | undefined };
    readonly result: never;
  };
  input: {
    readonly payload: {
      readonly text: string;
      readonly source: "interactive" | "rpc" | "extension";
    };
    readonly result:
      | { readonly action: "continue" }
      | { readonly action: "transform"; readonly text: string }
      | { readonly action: "handled" };
  };
  context: {
    readonly payload: { readonly messages: readonly AgentMessage[] };
    readonly result: { readonly messages?: readonly AgentMessage[] };
  };
  agent_start: { readonly payload: object; readonly result: never };
  agent_end: {
    readonly payload: { readonly messages: readonly AgentMessage[] };
    readonly result: never;
  };
  turn_start: {
    readonly payload: { readonly turnIndex: number; readonly timestamp: number };
    readonly result: never;
  };
  turn_end: {
    readonly payload: {
      readonly turnIndex: number;
      readonly message: AssistantMessage;
      /** Results of its calls, in their order. */
      readonly toolResults: readonly ToolResultMessage[];
      readonly messageEntryId: string;
      readonly toolResultEntryIds: readonly string[];
    };
    readonly result: never;
  };
  tool_call: {
    readonly payload: ToolCallFacts & {
      /** May be changed in place, or given back: what the next handler and the tool see. */
      readonly input: Record<string, unknown>;
    };
    readonly result: {
      readonly block?: boolean;
      /** For the model, of a call that is blocked. */
      readonly reason?: string;
      readonly input?: Readonly<Record<string, unknown>>;
    };
  };
  tool_result: {
    readonly payload: ToolCallFacts & {
      readonly input: Readonly<Record<string, unknown>>;
      readonly content: ToolResult["content"];
      readonly details: unknown;
      readonly isError: boolean;
    };
    readonly result: Partial<Pick<ToolResult, "content" | "details" | "isError">>;
  };
  tool_execution_start: {
    readonly payload: ToolCallFacts & { readonly args: Readonly<Record<string, unknown>> };
    readonly result: never;
  };
  tool_execution_update: {
    readonly payload: ToolCallFacts & {
      readonly args: Readonly<Record<string, unknown>>;
      readonly partialResult: unknown;
    };
    readonly result: never;
  };
  tool_execution_end: {
    readonly payload: ToolCallFacts & { readonly result: ToolResult; readonly isError: boolean };
    readonly result: never;
  };
  message_start: { readonly payload: { readonly message: AgentMessage }; readonly result: never };
  message_update: {
    readonly payload: {
      readonly message: AgentMessage;
      readonly assistantMessageEvent: AssistantMessageEvent;
    };
    readonly result: never;
  };
  message_end: { readonly payload: { readonly message: AgentMessage }; readonly result: never };
  model_select: {
    readonly payload: {
      readonly model: Model;
      readonly previousModel?: Model;
      readonly source: "set" | "cycle" | "restore";
    };
    readonly result: never;
  };
  thinking_level_select: {
    readonly payload: { readonly level: ThinkingLevel; readonly previousLevel?: ThinkingLevel };
    readonly result: never;
  };
}

export type EventName = keyof ExtensionEvents;
export type EventPayload<E extends EventName> = {
  readonly type: E;
} & ExtensionEvents[E]["payload"];
export type EventResult<E extends EventName> = ExtensionEvents[E]["result"];
