import type {
  AssistantMessage,
  BranchSummaryEntry,
  SessionManager as CoreSessionManager,
  Diagnostic,
  IndexRow,
  SessionContext,
  SessionEntry,
  SessionHeader,
  SessionTreeNode,
} from "../core/index.ts";
import type { ContributionPoint, Contributions, PickEntryOptions } from "./contributions-types.ts";
import type { EventName, EventPayload, EventResult } from "./events.ts";
import type { FlagOptions, FlagValue } from "./flags-types.ts";
import type {
  AssistantMessageEventStream,
  Model,
  ModelContext,
  ProviderConfig,
  StreamOptions,
  ThinkingLevel,
} from "./model-types.ts";
import type { Panel } from "./panel.ts";
import type { ToolDefinition, ToolInfo } from "./tools-types.ts";

export { CoppiceError } from "../core/index.ts";
export type * from "./contributions-types.ts";
export type * from "./events.ts";
export type { FlagOptions, FlagValue } from "./flags-types.ts";
export type * from "./model-types.ts";
export type * from "./panel.ts";
export { SessionManager } from "./session-manager-statics.ts";
export type * from "./tools-types.ts";

/** Removes one registration. Idempotent; does nothing in a dead instance. */
export type Undo = () => void;

/** An extension is the default export of a module (extensions spec §1.1). */
export type ExtensionFactory = (api: ExtensionAPI) => void | Promise<void>;

export type EventHandler<E extends EventName> = (
  event: EventPayload<E>,
  ctx: ExtensionContext,
) => EventResult<E> | undefined | Promise<EventResult<E> | undefined>;

export interface AutocompleteItem {
  readonly value: string;
  readonly label?: string;
  readonly description?: string;
}

export interface CommandOptions {
  readonly description?: string;
  getArgumentCompletions?(
    prefix: string,
    ctx: ExtensionContext,
  ): readonly AutocompleteItem[] | null | Promise<readonly AutocompleteItem[] | null>;
  handler(args: string, ctx: ExtensionCommandContext): void | Promise<void>;
}

export interface ShortcutOptions {
  readonly description?: string;
  handler(ctx: ExtensionContext): void | Promise<void>;
}

export interface CommandInfo {
  readonly name: string;
  readonly description?: string;
  readonly source: "extension" | "prompt" | "skill";
  readonly sourceInfo: string;
}

/** What an extension's factory receives (extensions spec §2.3). */
export interface ExtensionAPI {
  /** Handles an event (extensions spec §2.2). Every name is accepted; an unknown one never fires. */
  on<E extends EventName>(event: E, handler: EventHandler<E>): Undo;
  on(event: string, handler: (event: never, ctx: ExtensionContext) => unknown): Undo;
  /** Whether a member (`"ctx.ui.select"`) or an event (`"on:context"`) works here. */
  supports(name: string): boolean;
  /** Adds to a point of the host (extensions spec §2.10). Raises INVALID_ARGUMENT for an unknown one. */
  contribute<P extends ContributionPoint>(point: P, value: Contributions[P]): Undo;
  /** A command `/name`; 1–64 characters without blank, control or `/`. */
  registerCommand(name: string, options: CommandOptions): Undo;
  registerShortcut(key: string, options: ShortcutOptions): Undo;
  /** A tool for the model (extensions spec §2.9). Raises INVALID_ARGUMENT for what can be none. */
  registerTool<Params = Readonly<Record<string, unknown>>>(tool: ToolDefinition<Params>): Undo;
  /** All tools, by the names that the model calls them by. */
  getAllTools(): readonly ToolInfo[];
  /** Names of those that the model is told of. */
  getActiveTools(): readonly string[];
  /** From now on exactly these are active, of those registered now; unknown names are ignored. */
  setActiveTools(names: readonly string[]): void;
  /** A flag of the command line; gives its undo. Raises INVALID_ARGUMENT for an unknown type. */
  registerFlag(name: string, options: FlagOptions): Undo;
  /** Its value, or its default; `undefined` for a flag that this extension has not registered. */
  getFlag(name: string): FlagValue | undefined;
  /** Kept, and not drawn yet: messages of the type look as others do. */
  registerMessageRenderer(customType: string, render: (...values: never[]) => unknown): Undo;
  /** Kept, and not drawn yet: entries of the type look as others do. */
  registerEntryRenderer(customType: string, render: (...values: never[]) => unknown): Undo;
  registerProvider(name: string, config: ProviderConfig): Undo;
  unregisterProvider(name: string): void;
  /** Stores state of the extension at the leaf. Types that begin with `coppice.` are refused. */
  appendEntry(customType: string, data?: unknown): void;
  /** Labels an entry; `undefined` or blank clears (session tree §6.4). Raises ENTRY_NOT_FOUND. */
  setLabel(entryId: string, label: string | undefined): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  getCommands(): readonly CommandInfo[];
  /** Uses a model from now on, or none; `false` if it has no credentials. */
  setModel(model: Model | undefined): Promise<boolean>;
  getThinkingLevel(): ThinkingLevel;
  /** Clamped to what the model can. */
  setThinkingLevel(level: ThinkingLevel): void;
}

export interface DialogOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

export interface SelectOption {
  readonly label: string;
  readonly description?: string;
}

/** What an extension can show and ask (extensions spec §2.6). Without a person it answers as there. */
export interface ExtensionUI {
  /** The label chosen, or `undefined`. */
  select(
    title: string,
    options: readonly (string | SelectOption)[],
    dialog?: DialogOptions,
  ): Promise<string | undefined>;
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
  editor(title: string, prefill?: string, dialog?: DialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  /** Lets the person choose an entry of the tree. */
  pickEntry(options: PickEntryOptions): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  setStatus(key: string, text: string | undefined): void;
  setWidget(key: string, lines: readonly string[] | undefined): void;
  setEditorText(text: string): void;
  getEditorText(): string;
  /** Shows a panel until it is done; `undefined` if it was closed without a value. */
  panel<M, T>(
    panel: Panel<M, T>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<T | undefined>;
}

/** Queries of the session; never a way to move the leaf or to write (extensions spec §2.7). */
export interface ReadonlySessionManager {
  getLeafId(): string | null;
  getLeafEntry(): SessionEntry | undefined;
  getEntry(id: string): SessionEntry | undefined;
  getEntries(): SessionEntry[];
  getChildren(parentId: string | null): SessionEntry[];
  getBranch(fromId?: string): SessionEntry[];
  getTree(): SessionTreeNode[];
  getIndex(): IndexRow[];
  getLabel(id: string): string | undefined;
  /** The label and the time of the label entry in force. */
  getLabelInForce(
    id: string,
  ): { readonly label: string; readonly timestamp: string | undefined } | undefined;
  /** Version of the format as it stands in the file. */
  getFileVersion(): number;
  getHeader(): SessionHeader;
  getSessionId(): string;
  getSessionFile(): string | undefined;
  getSessionDir(): string | undefined;
  getSessionName(): string | undefined;
  getCwd(): string;
  isPersisted(): boolean;
  isReadOnly(): boolean;
  getDiagnostics(): Diagnostic[];
  buildSessionContext(leafId?: string | null): SessionContext;
}

/** Models and calls to them (extensions spec §2.8). */
export interface ModelRegistry {
  find(provider: string, modelId: string): Model | undefined;
  getAll(): Model[];
  /** Models whose provider has credentials. */
  getAvailable(): Model[];
  hasConfiguredAuth(model: Model): boolean;
  getProviderDisplayName(provider: string): string;
  /** Whether the provider has credentials, and in one line how to supply them. */
  getProviderAuthStatus(provider: string): { readonly configured: boolean; readonly hint?: string };
  /** Asks a model and waits; an error or abort of it is a message with that stop reason. */
  complete(model: Model, context: ModelContext, options?: StreamOptions): Promise<AssistantMessage>;
  streamSimple(
    model: Model,
    context: ModelContext,
    options?: StreamOptions,
  ): AssistantMessageEventStream;
  /** Asks all providers for their models. */
  refresh(): Promise<void>;
}

export interface ContextUsage {
  readonly tokens: number | null;
  readonly contextWindow: number;
  readonly percent: number | null;
}

/** What every handler receives (extensions spec §2.4). Members are read at the moment of use. */
export interface ExtensionContext {
  readonly ui: ExtensionUI;
  readonly mode: "tui" | "rpc" | "json" | "print";
  /** Whether there is somebody to ask. */
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly sessionManager: ReadonlySessionManager;
  readonly modelRegistry: ModelRegistry;
  readonly model: Model | undefined;
  readonly thinkingLevel: ThinkingLevel | undefined;
  /** The running agent's signal. */
  readonly signal: AbortSignal | undefined;
  isIdle(): boolean;
  abort(): void;
  shutdown(): void;
  getContextUsage(): ContextUsage | undefined;
  /**
   * What extensions have contributed to a point, in display order. Functions of it may answer with a
   * promise, also where their owner answers at once.
   */
  getContributions<P extends ContributionPoint>(point: P): readonly Contributions[P][];
  /** One setting, from the layers of architecture §6; `undefined` if unset and without default. */
  getSetting(key: string): unknown;
}

export interface NavigateTreeOptions {
  /** The person wants a summary of what is left behind. */
  readonly summarize?: boolean;
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
  readonly signal?: AbortSignal;
  onProgress?(progress: { readonly text: string; readonly tokens: number }): void;
}

export interface NavigateTreeResult {
  readonly cancelled: boolean;
  readonly aborted?: boolean;
  readonly editorText?: string;
  readonly summaryEntry?: BranchSummaryEntry;
}

export type WithSession = (ctx: ExtensionCommandContext) => void | Promise<void>;

/** The appends and queries of a session that is not active yet (session tree §6.1, §6.2). */
export type WritableSessionManager = ReadonlySessionManager &
  Pick<CoreSessionManager, Extract<keyof CoreSessionManager, `append${string}`>>;

/** Fills a new session; its manager is dead when it settles. If it fails, the old session stays. */
export type SessionSetup = (sessionManager: WritableSessionManager) => void | Promise<void>;

export interface BranchResult {
  readonly cancelled: boolean;
  readonly selectedText?: string;
}

/** What a command receives beside the context (extensions spec §2.5); events never do. */
export interface ExtensionCommandContext extends ExtensionContext {
  waitForIdle(): Promise<void>;
  /** Moves inside the session file (session tree §8). */
  navigateTree(targetId: string, options?: NavigateTreeOptions): Promise<NavigateTreeResult>;
  /**
   * Back to exactly the leaf before the last move, also the root; used twice it returns (session
   * tree §14). `undefined` without an earlier move in this session.
   */
  navigateBack(): Promise<NavigateTreeResult | undefined>;
  /** Makes a new session file of the path before a user message (session tree §10). */
  branch(entryId: string, options?: { readonly withSession?: WithSession }): Promise<BranchResult>;
  fork(
    entryId: string,
    options?: { readonly position?: "before" | "at"; readonly withSession?: WithSession },
  ): Promise<BranchResult>;
  newSession(options?: {
    readonly parentSession?: string;
    readonly setup?: SessionSetup;
    readonly withSession?: WithSession;
  }): Promise<{ readonly cancelled: boolean }>;
  switchSession(
    path: string,
    options?: { readonly withSession?: WithSession },
  ): Promise<{ readonly cancelled: boolean }>;
}
