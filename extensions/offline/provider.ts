import { setImmediate } from "node:timers/promises";
import {
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  emptyUsage,
  type Model,
  type ModelContext,
  type ProviderConfig,
  type StreamOptions,
} from "coppice/ai";
import {
  type AssistantMessage,
  errorMessage,
  estimateTextTokens,
  estimateTokens,
  type StopReason,
  type Usage,
} from "coppice/core";
import { answer } from "./answer.ts";

export const OFFLINE_MODEL: Model = {
  id: "offline",
  name: "Offline (no language model)",
  provider: "offline",
  api: "offline",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 4096,
};

/** The provider `offline`. `now` gives milliseconds since the epoch. */
export function offlineProvider({ now }: { now(): number }): ProviderConfig {
  return {
    title: "Offline",
    models: [OFFLINE_MODEL],
    priority: -100,
    hasCredentials: () => true,
    streamSimple(model, context, options = {}) {
      const stream = createAssistantMessageEventStream();
      const reply = replyMaker(model, context, now());
      run(stream, reply, context, options).catch((error: unknown) => {
        const text = `the offline model failed: ${errorMessage(error)}`;
        stream.push({
          type: "error",
          reason: "error",
          error: { ...reply("", "error"), errorMessage: text },
        });
      });
      return stream;
    },
  };
}

type ReplyMaker = (text: string, stopReason?: StopReason) => AssistantMessage;

function replyMaker(model: Model, context: ModelContext, timestamp: number): ReplyMaker {
  const input =
    estimateTextTokens(context.systemPrompt ?? "") +
    context.messages.reduce((sum, message) => sum + estimateTokens(message), 0);
  return (text, stopReason = "stop") => ({
    role: "assistant",
    content: text === "" ? [] : [{ type: "text", text }],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: usageOf(input, estimateTextTokens(text)),
    stopReason,
    timestamp,
  });
}

function usageOf(input: number, output: number): Usage {
  return { ...emptyUsage, input, output, totalTokens: input + output };
}

/** Lets everything else run between the pieces, so that an abort comes through. */
async function run(
  stream: AssistantMessageEventStream,
  reply: ReplyMaker,
  context: ModelContext,
  { signal, maxTokens = OFFLINE_MODEL.maxTokens }: StreamOptions,
): Promise<void> {
  stream.push({ type: "start", partial: reply("") });
  await setImmediate();
  const whole = signal?.aborted ? "" : answer(context);
  const text = cutToLines(whole, maxTokens * 4);
  const opened = { ...reply(""), content: [{ type: "text" as const, text: "" }] };
  stream.push({ type: "text_start", contentIndex: 0, partial: opened });
  let sent = "";
  for (const delta of pieces(text)) {
    if (signal?.aborted) break;
    sent += delta;
    stream.push({ type: "text_delta", contentIndex: 0, delta, partial: reply(sent) });
    await setImmediate();
  }
  if (signal?.aborted) {
    stream.push({ type: "error", reason: "aborted", error: reply(sent, "aborted") });
    return;
  }
  stream.push({ type: "text_end", contentIndex: 0, content: text, partial: reply(text) });
  const reason = text === whole ? "stop" : "length";
  stream.push({ type: "done", reason, message: reply(text, reason) });
}

/** As many whole lines as fit; part of the first one if none does. */
function cutToLines(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf("\n", length);
  return end > 0 ? text.slice(0, end) : text.slice(0, length).toWellFormed();
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,16}/gu) ?? [];
}
