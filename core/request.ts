import {
  type AssistantMessage,
  type LlmMessage,
  type ToolCallBlock,
  type ToolResultMessage,
  toolCalls,
} from "./messages.ts";

/**
 * Makes a request of messages that every provider accepts (session tree §11.3): after an assistant
 * message exactly one result for each of its tool calls, in their order; no other results; no empty
 * reply that was aborted or failed. Neither file nor tree changes.
 */
export function repairRequest(messages: readonly LlmMessage[]): LlmMessage[] {
  const answers = matchResults(messages);
  const request: LlmMessage[] = [];
  for (const message of messages) {
    if (message.role === "toolResult" || isEmptyFailure(message)) continue;
    request.push(message);
    if (message.role === "assistant") request.push(...(answers.get(message) ?? []));
  }
  return request;
}

/** A call that waits for its result. */
interface OpenCall {
  readonly results: ToolResultMessage[];
  readonly index: number;
}

function matchResults(
  messages: readonly LlmMessage[],
): ReadonlyMap<LlmMessage, readonly ToolResultMessage[]> {
  const answers = new Map<LlmMessage, ToolResultMessage[]>();
  const open = new Map<string, OpenCall[]>();
  for (const message of messages) {
    if (message.role === "assistant") {
      const calls = toolCalls(message);
      const results = calls.map((call) => notRun(call, message));
      answers.set(message, results);
      openCalls(open, calls, results);
    } else if (message.role === "toolResult") {
      const call = open.get(message.toolCallId)?.pop();
      if (call) call.results[call.index] = message;
    }
  }
  return answers;
}

/** Puts the calls on the stacks of their ids, first call on top. */
function openCalls(
  open: Map<string, OpenCall[]>,
  calls: readonly ToolCallBlock[],
  results: ToolResultMessage[],
): void {
  for (const [index, call] of [...calls.entries()].reverse()) {
    const stack = open.get(call.id) ?? [];
    stack.push({ results, index });
    open.set(call.id, stack);
  }
}

function notRun(call: ToolCallBlock, { timestamp }: AssistantMessage): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: "This call was not run." }],
    isError: true,
    timestamp,
  };
}

function isEmptyFailure(message: LlmMessage): boolean {
  if (message.role !== "assistant" || message.content.length > 0) return false;
  return message.stopReason === "aborted" || message.stopReason === "error";
}
