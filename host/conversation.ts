import type { AgentMessage, Environment, SessionContext, SessionManager } from "../core/index.ts";
import { hostError } from "./errors.ts";
import type { Activity, SessionEvent } from "./session-events.ts";

/** What prompts, moves and replacements of one conversation share: messages, activity, listeners. */
export class Conversation {
  readonly sessionManager: SessionManager;
  readonly env: Environment;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  #messages: readonly AgentMessage[] = [];
  #activity: Activity = "idle";

  constructor(sessionManager: SessionManager, env: Environment) {
    this.sessionManager = sessionManager;
    this.env = env;
  }

  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  get activity(): Activity {
    return this.#activity;
  }

  set activity(activity: Activity) {
    if (activity === this.#activity) return;
    this.#activity = activity;
    this.announce({ type: "activity", activity });
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  add(message: AgentMessage): void {
    this.#messages = [...this.#messages, message];
  }

  /** The messages become those of the context at the leaf, which is given back. */
  rebuild(): SessionContext {
    const context = this.sessionManager.buildSessionContext();
    this.#messages = context.messages;
    return context;
  }

  /** Raises AGENT_BUSY unless nothing runs. */
  refuseBusy(): void {
    if (this.#activity !== "idle") throw hostError("AGENT_BUSY", { reason: this.#activity });
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
}
