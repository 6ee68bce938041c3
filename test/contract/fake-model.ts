import {
  createAssistantMessageEventStream,
  type Model,
  type ModelContext,
  type ProviderConfig,
  type StreamOptions,
} from "coppice/ai";
import type { AssistantMessage } from "coppice/core";
import { assistantMessage } from "../world.ts";

export const oneModel: Model = {
  id: "one",
  name: "One",
  provider: "test",
  api: "test",
  reasoning: true,
  input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

/** A call of the model that the test answers. */
export interface ModelCall {
  readonly model: Model;
  readonly context: ModelContext;
  readonly options: StreamOptions | undefined;
  /** Streams one more piece of text. */
  say(text: string): void;
  /** Ends the reply with all that was said. */
  finish(fields?: Partial<AssistantMessage>): void;
  fail(errorMessage: string): void;
}

/** A provider whose replies come from a list, or from the test; an abort ends a reply with what it has. */
export class FakeModel {
  isKeyed = true;
  readonly calls: ModelCall[] = [];
  readonly #replies: string[];
  #wanted: ((call: ModelCall) => void) | undefined;

  constructor(replies: readonly string[] = []) {
    this.#replies = [...replies];
  }

  /** The next call that no listed reply answers. */
  called(): Promise<ModelCall> {
    return new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }

  readonly provider: ProviderConfig = {
    title: "Test",
    models: [oneModel, { ...oneModel, id: "two", name: "Two", reasoning: false }],
    hasCredentials: () => this.isKeyed,
    credentialsHint: "set TEST_KEY",
    streamSimple: (model, context, options) => this.#stream(model, context, options),
  };

  #stream(model: Model, context: ModelContext, options: StreamOptions | undefined) {
    const stream = createAssistantMessageEventStream();
    let text = "";
    const message = (fields: Partial<AssistantMessage> = {}): AssistantMessage =>
      assistantMessage(text, { model: model.id, ...fields });
    stream.push({ type: "start", partial: message() });
    const call: ModelCall = {
      model,
      context,
      options,
      say(piece) {
        text += piece;
        stream.push({ type: "text_delta", contentIndex: 0, delta: piece, partial: message() });
      },
      finish: (fields) => stream.push({ type: "done", reason: "stop", message: message(fields) }),
      fail: (errorMessage) => {
        const error = message({ stopReason: "error", errorMessage });
        stream.push({ type: "error", reason: "error", error });
      },
    };
    const abort = () => {
      stream.push({ type: "error", reason: "aborted", error: message({ stopReason: "aborted" }) });
    };
    if (options?.signal?.aborted) abort();
    else options?.signal?.addEventListener("abort", abort, { once: true });
    this.#begin(call);
    return stream;
  }

  #begin(call: ModelCall): void {
    this.calls.push(call);
    const reply = this.#replies.shift();
    if (reply === undefined) {
      this.#wanted?.(call);
      return;
    }
    call.say(reply);
    call.finish();
  }
}
