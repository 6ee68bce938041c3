import {
  type AgentMessage,
  type AssistantMessage,
  contentText,
  isKind,
  messageOf,
  messageText,
  type SessionEntry,
  type ToolCallBlock,
  type ToolResultMessage,
} from "../core/index.ts";

/** A piece of the conversation that is wrapped and remembered as one. */
export type Block = {
  /** Stays the same while the piece does: the entry's id and its number in the entry. */
  readonly key: string;
  /** Place of the entry on the path, from 0; notes stand behind it. */
  readonly at: number;
} & BlockContent;

export type BlockContent =
  | { readonly kind: "user" | "assistant" | "thinking" | "error"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly call: Pick<ToolCallBlock, "name" | "arguments">;
      readonly result?: ToolResultMessage;
    }
  | {
      readonly kind: "bash";
      readonly command: string;
      readonly output: string;
      readonly exitCode?: number;
    }
  /** A summary, or a message of an extension. */
  | { readonly kind: "aside"; readonly title: string; readonly text: string }
  | { readonly kind: "note"; readonly type: NoteType; readonly text: string };

export type NoteType = "info" | "warning" | "error";

/** Something the program said; it is no part of the session. */
export interface Note {
  readonly number: number;
  readonly type: NoteType;
  readonly text: string;
  /** The leaf when it was said, and the length of the path to it. */
  readonly leafId: string | null;
  readonly depth: number;
}

type Results = ReadonlyMap<string, ToolResultMessage>;

/** The blocks of entries of a path, the first of which stands at `first`; a tool call takes its result to it. */
export function blocksOf(entries: readonly SessionEntry[], first = 0): readonly Block[] {
  const results = new Map<string, ToolResultMessage>();
  const calls = new Set<string>();
  for (const entry of entries) collect(entry, results, calls);
  return entries.flatMap((entry, index) =>
    contentOf(entry, results, calls).map((content, part) => ({
      key: `${entry.id}:${part}`,
      at: first + index,
      ...content,
    })),
  );
}

/** The blocks of a reply while it comes, behind everything else. */
export function liveBlocks(message: AgentMessage): readonly Block[] {
  if (message.role !== "assistant") return [];
  return assistantContent(message, new Map()).map((content, part) => ({
    key: `${LIVE}:${part}`,
    at: Number.POSITIVE_INFINITY,
    ...content,
  }));
}

const LIVE = "live";

/** The key a block of the live reply has once the reply is an entry. */
export function settledKey(key: string, entryId: string | null): string {
  return entryId !== null && key.startsWith(`${LIVE}:`) ? entryId + key.slice(LIVE.length) : key;
}

/** Where the blocks have to be made anew when entries come behind these. */
export function lastAssistantAt(path: readonly SessionEntry[]): number {
  const at = path.findLastIndex((entry) => messageOf(entry)?.role === "assistant");
  return at < 0 ? path.length : at;
}

/** Blocks with the notes of their path between them. */
export function withNotes(
  path: readonly string[],
  blocks: readonly Block[],
  notes: readonly Note[],
): readonly Block[] {
  const shown = notes.filter(({ leafId, depth }) => (path[depth - 1] ?? null) === leafId);
  if (shown.length === 0) return blocks;
  const all: Block[] = [];
  let next = 0;
  for (const note of [...shown].sort((a, b) => a.depth - b.depth)) {
    while ((blocks[next]?.at ?? note.depth) < note.depth) all.push(blocks[next++] as Block);
    const { number, type, text } = note;
    all.push({ key: `note:${number}`, at: note.depth - 1, kind: "note", type, text });
  }
  for (const block of blocks.slice(next)) all.push(block);
  return all;
}

function collect(
  entry: SessionEntry,
  results: Map<string, ToolResultMessage>,
  calls: Set<string>,
): void {
  const message = messageOf(entry);
  if (message?.role === "toolResult") results.set(message.toolCallId, message);
  if (message?.role !== "assistant" || !Array.isArray(message.content)) return;
  for (const block of message.content) if (block?.type === "toolCall") calls.add(block.id);
}

function contentOf(
  entry: SessionEntry,
  results: Results,
  calls: ReadonlySet<string>,
): readonly BlockContent[] {
  if (isKind(entry, "custom_message")) {
    const { display, customType, content } = entry;
    return display === false ? [] : aside(customType, contentText(content));
  }
  if (isKind(entry, "branch_summary")) {
    return aside("summary of the branch that was left", asText(entry.summary));
  }
  if (isKind(entry, "compaction")) {
    const thousands = Math.round((Number(entry.tokensBefore) || 0) / 1000);
    return aside(
      `what came before, ${thousands}k tokens, is a summary from here on`,
      asText(entry.summary),
    );
  }
  const message = messageOf(entry);
  return message === undefined ? [] : messageContent(message, results, calls);
}

function messageContent(
  message: AgentMessage,
  results: Results,
  calls: ReadonlySet<string>,
): readonly BlockContent[] {
  switch (message.role) {
    case "user":
      return [{ kind: "user", text: messageText(message) }];
    case "assistant":
      return assistantContent(message, results);
    case "toolResult":
      if (calls.has(message.toolCallId)) return [];
      return [
        { kind: "tool", call: { name: asText(message.toolName), arguments: {} }, result: message },
      ];
    case "bashExecution": {
      const { command, output, exitCode } = message;
      const code = exitCode === undefined ? {} : { exitCode };
      return [{ kind: "bash", command: asText(command), output: asText(output), ...code }];
    }
    case "pythonExecution":
      return [{ kind: "bash", command: asText(message.code), output: asText(message.output) }];
    case "custom":
    case "hookMessage":
      return message.display === false ? [] : aside(message.customType, messageText(message));
    case "branchSummary":
    case "compactionSummary":
      return aside("summary", messageText(message));
    default:
      return [];
  }
}

function assistantContent(message: AssistantMessage, results: Results): readonly BlockContent[] {
  const parts = Array.isArray(message.content) ? message.content : [];
  const blocks = parts.flatMap((part): readonly BlockContent[] => {
    switch (part?.type) {
      case "text":
        return spoken("assistant", asText(part.text));
      case "thinking":
        return spoken("thinking", part.redacted ? "(not shown)" : asText(part.thinking));
      case "toolCall": {
        const result = results.get(part.id);
        return [{ kind: "tool", call: part, ...(result && { result }) }];
      }
      default:
        return [];
    }
  });
  return [...blocks, ...ending(message)];
}

function ending({ stopReason, errorMessage }: AssistantMessage): readonly BlockContent[] {
  if (stopReason === "aborted") return [{ kind: "thinking", text: "(stopped)" }];
  if (stopReason === "length") return [{ kind: "thinking", text: "(cut: the reply was too long)" }];
  if (stopReason !== "error") return [];
  return [{ kind: "error", text: asText(errorMessage) || "the model ended with an error" }];
}

function spoken(kind: "assistant" | "thinking", text: string): readonly BlockContent[] {
  const trimmed = text.trim();
  return trimmed === "" ? [] : [{ kind, text: trimmed }];
}

function aside(title: string, text: string): readonly BlockContent[] {
  return [{ kind: "aside", title: asText(title), text: text.trim() }];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
