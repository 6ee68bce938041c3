import {
  type AgentMessage,
  type AssistantMessage,
  convertToLlm,
  repairRequest,
  type SessionManager,
} from "../core/index.ts";
import type { Conversation } from "./conversation.ts";
import type { Hooks } from "./hooks.ts";
import type { Model, ModelContext, ThinkingLevel } from "./model-types.ts";
import type { Models } from "./models.ts";
import { type Progress, readReply } from "./reply.ts";

/** What a turn reads and tells. */
export interface TurnHost {
  readonly conversation: Conversation;
  readonly hooks: Hooks;
  readonly models: Models;
}

export interface Turn {
  readonly model: Model;
  readonly thinkingLevel: ThinkingLevel;
  /** The agent's messages, the new one included. */
  readonly messages: readonly AgentMessage[];
  readonly signal: AbortSignal;
}

/** What the model is sent for messages: handlers first, then conversion and repair (§11.2, §11.3). */
async function buildRequest(
  hooks: Hooks,
  sessionManager: SessionManager,
  messages: readonly AgentMessage[],
): Promise<ModelContext> {
  const { payload } = await hooks.transform("context", { type: "context", messages });
  return requestFor(sessionManager.getCwd(), payload.messages);
}

/** The same without handlers: what `coppice context --request` shows. */
export function requestFor(cwd: string, messages: readonly AgentMessage[]): ModelContext {
  return { systemPrompt: systemPrompt(cwd), messages: repairRequest(convertToLlm(messages)) };
}

/**
 * One reply of the model: streamed, stored, told. An error or an abort of the model is a stored
 * message with that stop reason, not a rejection.
 */
export async function runTurn(host: TurnHost, turn: Turn): Promise<AssistantMessage> {
  const { conversation, hooks, models } = host;
  const { model, thinkingLevel, signal } = turn;
  const { sessionManager } = conversation;
  const timestamp = conversation.env.now();
  const options = {
    signal,
    sessionId: sessionManager.getSessionId(),
    ...(thinkingLevel !== "off" && { reasoning: thinkingLevel }),
  };
  const message = await readReply(
    () => prepare(host, turn, timestamp),
    (context) => models.stream(model, context, options),
    { model, signal, timestamp, follow: (event) => tellProgress(host, event) },
  );
  sessionManager.appendMessage(message);
  conversation.announce({ type: "message_end", message });
  await hooks.after("message_end", { type: "message_end", message });
  await hooks.after("turn_end", { type: "turn_end", turnIndex: 0, message, toolResults: [] });
  return message;
}

async function prepare(
  { conversation, hooks }: TurnHost,
  { messages }: Turn,
  timestamp: number,
): Promise<ModelContext> {
  await hooks.after("turn_start", { type: "turn_start", turnIndex: 0, timestamp });
  return buildRequest(hooks, conversation.sessionManager, messages);
}

async function tellProgress({ conversation, hooks }: TurnHost, event: Progress): Promise<void> {
  const message = event.partial;
  if (event.type === "start") {
    conversation.announce({ type: "message_start", message });
    await hooks.after("message_start", { type: "message_start", message });
    return;
  }
  conversation.announce({ type: "message_update", message, event });
  const type = "message_update";
  await hooks.after(type, { type, message, assistantMessageEvent: event });
}

function systemPrompt(cwd: string): string {
  return [
    "You are a coding agent that works with a person in a terminal.",
    `The working folder is ${cwd}.`,
    "Answer in plain text or Markdown, briefly and exactly; say so when you do not know.",
    "Earlier parts of the conversation may appear as summaries between <summary> lines.",
  ].join("\n");
}
