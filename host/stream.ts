import type { AssistantMessage, Cost, Usage } from "../core/index.ts";
import type { AssistantMessageEvent, AssistantMessageEventStream, Model } from "./model-types.ts";

/** No tokens, no cost. */
export const emptyUsage: Usage = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }),
});

/** What the tokens of a reply cost at a model's prices, in US dollars. */
export function costOf(model: Pick<Model, "cost">, usage: Omit<Usage, "cost">): Cost {
  const price = (kind: keyof Model["cost"]) => (usage[kind] * model.cost[kind]) / 1_000_000;
  const cost = {
    input: price("input"),
    output: price("output"),
    cacheRead: price("cacheRead"),
    cacheWrite: price("cacheWrite"),
  };
  return { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite };
}

/**
 * A stream for a provider to push a reply into. Events wait until they are iterated over, each is
 * given once; `result()` settles with or without iteration. What is pushed after the last event is
 * dropped. A stream that is ended without `done` or `error` has a result with stop reason `error`
 * that holds what had come.
 */
export function createAssistantMessageEventStream(): AssistantMessageEventStream {
  return new EventStream();
}

class EventStream implements AssistantMessageEventStream {
  readonly #events: AssistantMessageEvent[] = [];
  readonly #result: Promise<AssistantMessage>;
  #settle: (message: AssistantMessage) => void = () => undefined;
  /** Readers that wait for an event or the end. */
  #readers: (() => void)[] = [];
  #partial: AssistantMessage | undefined;
  #ended = false;

  constructor() {
    this.#result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  push(event: AssistantMessageEvent): void {
    if (this.#ended) return;
    this.#events.push(event);
    if (event.type === "done") this.#finish(event.message);
    else if (event.type === "error") this.#finish(event.error);
    else {
      this.#partial = event.partial;
      this.#wake();
    }
  }

  end(): void {
    if (!this.#ended) this.#finish(unfinished(this.#partial));
  }

  result(): Promise<AssistantMessage> {
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<AssistantMessageEvent> {
    while (true) {
      const event = this.#events.shift();
      if (event) yield event;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => this.#readers.push(resolve));
    }
  }

  #finish(message: AssistantMessage): void {
    this.#ended = true;
    this.#settle(message);
    this.#wake();
  }

  #wake(): void {
    const readers = this.#readers;
    this.#readers = [];
    for (const resume of readers) resume();
  }
}

function unfinished(partial: AssistantMessage | undefined): AssistantMessage {
  const known = partial ?? {
    role: "assistant" as const,
    content: [],
    api: "",
    provider: "",
    model: "",
    usage: emptyUsage,
    timestamp: 0,
  };
  return { ...known, stopReason: "error", errorMessage: "the reply broke off before its end" };
}
