import type { AssistantMessageEvent, AssistantMessageEventStream } from "../../model-types.ts";
import { createAssistantMessageEventStream, emptyUsage } from "../../stream.ts";
import { sandboxError } from "../errors.ts";
import type { MemberRow, WireLease } from "../guest-settings.ts";
import type { Border } from "./border.ts";
import { parse, table } from "./captured.ts";
import { hostFailure, markOwn } from "./guest-errors.ts";
import { decode, encodeArguments, type Marks } from "./wire.ts";

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export interface CallsParts {
  readonly border: Border;
  readonly marks: Marks;
  readonly inFlight: number;
}

/** Calls of the host and their answers. */
export class Calls {
  readonly #parts: CallsParts;
  readonly #pending = table<Pending>();
  readonly #streams = table<AssistantMessageEventStream>();
  #open = 0;
  #last = 0;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** Asks the host; the promise settles with its answer. */
  call(row: MemberRow, lease: WireLease, values: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#send(row, lease, values);
      this.#pending[id] = { resolve, reject };
    });
  }

  /** Asks the host for a reply of a model; its events come as they are made. */
  stream(
    row: MemberRow,
    lease: WireLease,
    values: readonly unknown[],
  ): AssistantMessageEventStream {
    const id = this.#send(row, lease, values);
    const stream = createAssistantMessageEventStream();
    this.#streams[id] = stream;
    return stream;
  }

  /** The host's answer to a call. */
  answer(id: number, text: string): void {
    const failure = text[0] === "!" ? hostFailure(text.slice(1)) : undefined;
    const stream = this.#streams[id];
    const pending = this.#pending[id];
    if (!stream && !pending) return;
    this.#open--;
    delete this.#streams[id];
    delete this.#pending[id];
    if (stream) endStream(stream, failure);
    else if (failure) pending?.reject(failure);
    else pending?.resolve(decode(text, this.#parts.marks));
  }

  /** Events of a reply. */
  streamed(id: number, text: string): void {
    const events = parse(text) as readonly AssistantMessageEvent[];
    for (let i = 0; i < events.length; i++) {
      this.#streams[id]?.push(events[i] as AssistantMessageEvent);
    }
  }

  #send(row: MemberRow, lease: WireLease, values: readonly unknown[]): number {
    const { border, marks, inFlight } = this.#parts;
    if (this.#open >= inFlight) {
      throw markOwn(sandboxError("LIMIT_EXCEEDED", { limit: "calls in flight", value: inFlight }));
    }
    const text = encodeArguments(row.args, values, marks);
    const id = ++this.#last;
    border.send("call", `${id} ${row.name} ${lease.key} ${lease.n}`, text);
    this.#open++;
    return id;
  }
}

function endStream(stream: AssistantMessageEventStream, failure: Error | undefined): void {
  if (failure) {
    stream.push({
      type: "error",
      reason: "error",
      error: {
        role: "assistant",
        content: [],
        api: "",
        provider: "",
        model: "",
        usage: emptyUsage,
        stopReason: "error",
        errorMessage: failure.message,
        timestamp: 0,
      },
    });
  }
  stream.end();
}
