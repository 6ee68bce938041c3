import type { AgentMessage, SessionManager } from "../core/index.ts";
import type { BranchResult, ContextUsage, NavigateTreeOptions, NavigateTreeResult } from "./api.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { Model, ThinkingLevel } from "./model-types.ts";
import type { Activity, SessionEvent } from "./session-events.ts";
import type { Following, NewSessionOptions } from "./with-session.ts";

/** Where a branch is cut: before a user message, or at any entry (extensions spec §2.5). */
export interface BranchOptions {
  /** `"at"`: the path through the entry, of whatever kind, and no text. */
  readonly position?: "before" | "at";
}

/** What calls of extensions and a screen do with the running conversation. */
export interface SessionControl {
  readonly sessionManager: SessionManager;
  readonly activity: Activity;
  /** The agent's messages: what the next turn sends. */
  readonly messages: readonly AgentMessage[];
  readonly model: Model | undefined;
  /** Which model is used and why. */
  readonly modelChoice: ModelChoice;
  readonly thinkingLevel: ThinkingLevel;
  /** The signal of the running turn. */
  readonly signal: AbortSignal | undefined;
  announce(event: SessionEvent): void;
  /** Stops the running reply or move. */
  abort(): void;
  waitForIdle(): Promise<void>;
  navigateTree(targetId: string, options?: NavigateTreeOptions): Promise<NavigateTreeResult>;
  navigateBack(): Promise<NavigateTreeResult | undefined>;
  branch(entryId: string, options?: BranchOptions & Following): Promise<BranchResult>;
  newSession(options?: Following & NewSessionOptions): Promise<{ readonly cancelled: boolean }>;
  switchSession(path: string, options?: Following): Promise<{ readonly cancelled: boolean }>;
  setModel(model: Model): Promise<boolean>;
  unsetModel(): void;
  setThinkingLevel(level: ThinkingLevel): void;
  setName(name: string): void;
  contextUsage(): ContextUsage | undefined;
}
