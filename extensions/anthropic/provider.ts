import type { Anthropic } from "@anthropic-ai/sdk";
import {
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  type ModelContext,
  type ProviderConfig,
  type StreamOptions,
} from "coppice/ai";
import { accessOf, clientFor, secretsOf, type Variables } from "./access.ts";
import { anthropicError, CREDENTIALS_HINT, failureText } from "./errors.ts";
import { factsOf, factsOfListed, KNOWN_MODELS, type ModelFacts, rankOf } from "./models.ts";
import { Reply } from "./reply.ts";
import { conversationParams, hasThinking } from "./request.ts";
import { thinkingParams } from "./thinking.ts";

export interface ProviderEnvironment {
  /** Read at each use. */
  env(): Variables;
  /** Milliseconds since the epoch. */
  now(): number;
  /** How often a call that failed is tried again; absent: as the SDK does. */
  readonly retries?: number;
}

/** The provider `anthropic`. Its SDK is loaded by the first call. */
export function anthropicProvider({ env, now, retries }: ProviderEnvironment): ProviderConfig {
  const listed = new Map<string, ModelFacts>();
  return {
    title: "Anthropic",
    models: KNOWN_MODELS.map(({ model }) => model),
    priority: 10,
    credentialsHint: CREDENTIALS_HINT,
    hasCredentials: () => accessOf(env()) !== undefined,
    async refresh() {
      const facts = await listModels(env());
      listed.clear();
      for (const one of facts) listed.set(one.model.id, one);
      return facts.map(({ model }) => model);
    },
    describe: (id) => (listed.get(id) ?? factsOf(id)).model,
    streamSimple(model, context, options = {}) {
      const facts = { ...(listed.get(model.id) ?? factsOf(model.id)), model };
      const stream = createAssistantMessageEventStream();
      void run(stream, new Reply(facts, now()), { facts, context, options, env: env(), retries });
      return stream;
    },
  };
}

/** The models of the API: those of the table in its order, then the others, newest first. */
async function listModels(env: Variables): Promise<ModelFacts[]> {
  const access = accessOf(env);
  if (!access) throw anthropicError("MODEL_CREDENTIALS_MISSING", undefined);
  const client = await clientFor(access);
  const facts: ModelFacts[] = [];
  try {
    for await (const info of client.models.list({ limit: 100 })) facts.push(factsOfListed(info));
  } catch (error) {
    const reason = failureText(error, client.baseURL, secretsOf(env));
    throw anthropicError("MODEL_LIST_FAILED", { reason }, error);
  }
  return facts.sort((a, b) => rankOf(a.model.id) - rankOf(b.model.id));
}

interface Call {
  readonly facts: ModelFacts;
  readonly context: ModelContext;
  readonly options: StreamOptions;
  readonly env: Variables;
  readonly retries: number | undefined;
}

/** Fills the stream; every failure is an event of it. */
async function run(stream: AssistantMessageEventStream, reply: Reply, call: Call): Promise<void> {
  try {
    for await (const event of await send(call)) {
      const step = reply.take(event);
      if (step) stream.push(step);
    }
    stream.push(isAborted(call) ? aborted(reply) : ending(reply));
  } catch (error) {
    stream.push(isAborted(call) ? aborted(reply) : failed(reply, failureOf(error, call)));
  }
  stream.end();
}

function isAborted({ options }: Call): boolean {
  return options.signal?.aborted === true;
}

function failureOf(error: unknown, { facts, env }: Call): string {
  const url = facts.model.baseUrl ?? accessOf(env)?.baseUrl ?? "";
  return failureText(error, url, secretsOf(env));
}

/**
 * Sends the request. Thinking that the API no longer takes, as the messages before it have changed
 * since (by a compaction, say), is left out in a second try.
 */
async function send(call: Call): Promise<AsyncIterable<Anthropic.RawMessageStreamEvent>> {
  const { facts, context, env, retries } = call;
  const access = accessOf(env);
  if (!access) throw anthropicError("MODEL_CREDENTIALS_MISSING", undefined);
  const client = await clientFor({ ...access, retries }, facts.model);
  const sendThinking = hasThinking(facts.model, context.messages);
  try {
    return await post(client, call, sendThinking);
  } catch (error) {
    if (!sendThinking || !isThinkingRefusal(error)) throw error;
    return await post(client, facts.style === "budget" ? withoutReasoning(call) : call, false);
  }
}

/** With a budget, a reply in the middle of its tool calls has to begin with thinking. */
function withoutReasoning(call: Call): Call {
  return { ...call, options: { ...call.options, reasoning: "off" } };
}

function isThinkingRefusal(error: unknown): boolean {
  const { status, apiMessage } = error as { status?: number; apiMessage?: string | null };
  return status === 400 && /thinking|signature/i.test(apiMessage ?? "");
}

/** Not by `messages.create`, which writes warnings to the terminal. */
function post(client: Anthropic, { facts, context, options }: Call, sendThinking: boolean) {
  const body = {
    model: facts.model.id,
    stream: true,
    ...thinkingParams(facts, options),
    ...conversationParams(facts.model, context, { sendThinking }),
  } satisfies Anthropic.MessageCreateParamsStreaming;
  const signal = options.signal ?? null;
  return client.post<AsyncIterable<Anthropic.RawMessageStreamEvent>>("/v1/messages", {
    body,
    stream: true,
    signal,
  });
}

function aborted(reply: Reply): AssistantMessageEvent {
  return { type: "error", reason: "aborted", error: reply.ended("aborted") };
}

function failed(reply: Reply, errorMessage: string): AssistantMessageEvent {
  return { type: "error", reason: "error", error: reply.ended("error", errorMessage) };
}

function ending(reply: Reply): AssistantMessageEvent {
  if (!reply.complete) return failed(reply, "the reply broke off before its end");
  switch (reply.stop?.stop_reason) {
    case "refusal":
      return failed(reply, "the model declined to answer");
    case "tool_use":
      return { type: "done", reason: "toolUse", message: reply.ended("toolUse") };
    case "max_tokens":
    case "model_context_window_exceeded":
      return { type: "done", reason: "length", message: reply.ended("length") };
    default:
      return { type: "done", reason: "stop", message: reply.ended("stop") };
  }
}
