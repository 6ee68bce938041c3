import {
  type AgentMessage,
  type AssistantMessage,
  convertToLlm,
  repairRequest,
  type ToolResultMessage,
  toolCalls,
} from "../core/index.ts";
import type { Conversation } from "./conversation.ts";
import type { Model, ModelContext, ThinkingLevel } from "./model-types.ts";
import type { Models } from "./models.ts";
import { type Progress, readReply } from "./reply.ts";
import { type RegisteredTool, toolsForModel } from "./tools.ts";
import { runToolCalls, type ToolHost } from "./tools-run.ts";

/** What turns read and tell. */
export interface TurnHost extends ToolHost {
  readonly conversation: Conversation;
  readonly models: Models;
}

export interface AgentRun {
  readonly model: Model;
  readonly thinkingLevel: ThinkingLevel;
  readonly signal: AbortSignal;
}

interface Turn extends AgentRun {
  readonly turnIndex: number;
}

/** What the model is sent for messages: handlers first, then conversion and repair (§11.2, §11.3). */
async function buildRequest({ conversation, hooks, tools }: TurnHost): Promise<ModelContext> {
  const { messages, sessionManager } = conversation;
  const { payload } = await hooks.transform("context", { type: "context", messages });
  return requestFor(sessionManager.getCwd(), payload.messages, tools.active());
}

/** The same without handlers: what `coppice context --request` shows. */
export function requestFor(
  cwd: string,
  messages: readonly AgentMessage[],
  tools: readonly RegisteredTool[] = [],
): ModelContext {
  return {
    systemPrompt: systemPrompt(cwd, tools),
    messages: repairRequest(convertToLlm(messages)),
    ...(tools.length > 0 && { tools: toolsForModel(tools) }),
  };
}

/** Turn after turn until a reply calls no tools; gives the messages made, the last reply among them. */
export async function runTurns(host: TurnHost, run: AgentRun): Promise<readonly AgentMessage[]> {
  const made: AgentMessage[] = [];
  for (let turnIndex = 0; ; turnIndex++) {
    const { messages, isLast } = await runTurn(host, { ...run, turnIndex });
    made.push(...messages);
    await host.conversation.sessionManager.sync();
    if (isLast || run.signal.aborted) return made;
  }
}

interface TurnOutcome {
  readonly messages: readonly AgentMessage[];
  /** Whether nothing is to be answered to the model. */
  readonly isLast: boolean;
}

/**
 * One reply of the model, streamed, stored, told, and the results of its calls. An error or an
 * abort of the model is a stored message with that stop reason, not a rejection.
 */
async function runTurn(host: TurnHost, turn: Turn): Promise<TurnOutcome> {
  const { turnIndex, signal } = turn;
  const message = await reply(host, turn);
  const messageEntryId = await store(host, message);
  const calls = message.stopReason === "toolUse" ? toolCalls(message) : [];
  const results: ToolResultMessage[] = [];
  const toolResultEntryIds: string[] = [];
  let isTerminated = calls.length > 0;
  if (calls.length > 0) host.conversation.activity = "tools";
  for await (const outcome of runToolCalls(host, calls, signal)) {
    toolResultEntryIds.push(await store(host, outcome.message));
    results.push(outcome.message);
    isTerminated &&= outcome.terminate;
  }
  if (calls.length > 0) host.conversation.activity = "streaming";
  const end = { turnIndex, message, toolResults: results, messageEntryId, toolResultEntryIds };
  await host.hooks.after("turn_end", { type: "turn_end", ...end });
  return { messages: [message, ...results], isLast: calls.length === 0 || isTerminated };
}

function reply(host: TurnHost, turn: Turn): Promise<AssistantMessage> {
  const { conversation, models } = host;
  const { model, thinkingLevel, signal } = turn;
  const timestamp = conversation.env.now();
  const options = {
    signal,
    sessionId: conversation.sessionManager.getSessionId(),
    ...(thinkingLevel !== "off" && { reasoning: thinkingLevel }),
  };
  return readReply(
    () => prepare(host, turn, timestamp),
    (context) => models.stream(model, context, options),
    { model, signal, timestamp, follow: (event) => tellProgress(host, event) },
  );
}

/** Appends a message, tells of it, and gives the id of its entry. */
async function store(
  { conversation, hooks }: TurnHost,
  message: AssistantMessage | ToolResultMessage,
): Promise<string> {
  const id = conversation.sessionManager.appendMessage(message);
  conversation.add(message);
  conversation.announce({ type: "message_end", message });
  await hooks.after("message_end", { type: "message_end", message });
  return id;
}

async function prepare(
  host: TurnHost,
  { turnIndex }: Turn,
  timestamp: number,
): Promise<ModelContext> {
  await host.hooks.after("turn_start", { type: "turn_start", turnIndex, timestamp });
  return buildRequest(host);
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

function systemPrompt(cwd: string, tools: readonly RegisteredTool[]): string {
  return [
    "You are a coding agent that works with a person in a terminal.",
    `The working folder is ${cwd}.`,
    "Answer in plain text or Markdown, briefly and exactly; say so when you do not know.",
    "Earlier parts of the conversation may appear as summaries between <summary> lines.",
    ...tools.flatMap(({ name, definition: { promptSnippet, promptGuidelines } }) => [
      ...(promptSnippet ? [`Tool ${name}: ${promptSnippet}`] : []),
      ...(promptGuidelines ?? []),
    ]),
  ].join("\n");
}
