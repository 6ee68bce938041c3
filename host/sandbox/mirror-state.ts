import type { Diagnostic, RecordRow, SessionHeader } from "../../core/index.ts";
import type { CommandInfo, ContextUsage, ToolInfo } from "../api.ts";
import type { Model, ThinkingLevel } from "../model-types.ts";

/** A provider as a guest sees it: never a secret. */
export interface ProviderState {
  readonly title: string;
  readonly configured: boolean;
  readonly hint?: string;
}

/** What a guest reads without asking, by name (sandbox spec §7). Values are JSON. */
export interface MirrorState {
  readonly phase: "loading" | "active" | "ended";
  /** Permissions the package holds. */
  readonly granted: readonly string[];
  readonly mode: string;
  readonly hasUI: boolean;
  readonly model: Model | null;
  readonly thinkingLevel: ThinkingLevel;
  readonly activity: string;
  /** The running agent's signal by its number. */
  readonly signal: number | null;
  readonly usage: ContextUsage | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly commands: readonly CommandInfo[];
  readonly tools: readonly ToolInfo[];
  readonly activeTools: readonly string[];
  readonly models: readonly Model[];
  readonly providers: Readonly<Record<string, ProviderState>>;
  readonly editorText: string;
  /** Number of the last write that the host has done, or refused. */
  readonly ack: number;
  readonly header: SessionHeader;
  readonly name: string | null;
  readonly version: number;
  readonly isPersisted: boolean;
  readonly readOnly: string | null;
  readonly file: string | null;
  readonly dir: string | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly leafId: string | null;
  /** Number of entries if they are too many to be copied; else 0. */
  readonly tooLarge: number;
}

/** What has changed since the last one. */
export type MirrorDifference = Partial<MirrorState> & {
  readonly session?: SessionDifference;
  /** Signals that the host will not fire any more. */
  readonly forget?: readonly number[];
};

/** Entries from a position on; what the guest had there is replaced. */
export interface SessionDifference {
  /** Changes with the session. */
  readonly epoch: number;
  readonly from: number;
  readonly rows: readonly RecordRow[];
  readonly lines: readonly string[];
  readonly facts: {
    readonly header: SessionHeader;
    readonly version: number;
    readonly readOnly: string | null;
    readonly isPersisted: boolean;
    readonly file?: string;
    readonly dir?: string;
  };
}
