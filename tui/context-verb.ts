import {
  type AgentMessage,
  type ContentBlock,
  contentBlocks,
  mentionedFiles,
  messageText,
  type SessionContext,
  type SessionManager,
} from "../core/index.ts";
import {
  type CliCommand,
  cleanLine,
  cleanText,
  jsonLine,
  type ModelContext,
  requestFor,
} from "../host/index.ts";

/** What a verb that only reads a session is called with. */
export interface ReadCall {
  readonly options: Readonly<Record<string, unknown>>;
  write(text: string): void;
}

/** `coppice context`, as the verbs of extensions are written; it needs none of them. */
export const contextVerb: Omit<CliCommand, "run"> = {
  name: "context",
  description: "print what the agent knows at a leaf, or what the model would be sent",
  arguments: "<session>",
  options: [
    { flags: "--leaf <entry>", description: "id of the entry; without it the leaf of the session" },
    {
      flags: "--request",
      description: "the request: system prompt, messages converted and repaired",
    },
    { flags: "--json", description: "one JSON object instead of text" },
  ],
  examples: ["coppice context 0199a1b2", "coppice context session.jsonl --request --json"],
  session: "read",
};

/** Prints the context of a session. Raises ENTRY_NOT_FOUND for an unknown leaf; then prints nothing. */
export function runContextVerb({ options, write }: ReadCall, session: SessionManager): void {
  const leafId = typeof options.leaf === "string" ? options.leaf : session.getLeafId();
  const context = session.buildSessionContext(leafId);
  const shape = options.request === true ? requestShape(session, context) : contextShape(context);
  if (options.json === true) write(`${jsonLine({ leafId, ...shape.json })}\n`);
  else for (const line of shape.lines(leafId)) write(`${line}\n`);
}

/** The same in both forms. */
interface Shape {
  readonly json: object;
  lines(leafId: string | null): Iterable<string>;
}

function contextShape(context: SessionContext): Shape {
  const { thinkingLevel, model, mode, modeData, injectedTtsrRules } = context;
  const messages = context.messages.map((message) => {
    const { role, ...rest } = message;
    return { role, text: messageText(message), ...rest };
  });
  const state = { thinkingLevel, model, mode, modeData: modeData ?? null, injectedTtsrRules };
  return {
    json: { messages, ...state },
    *lines(leafId) {
      yield* context.messages.flatMap(messageLines);
      yield `leaf: ${cleanLine(leafId ?? "(before the first entry)")}`;
      yield `model: ${cleanLine(model ? `${model.provider}/${model.modelId}` : "(none)")}`;
      yield `thinking: ${cleanLine(thinkingLevel)}`;
      yield `mode: ${cleanLine(mode)}`;
      if (injectedTtsrRules.length > 0) yield `rules: ${cleanLine(injectedTtsrRules.join(", "))}`;
    },
  };
}

function requestShape(session: SessionManager, { messages, model }: SessionContext): Shape {
  const request: ModelContext = requestFor(session.getCwd(), messages);
  const { systemPrompt = "" } = request;
  return {
    json: { ...(model && { model }), systemPrompt, messages: request.messages },
    *lines() {
      yield* ["system:", ...indented(systemPrompt), ""];
      yield* request.messages.flatMap(messageLines);
    },
  };
}

function messageLines(message: AgentMessage): readonly string[] {
  return [`${cleanLine(message.role)}:`, ...bodyOf(message).flatMap(indented), ""];
}

function bodyOf(message: AgentMessage): readonly string[] {
  if (message.role === "bashExecution") return [`$ ${messageText(message)}`, message.output];
  if (message.role !== "fileMention") {
    return "content" in message
      ? contentBlocks(message.content).map(blockText)
      : [messageText(message)];
  }
  return mentionedFiles(message).map(({ path }) => `[file ${path}]`);
}

function blockText(block: ContentBlock): string {
  if (block.type === "thinking") return `(thinking) ${block.thinking}`;
  if (block.type === "image") return `[image ${block.mimeType}]`;
  if (block.type === "toolCall") return `[${block.name} ${JSON.stringify(block.arguments)}]`;
  return block.type === "text" ? block.text : `[${(block as { type: string }).type}]`;
}

function indented(text: unknown): readonly string[] {
  const clean = cleanText(typeof text === "string" ? text : "").trimEnd();
  return clean === "" ? [] : clean.split("\n").map((line) => (line === "" ? "" : `  ${line}`));
}
