import type { WireBlock, WireBody, WireMessage } from "./anthropic-wire.ts";

/** What the Messages API refuses with `invalid_request_error`, as far as coppice could send it. */

/** The first rule that a request body breaks, or `undefined`. */
export function brokenRule(body: WireBody): string | undefined {
  const messages = body.messages as readonly WireMessage[] | undefined;
  if (typeof body.model !== "string") return "model: field required";
  if (!(Number(body.max_tokens) >= 1)) return "max_tokens: must be at least 1";
  if (!Array.isArray(messages) || messages.length === 0)
    return "messages: at least one is required";
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  if (messages.at(-1)?.role !== "user") return "messages: the last message must be the user's";
  return thinkingRule(body) ?? cacheRule(body) ?? messagesRule(messages);
}

function thinkingRule(body: WireBody): string | undefined {
  const thinking = body.thinking as { type?: string; budget_tokens?: number } | undefined;
  if (thinking?.type !== "enabled") return undefined;
  const budget = thinking.budget_tokens ?? 0;
  if (budget < 1024) return "thinking.budget_tokens: must be at least 1024";
  return budget < Number(body.max_tokens) ? undefined : "max_tokens: must exceed the budget";
}

function cacheRule(body: WireBody): string | undefined {
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  return marks > 4 ? `cache_control: at most 4 blocks, found ${marks}` : undefined;
}

function messagesRule(messages: readonly WireMessage[]): string | undefined {
  const broken = messages.map(contentRule).find((rule) => rule !== undefined);
  return broken ?? pairRule(messages) ?? idRule(messages.flatMap(callsOf));
}

function contentRule(message: WireMessage, index: number): string | undefined {
  const blocks = blocksOf(message);
  if (blocks.length === 0) return `messages.${index}: content is empty`;
  const broken = blocks.map(blockRule).find((rule) => rule !== undefined);
  return broken && `messages.${index}: ${broken}`;
}

/** The results of a message are those of the calls in the message before, in any order. */
function pairRule(messages: readonly WireMessage[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const open = before ? callsOf(before).toSorted().join() : "";
    const answered = resultsOf(message).toSorted().join();
    if (open !== answered) {
      return `messages.${index}: tool_use ${open} needs tool_result, found ${answered}`;
    }
  }
  return undefined;
}

function idRule(ids: readonly string[]): string | undefined {
  const malformed = ids.find((id) => !/^[a-zA-Z0-9_-]+$/.test(id));
  if (malformed !== undefined) return `tool_use.id ${malformed} is malformed`;
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  return twice === undefined ? undefined : `tool_use ids must be unique, found ${twice} twice`;
}

function callsOf(message: WireMessage): string[] {
  return blocksOf(message).flatMap(({ type, id }) => (type === "tool_use" ? [String(id)] : []));
}

function resultsOf(message: WireMessage): string[] {
  return blocksOf(message).flatMap(({ type, tool_use_id: id }) =>
    type === "tool_result" ? [String(id)] : [],
  );
}

function blocksOf({ content }: WireMessage): readonly WireBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function blockRule(block: WireBlock): string | undefined {
  switch (block.type) {
    case "text":
      return String(block.text).trim() === "" ? "text must contain non-whitespace text" : undefined;
    case "thinking":
      return block.signature ? undefined : "thinking.signature: field required";
    case "tool_use": {
      const input = block.input;
      const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
      return isObject ? undefined : "tool_use.input: must be an object";
    }
    case "tool_result":
      return (block.content as readonly WireBlock[] | undefined)?.map(blockRule).find(Boolean);
    case "image":
    case "redacted_thinking":
      return undefined;
    default:
      return `${block.type}: unknown block`;
  }
}
