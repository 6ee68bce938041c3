import {
  type AgentMessage,
  type Environment,
  estimateTokens,
  messageOf,
  messageText,
  type SessionManager,
} from "../core/index.ts";
import { ActiveModel } from "./active-model.ts";
import type { BranchResult, ContextUsage, NavigateTreeOptions, NavigateTreeResult } from "./api.ts";
import { hostError } from "./errors.ts";
import type { ExtensionHost } from "./extension-host.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { Model, ThinkingLevel } from "./model-types.ts";
import { landingFor, type Move, refuseReadOnly, runMove } from "./navigate.ts";
import { asOperation, refuseInside } from "./operation.ts";
import { type Adoption, type BranchOptions, branchInto, resume, startNew } from "./replace.ts";
import { type CommandHost, runCommand } from "./run-command.ts";
import type { Runtime } from "./runtime.ts";
import type { Activity, SessionEvent } from "./session-events.ts";
import { runTurn } from "./turn.ts";
import { type Following, runInNewSession } from "./with-session.ts";

export interface AgentSessionOptions {
  readonly sessionManager: SessionManager;
  /** `--model` of this run. */
  readonly modelFlag?: string | undefined;
  readonly env: Environment;
  openSession(path: string): Promise<SessionManager>;
}

/**
 * One conversation with an agent: the session, its model, and what runs. Thin: moves, branches and
 * turns live in their own files; here is what they share and the checks before them.
 */
export class AgentSession implements CommandHost {
  readonly sessionManager: SessionManager;
  readonly #options: AgentSessionOptions;
  readonly #model: ActiveModel;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  #runtime: Runtime | undefined;
  #extensions: ExtensionHost | undefined;
  #messages: AgentMessage[] = [];
  #activity: Activity = "idle";
  #run: AbortController | undefined;
  #move: AbortController | undefined;
  #leafBefore: { readonly leafId: string | null } | undefined;

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.sessionManager = options.sessionManager;
    this.#model = new ActiveModel(options.sessionManager, options.modelFlag);
  }

  /** Binds the session to the pieces it works with; called once, before anything else. */
  attach(runtime: Runtime, extensions: ExtensionHost): void {
    this.#runtime = runtime;
    this.#extensions = extensions;
  }

  get runtime(): Runtime {
    return this.#runtime as Runtime;
  }

  get extensions(): ExtensionHost {
    return this.#extensions as ExtensionHost;
  }

  get activity(): Activity {
    return this.#activity;
  }

  /** The agent's messages: what the next turn sends. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  get model(): Model | undefined {
    return this.#model.model;
  }

  /** Which model is used and why. */
  get modelChoice(): ModelChoice {
    return this.#model.choice;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#model.level;
  }

  /** The signal of the running turn. */
  get signal(): AbortSignal | undefined {
    return this.#run?.signal;
  }

  /** Calls back for everything that changes; gives the way to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Loads the extensions and starts the session. */
  async start(): Promise<void> {
    await this.extensions.load();
    this.chooseModel();
    this.#rebuildMessages();
    await this.extensions.start("startup");
  }

  /** Ends the extensions and releases the session; what was appended is on disk. */
  async close(): Promise<void> {
    this.abort();
    await this.waitForIdle();
    await this.extensions.shutdown("quit");
    this.extensions.unload();
    try {
      await this.sessionManager.sync();
    } finally {
      this.sessionManager.close();
    }
  }

  /** Takes the model that the session, the settings or this run ask for. */
  chooseModel(): void {
    this.#model.choose(this.runtime);
    this.announce({ type: "model_changed" });
  }

  /**
   * Sends a prompt and waits for the end of the reply. The prompt is on disk before the model is
   * asked (session tree §5.3). Raises AGENT_BUSY, NO_ACTIVE_MODEL, MODEL_CREDENTIALS_MISSING and the
   * errors of the append; then nothing was written.
   */
  async prompt(text: string, source: "interactive" | "rpc" = "interactive"): Promise<void> {
    this.#refuseBusy();
    const model = this.#model.requireCallable(this.runtime, "a prompt");
    this.#begin("streaming");
    try {
      const { hooks } = this.runtime;
      const input = await hooks.transform("input", { type: "input", text, source });
      if (input.handled) return;
      await this.#takePrompt(input.payload.text);
      await this.#reply(model);
    } finally {
      this.#finish();
    }
  }

  /** Stops the running reply or move. */
  abort(): void {
    this.#run?.abort();
    this.abortBranchSummary();
  }

  /** Aborts the running navigation; without one does nothing. */
  abortBranchSummary(): void {
    this.#move?.abort();
  }

  async waitForIdle(): Promise<void> {
    if (this.#activity === "idle") return;
    await new Promise<void>((resolve) => {
      const stop = this.subscribe(({ type }) => {
        if (type !== "activity" || this.#activity !== "idle") return;
        stop();
        resolve();
      });
    });
  }

  /** Moves inside the session file (session tree §8); checks in the order given there. */
  async navigateTree(
    targetId: string,
    options: NavigateTreeOptions = {},
  ): Promise<NavigateTreeResult> {
    refuseInside();
    if (targetId === this.sessionManager.getLeafId()) return { cancelled: false };
    const landing = landingFor(this.sessionManager, targetId);
    if (options.summarize) this.#model.require("a summary");
    this.#refuseWorking();
    refuseReadOnly(this.sessionManager, options);
    return this.#navigate({ targetId, landing, options });
  }

  /** To exactly the leaf before the last move, and back again; `undefined` without one (§14). */
  async navigateBack(): Promise<NavigateTreeResult | undefined> {
    refuseInside();
    if (!this.#leafBefore) return undefined;
    this.#refuseWorking();
    const { leafId } = this.#leafBefore;
    if (leafId === this.sessionManager.getLeafId()) return { cancelled: false };
    return this.#navigate({ targetId: leafId ?? "root", landing: { leafId }, options: {} });
  }

  /** Branches into a new session file from a user message (session tree §10). */
  async branch(entryId: string, options: BranchOptions & Following = {}): Promise<BranchResult> {
    return this.#replacing("fork", options, () =>
      branchInto(this.#replaceHost(), entryId, options),
    );
  }

  async newSession(
    options: Following & { readonly parentSession?: string } = {},
  ): Promise<{ readonly cancelled: boolean }> {
    return this.#replacing("new", options, () => startNew(this.#replaceHost(), options));
  }

  /** Continues in another session file. Raises the errors of opening; then nothing has changed. */
  async switchSession(
    path: string,
    options: Following = {},
  ): Promise<{ readonly cancelled: boolean }> {
    return this.#replacing("resume", options, () => resume(this.#replaceHost(), path));
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

  /** Tokens of the context as far as they are known. */
  contextUsage(): ContextUsage | undefined {
    const { model } = this;
    if (!model) return undefined;
    const tokens = this.#messages.reduce((sum, message) => sum + estimateTokens(message), 0);
    const { contextWindow } = model;
    return { tokens, contextWindow, percent: (100 * tokens) / contextWindow };
  }

  async #takePrompt(text: string): Promise<void> {
    const message: AgentMessage = {
      role: "user",
      content: text,
      timestamp: this.#options.env.now(),
    };
    this.sessionManager.appendMessage(message);
    this.#messages = [...this.#messages, message];
    this.announce({ type: "message_end", message });
    await this.sessionManager.sync();
  }

  async #reply(model: Model): Promise<void> {
    const { hooks } = this.runtime;
    await hooks.after("agent_start", { type: "agent_start" });
    const signal = (this.#run as AbortController).signal;
    const { models } = this.runtime;
    const host = {
      sessionManager: this.sessionManager,
      hooks,
      models,
      env: this.#options.env,
      announce: (event: SessionEvent) => this.announce(event),
    };
    const turn = { model, thinkingLevel: this.thinkingLevel, messages: this.#messages, signal };
    const message = await runTurn(host, turn);
    this.#messages = [...this.#messages, message];
    await this.sessionManager.sync();
    this.#finish();
    await hooks.after("agent_end", { type: "agent_end", messages: [message] });
  }

  async #navigate(move: Omit<Move, "signal">): Promise<NavigateTreeResult> {
    this.#move?.abort();
    const controller = new AbortController();
    this.#move = controller;
    this.#setActivity("navigating");
    const given = move.options.signal;
    const signal = given ? AbortSignal.any([given, controller.signal]) : controller.signal;
    try {
      return await asOperation(() => runMove(this.#moveHost(), { ...move, signal }));
    } finally {
      if (this.#move === controller) {
        this.#move = undefined;
        this.#setActivity("idle");
      }
    }
  }

  #moveHost() {
    return {
      sessionManager: this.sessionManager,
      hooks: this.runtime.hooks,
      moved: (oldLeafId: string | null, editorText: string | undefined) => {
        this.#leafBefore = { leafId: oldLeafId };
        this.#rebuildMessages();
        const text = editorText === undefined ? {} : { editorText };
        this.announce({ type: "leaf_moved", ...text });
      },
    };
  }

  /** Runs a replacement of the session, then what the caller wants to do in the new one. */
  async #replacing<T extends BranchResult>(
    reason: Adoption["reason"],
    { withSession, by }: Following,
    work: () => Promise<T>,
  ): Promise<T> {
    refuseInside();
    this.#refuseBusy();
    this.#setActivity("navigating");
    let result: T;
    try {
      result = await asOperation(work);
    } finally {
      this.#setActivity("idle");
    }
    if (result.cancelled) return result;
    const text = result.selectedText === undefined ? {} : { editorText: result.selectedText };
    this.announce({ type: "session_replaced", reason, ...text });
    if (withSession && by) await runInNewSession(this.runtime, by.extension, withSession);
    return result;
  }

  #replaceHost() {
    return {
      sessionManager: this.sessionManager,
      runtime: this.runtime,
      extensions: this.extensions,
      openSession: this.#options.openSession,
      adopted: ({ reason, keepMessages }: Adoption) => {
        if (!keepMessages) this.#rebuildMessages();
        this.#leafBefore = undefined;
        if (reason === "resume") this.chooseModel();
      },
    };
  }

  #refuseBusy(): void {
    if (this.#activity !== "idle") throw hostError("AGENT_BUSY", { reason: this.#activity });
  }

  /** Busy with anything but a navigation, which a new one supersedes (§8.2). */
  #refuseWorking(): void {
    if (this.#move === undefined) this.#refuseBusy();
  }

  #rebuildMessages(): void {
    this.#messages = this.sessionManager.buildSessionContext().messages;
  }

  #begin(activity: Activity): void {
    this.#run = new AbortController();
    this.#setActivity(activity);
  }

  #finish(): void {
    if (!this.#run) return;
    this.#run = undefined;
    this.#setActivity("idle");
  }

  #setActivity(activity: Activity): void {
    if (activity === this.#activity) return;
    this.#activity = activity;
    this.announce({ type: "activity", activity });
  }
}
