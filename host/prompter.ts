import type { AgentMessage, AssistantMessage } from "../core/index.ts";
import { unlessAborted } from "./abort.ts";
import type { ActiveModel } from "./active-model.ts";
import type { Conversation } from "./conversation.ts";
import type { Model } from "./model-types.ts";
import { asOperation, refuseInside } from "./operation.ts";
import type { Runtime } from "./runtime.ts";
import { runTurn } from "./turn.ts";
import { refuseReadOnly } from "./writable.ts";

interface Prompt {
  readonly text: string;
  readonly source: "interactive" | "rpc";
  readonly model: Model;
  readonly signal: AbortSignal;
}

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
    refuseInside();
    this.#conversation.refuseBusy();
    refuseReadOnly(this.#conversation.sessionManager);
    const model = this.#model.requireCallable(this.#runtime(), "a prompt");
    const controller = new AbortController();
    this.#running = controller;
    this.#conversation.activity = "streaming";
    const { signal } = controller;
    try {
      const work = () => this.#run({ text, source, model, signal });
      const message = await asOperation("streaming", work);
      this.#finish(controller);
      if (message) await this.#tellEnd(message);
    } finally {
      this.#finish(controller);
    }
  }

  /** What stands between being idle and being idle again; without a reply an extension took the text. */
  async #run({ text, source, model, signal }: Prompt): Promise<AssistantMessage | undefined> {
    const { hooks } = this.#runtime();
    const payload = { type: "input", text, source } as const;
    const asIs = { payload, handled: false };
    const input = await unlessAborted(hooks.transform("input", payload), signal, asIs);
    if (input.handled) return undefined;
    await this.#takePrompt(input.payload.text);
    return this.#reply(model, signal);
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

  async #reply(model: Model, signal: AbortSignal): Promise<AssistantMessage> {
    const conversation = this.#conversation;
    const { hooks, models } = this.#runtime();
    await unlessAborted(hooks.after("agent_start", { type: "agent_start" }), signal, undefined);
    const { messages } = conversation;
    const turn = { model, thinkingLevel: this.#model.level, messages, signal };
    const message = await runTurn({ conversation, hooks, models }, turn);
    conversation.add(message);
    await conversation.sessionManager.sync();
    return message;
  }

  /** Sent when the agent is no longer busy (extensions spec §2.2). */
  async #tellEnd(message: AssistantMessage): Promise<void> {
    const type = "agent_end";
    await this.#runtime().hooks.after(type, { type, messages: [message] });
  }

  #finish(controller: AbortController): void {
    if (this.#running !== controller) return;
    this.#running = undefined;
    this.#conversation.activity = "idle";
  }
}
