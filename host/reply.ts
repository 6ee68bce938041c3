import { type AssistantMessage, errorMessage, isJsonObject } from "../core/index.ts";
import { orAborted, soonAfterAbort } from "./abort.ts";
import type {
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Model,
  ModelContext,
} from "./model-types.ts";
import { emptyUsage } from "./stream.ts";

/** A reply that is awaited: from which model, until when, and who follows it. */
export interface Reading {
  readonly model: Pick<Model, "api" | "provider" | "id">;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch, for a message that the provider does not give. */
  readonly timestamp: number;
  /** Milliseconds after an abort in which the provider may give its own message. */
  readonly graceMs?: number;
  follow(event: Progress): Promise<void>;
}

/** A step of a reply that is not its end. */
export type Progress = Exclude<AssistantMessageEvent, { readonly type: "done" | "error" }>;

const GRACE_MS = 1000;

/**
 * Prepares a request, calls the model unless it was aborted by then, and reads the reply to its end.
 * Whatever the provider does there is a message: its own, or what had come with stop reason `error`
 * (it threw, broke off, gave no message) or `aborted` (it does not listen to the signal).
 */
export async function readReply(
  prepare: () => Promise<ModelContext>,
  call: (context: ModelContext) => AssistantMessageEventStream,
  reading: Reading,
): Promise<AssistantMessage> {
  const { signal, graceMs = GRACE_MS } = reading;
  const reader = { partial: nothingYet(reading), isOver: false };
  try {
    const context = await orAborted(prepare(), signal);
    signal.throwIfAborted();
    const reply = consume(call(context), reading, reader);
    const message: unknown = await soonAfterAbort(reply, signal, graceMs);
    if (isReply(message)) return message;
    return { ...reader.partial, stopReason: "error", errorMessage: "the provider gave no message" };
  } catch (error) {
    if (signal.aborted) return { ...reader.partial, stopReason: "aborted" };
    return { ...reader.partial, stopReason: "error", errorMessage: errorMessage(error) };
  } finally {
    reader.isOver = true;
  }
}

interface Reader {
  partial: AssistantMessage;
  isOver: boolean;
}

async function consume(
  stream: AssistantMessageEventStream,
  { follow }: Reading,
  reader: Reader,
): Promise<AssistantMessage> {
  for await (const event of stream) {
    if (reader.isOver) break;
    if (event.type === "done" || event.type === "error") continue;
    const step = snapshot(event);
    reader.partial = step.partial;
    await follow(step);
  }
  return stream.result();
}

/** Providers may go on writing into what they have given, and handlers receive it frozen. */
function snapshot<T>(value: T): T {
  if (Array.isArray(value)) return value.map(snapshot) as T;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, snapshot(v)])) as T;
}

function nothingYet({ model, timestamp }: Reading): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage,
    stopReason: "stop",
    timestamp,
  };
}

function isReply(message: unknown): message is AssistantMessage {
  return isJsonObject(message) && message.role === "assistant" && Array.isArray(message.content);
}
