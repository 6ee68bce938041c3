import type { AgentMessage } from "../core/index.ts";
import type { ActiveModel } from "./active-model.ts";
import type { Conversation } from "./conversation.ts";
import type { Model } from "./model-types.ts";
import type { Runtime } from "./runtime.ts";
import { runTurn } from "./turn.ts";

/** Prompts: from the text of a person to a stored reply. */
export class Prompter {
  readonly #conversation: Conversation;
  readonly #model: ActiveModel;
  readonly #runtime: () => Runtime;
  #running: AbortController | undefined;

  constructor(conversation: Conversation, model: ActiveModel, runtime: () => Runtime) {
    this.#conversation = conversation;
    this.#model = model;
    this.#runtime = runtime;
  }

  get signal(): AbortSignal | undefined {
    return this.#running?.signal;
  }

  abort(): void {
    this.#running?.abort();
  }

  async prompt(text: string, source: "interactive" | "rpc"): Promise<void> {
    this.#conversation.refuseBusy();
    const model = this.#model.requireCallable(this.#runtime(), "a prompt");
    const controller = new AbortController();
    this.#running = controller;
    this.#conversation.activity = "streaming";
    try {
      const { hooks } = this.#runtime();
      const input = await hooks.transform("input", { type: "input", text, source });
      if (input.handled) return;
      await this.#takePrompt(input.payload.text);
      await this.#reply(model, controller.signal);
    } finally {
      this.#finish(controller);
    }
  }

  /** The prompt is on disk before the model is asked (session tree §5.3). */
  async #takePrompt(text: string): Promise<void> {
    const { sessionManager, env } = this.#conversation;
    const message: AgentMessage = { role: "user", content: text, timestamp: env.now() };
    sessionManager.appendMessage(message);
    this.#conversation.add(message);
    this.#conversation.announce({ type: "message_end", message });
    await sessionManager.sync();
  }

  async #reply(model: Model, signal: AbortSignal): Promise<void> {
    const conversation = this.#conversation;
    const { hooks, models } = this.#runtime();
    await hooks.after("agent_start", { type: "agent_start" });
    const { messages } = conversation;
    const turn = { model, thinkingLevel: this.#model.level, messages, signal };
    const message = await runTurn({ conversation, hooks, models }, turn);
    conversation.add(message);
    await conversation.sessionManager.sync();
    this.#finish(this.#running);
    await hooks.after("agent_end", { type: "agent_end", messages: [message] });
  }

  #finish(controller: AbortController | undefined): void {
    if (!controller || this.#running !== controller) return;
    this.#running = undefined;
    this.#conversation.activity = "idle";
  }
}
