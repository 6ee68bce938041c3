import {
  type AgentMessage,
  type Environment,
  estimateTokens,
  messageOf,
  messageText,
  type SessionContext,
  type SessionManager,
} from "../core/index.ts";
import { ActiveModel } from "./active-model.ts";
import type { BranchResult, ContextUsage, NavigateTreeOptions, NavigateTreeResult } from "./api.ts";
import { Conversation } from "./conversation.ts";
import type { ExtensionHost } from "./extension-host.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { Model, ThinkingLevel } from "./model-types.ts";
import { Mover } from "./mover.ts";
import { asOperation, refuseInside } from "./operation.ts";
import { Prompter } from "./prompter.ts";
import {
  type Adoption,
  branchInto,
  planOfBranch,
  type ReplaceHost,
  resume,
  runInNewSession,
  startNew,
} from "./replace.ts";
import { type CommandHost, runCommand } from "./run-command.ts";
import type { Runtime } from "./runtime.ts";
import type { BranchOptions, SessionControl } from "./session-control.ts";
import type { Activity, SessionEvent } from "./session-events.ts";
import type { Following, NewSessionOptions } from "./with-session.ts";

export interface AgentSessionParts {
  readonly sessionManager: SessionManager;
  /** `--model` of this run. */
  readonly modelFlag?: string | undefined;
  readonly env: Environment;
  openSession(path: string): Promise<SessionManager>;
  /** Called when the extensions are loaded, before the session starts; may adopt another session. */
  readonly loaded?: ((session: AgentSession) => Promise<void>) | undefined;
}

/**
 * One conversation with an agent. Thin: prompts, moves and replacements live in their own files;
 * here they are put together.
 */
export class AgentSession implements CommandHost, SessionControl {
  readonly sessionManager: SessionManager;
  readonly #parts: AgentSessionParts;
  readonly #conversation: Conversation;
  readonly #model: ActiveModel;
  readonly #mover: Mover;
  readonly #prompter: Prompter;
  #runtime: Runtime | undefined;
  #extensions: ExtensionHost | undefined;

  constructor(parts: AgentSessionParts) {
    const { sessionManager } = parts;
    this.#parts = parts;
    this.sessionManager = sessionManager;
    this.#conversation = new Conversation(sessionManager, parts.env);
    this.#model = new ActiveModel(sessionManager, parts.modelFlag);
    this.#mover = new Mover(this.#conversation, this.#model, () => this.runtime.hooks);
    this.#prompter = new Prompter(this.#conversation, this.#model, () => this.runtime);
  }

  /** Binds the session to the pieces it works with; called once, before anything else. */
  attach(runtime: Runtime, extensions: ExtensionHost): void {
    this.#runtime = runtime;
    this.#extensions = extensions;
    this.subscribe(({ type }) => {
      if (type !== "message_update") void extensions.changed();
    });
  }

  get runtime(): Runtime {
    return this.#runtime as Runtime;
  }

  get extensions(): ExtensionHost {
    return this.#extensions as ExtensionHost;
  }

  get activity(): Activity {
    return this.#conversation.activity;
  }

  get messages(): readonly AgentMessage[] {
    return this.#conversation.messages;
  }

  get model(): Model | undefined {
    return this.#model.model;
  }

  get modelChoice(): ModelChoice {
    return this.#model.choice;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#model.level;
  }

  get signal(): AbortSignal | undefined {
    return this.#prompter.signal;
  }

  /** Calls back for everything that changes; gives the way to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#conversation.subscribe(listener);
  }

  announce(event: SessionEvent): void {
    this.#conversation.announce(event);
  }

  /** Loads the extensions, chooses the model and starts the session. Raises MODEL_UNKNOWN. */
  async start(): Promise<void> {
    await this.extensions.load();
    await this.#parts.loaded?.(this);
    this.#chooseModel(this.#conversation.rebuild());
    await this.extensions.start("startup");
  }

  /** Ends the extensions and releases the session; what was appended is on disk. */
  async close(): Promise<void> {
    this.abort();
    await this.#conversation.waitForIdle();
    await this.extensions.shutdown("quit");
    await this.extensions.close();
    try {
      await this.sessionManager.sync();
    } finally {
      this.sessionManager.close();
    }
  }

  /**
   * Sends a prompt and waits for the end of the reply; an error of the model is a stored message.
   * Raises AGENT_BUSY, NO_ACTIVE_MODEL, MODEL_CREDENTIALS_MISSING and the errors of the append; then
   * nothing was written.
   */
  prompt(text: string, source: "interactive" | "rpc" = "interactive"): Promise<void> {
    return this.#prompter.prompt(text, source);
  }

  abort(): void {
    this.#prompter.abort();
    this.#mover.abort();
  }

  /** Aborts the running navigation; without one does nothing. */
  abortBranchSummary(): void {
    this.#mover.abort();
  }

  /** Raises AGENT_BUSY inside a handler that the agent waits for (extensions spec §2.5). */
  async waitForIdle(): Promise<void> {
    refuseInside();
    await this.#conversation.waitForIdle();
  }

  /** Moves inside the session file (session tree §8); checks in the order given there. */
  navigateTree(targetId: string, options?: NavigateTreeOptions): Promise<NavigateTreeResult> {
    return this.#mover.navigateTree(targetId, options);
  }

  /** To exactly the leaf before the last move, and back again; `undefined` without one (§14). */
  navigateBack(): Promise<NavigateTreeResult | undefined> {
    return this.#mover.navigateBack();
  }

  /** Branches into a new session file from a user message (session tree §10). */
  async branch(entryId: string, options: BranchOptions & Following = {}): Promise<BranchResult> {
    const { position = "before" } = options;
    const plan = planOfBranch(this.sessionManager, entryId, position);
    return this.#replacing("fork", options, (host) => branchInto(host, plan));
  }

  newSession(
    options: Following & NewSessionOptions = {},
  ): Promise<{ readonly cancelled: boolean }> {
    return this.#replacing("new", options, (host) => startNew(host, options));
  }

  /** Continues in another session file. Raises the errors of opening; then nothing has changed. */
  switchSession(path: string, options: Following = {}): Promise<{ readonly cancelled: boolean }> {
    return this.#replacing("resume", options, (host) => resume(host, path));
  }

  /** User messages with text, of all branches in file order (session tree §10). */
  getUserMessagesForBranching(): { entryId: string; text: string }[] {
    return this.sessionManager.getEntries().flatMap((entry) => {
      const message = messageOf(entry);
      const text = message?.role === "user" ? messageText(message) : "";
      return text.trim() === "" ? [] : [{ entryId: entry.id, text }];
    });
  }

  /** Uses a model from now on and records it; `false` if it has no credentials. */
  async setModel(model: Model): Promise<boolean> {
    if (!this.runtime.models.hasCredentials(model.provider)) return false;
    const previousModel = this.model;
    this.#model.set(model);
    this.announce({ type: "model_changed" });
    const previous = previousModel ? { previousModel } : {};
    const type = "model_select";
    await this.runtime.hooks.after(type, { type, model, ...previous, source: "set" });
    return true;
  }

  /** Works without a model from now on. */
  unsetModel(): void {
    this.#model.unset();
    this.announce({ type: "model_changed" });
  }

  /** Sets and records how much the model may think, clamped to what it can. */
  setThinkingLevel(level: ThinkingLevel): void {
    const previousLevel = this.thinkingLevel;
    const next = this.#model.setLevel(level);
    if (next === undefined) return;
    this.announce({ type: "model_changed" });
    const type = "thinking_level_select";
    void this.runtime.hooks.after(type, { type, level: next, previousLevel });
  }

  setName(name: string): void {
    this.sessionManager.appendSessionInfo(name);
    this.announce({ type: "tree_changed" });
    const type = "session_info_changed";
    void this.runtime.hooks.after(type, { type, name: this.sessionManager.getSessionName() });
  }

  /** Runs `/name args`. Raises COMMAND_UNKNOWN; what the command throws goes through. */
  runCommand(line: string): Promise<void> {
    return runCommand(this, line);
  }

  /** Tokens of the context, as they are estimated (session tree §9.2). */
  contextUsage(): ContextUsage | undefined {
    const { model } = this;
    if (!model) return undefined;
    const tokens = this.messages.reduce((sum, message) => sum + estimateTokens(message), 0);
    const { contextWindow } = model;
    return { tokens, contextWindow, percent: (100 * tokens) / contextWindow };
  }

  #chooseModel(context: SessionContext): void {
    this.#model.choose(this.runtime, context);
    this.announce({ type: "model_changed" });
  }

  /** Runs a replacement of the session, then what the caller wants to do in the new one. */
  async #replacing<T extends BranchResult>(
    reason: Adoption["reason"],
    { withSession, by }: Following,
    work: (host: ReplaceHost) => Promise<T>,
  ): Promise<T> {
    refuseInside();
    this.#conversation.refuseBusy();
    this.#conversation.activity = "navigating";
    let result: T;
    try {
      result = await asOperation("navigating", () => work(this.#replaceHost()));
    } finally {
      this.#conversation.activity = "idle";
    }
    if (result.cancelled) return result;
    const text = result.selectedText === undefined ? {} : { editorText: result.selectedText };
    this.announce({ type: "session_replaced", reason, ...text });
    if (withSession && by) await runInNewSession(this.runtime, by.extension, withSession);
    return result;
  }

  #replaceHost(): ReplaceHost {
    return {
      sessionManager: this.sessionManager,
      runtime: this.runtime,
      extensions: this.extensions,
      openSession: (path) => this.#parts.openSession(path),
      adopted: ({ reason, keepMessages }) => {
        const context = keepMessages
          ? this.sessionManager.buildSessionContext()
          : this.#conversation.rebuild();
        this.#mover.forget();
        if (reason === "resume") this.#chooseModel(context);
      },
    };
  }
}
