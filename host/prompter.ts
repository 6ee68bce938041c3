import type { AgentMessage } from "../core/index.ts";
import { unlessAborted } from "./abort.ts";
import type { ActiveModel } from "./active-model.ts";
import { contextFor } from "./context.ts";
import type { Conversation } from "./conversation.ts";
import type { Instance } from "./extension.ts";
import type { Model } from "./model-types.ts";
import { asOperation, refuseInside } from "./operation.ts";
import type { Runtime } from "./runtime.ts";
import { runTurns } from "./turn.ts";
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
      const messages = await asOperation("streaming", work);
      this.#finish(controller);
      if (messages) await this.#tellEnd(messages);
    } finally {
      this.#finish(controller);
    }
  }

  /** What stands between being idle and being idle again; without a reply an extension took the text. */
  async #run({
    text,
    source,
    model,
    signal,
  }: Prompt): Promise<readonly AgentMessage[] | undefined> {
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

  async #reply(model: Model, signal: AbortSignal): Promise<readonly AgentMessage[]> {
    const conversation = this.#conversation;
    const runtime = this.#runtime();
    const { hooks, models, tools } = runtime;
    await unlessAborted(hooks.after("agent_start", { type: "agent_start" }), signal, undefined);
    const host = {
      conversation,
      hooks,
      models,
      tools,
      now: () => conversation.env.now(),
      contextFor: (instance: Instance) => contextFor(runtime, instance),
    };
    return runTurns(host, { model, thinkingLevel: this.#model.level, signal });
  }

  /** Sent when the agent is no longer busy (extensions spec §2.2). */
  async #tellEnd(messages: readonly AgentMessage[]): Promise<void> {
    const type = "agent_end";
    await this.#runtime().hooks.after(type, { type, messages });
  }

  #finish(controller: AbortController): void {
    if (this.#running !== controller) return;
    this.#running = undefined;
    this.#conversation.activity = "idle";
  }
}
