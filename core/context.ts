import {
  asId,
  type CompactionEntry,
  isJsonObject,
  isKind,
  messageOf,
  modelOfChange,
  type SessionEntry,
  timeOf,
} from "./entries.ts";
import { coreError } from "./errors.ts";
import type { AgentMessage, ContentBlock } from "./messages.ts";

/** What the agent knows at a leaf (session tree §11.1). */
export interface SessionContext {
  readonly messages: AgentMessage[];
  readonly thinkingLevel: string;
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly mode: string;
  readonly modeData: unknown;
  readonly injectedTtsrRules: string[];
}

/**
 * The path position from which a compaction keeps messages, or `undefined` if its kept id names
 * nothing before it. Called for kept ids that are no entry of the path.
 */
export type KeptResolver = (keptId: string, path: readonly SessionEntry[]) => number | undefined;

export interface PathContext {
  readonly context: SessionContext;
  /** The compaction whose `firstKeptEntryId` could not be resolved. */
  readonly unresolved?: CompactionEntry;
}

/**
 * Builds the context at a leaf from entries of anywhere. An absent leaf means the last entry, `null`
 * the empty context; the path ends at a missing parent. Raises ENTRY_NOT_FOUND. Mutates nothing.
 */
export function buildSessionContext(
  entries: readonly SessionEntry[],
  leafId?: string | null,
  byId: ReadonlyMap<string, SessionEntry> = new Map(entries.map((entry) => [entry.id, entry])),
): SessionContext {
  const leaf = leafId === undefined ? (entries.at(-1)?.id ?? null) : leafId;
  if (leaf === null) return contextOfPath([]).context;
  if (!byId.has(leaf)) throw coreError("ENTRY_NOT_FOUND", { id: leaf });
  const path: SessionEntry[] = [];
  let entry = byId.get(leaf);
  while (entry && path.length <= byId.size) {
    path.push(entry);
    entry = entry.parentId === null ? undefined : byId.get(entry.parentId);
  }
  return contextOfPath(path.reverse()).context;
}

/** The context of a path, root first. */
export function contextOfPath(
  path: readonly SessionEntry[],
  resolveKept: KeptResolver = () => undefined,
): PathContext {
  const selection = selectEntries(path, resolveKept);
  const edits = editsOf(path);
  const messages: AgentMessage[] = [];
  if (selection.compaction) messages.push(compactionSummary(selection.compaction));
  for (const entry of selection.entries) {
    const message = messageOfEntry(entry);
    const edited = message && applyEdit(message, edits.get(entry.id));
    if (edited) messages.push(edited);
  }
  const context = { messages, ...stateOf(path) };
  return selection.unresolved ? { context, unresolved: selection.unresolved } : { context };
}

interface Selection {
  readonly entries: readonly SessionEntry[];
  readonly compaction?: CompactionEntry;
  readonly unresolved?: CompactionEntry;
}

function selectEntries(path: readonly SessionEntry[], resolveKept: KeptResolver): Selection {
  const at = path.findLastIndex((entry) => entry.type === "compaction");
  const boundary = path.findLastIndex((entry) => entry.type === "reset_boundary");
  if (boundary > at) return { entries: path.slice(boundary + 1) };
  if (at < 0) return { entries: path };
  const compaction = path[at] as CompactionEntry;
  const kept = keptFrom(path, at, resolveKept);
  const entries = [...path.slice(kept ?? at, at), ...path.slice(at + 1)];
  return kept === undefined
    ? { entries, compaction, unresolved: compaction }
    : { entries, compaction };
}

function keptFrom(
  path: readonly SessionEntry[],
  at: number,
  resolveKept: KeptResolver,
): number | undefined {
  const compaction = path[at] as CompactionEntry;
  const keptId = asId(compaction.firstKeptEntryId);
  if (keptId === null) return undefined;
  if (keptId === compaction.id) return at;
  const onPath = path.findIndex((entry) => entry.id === keptId);
  const index = onPath >= 0 ? onPath : resolveKept(keptId, path);
  return index !== undefined && index < at ? index : undefined;
}

/** The message that an entry alone gives, edits left aside; `undefined` for kinds that give none. */
export function messageOfEntry(entry: SessionEntry): AgentMessage | undefined {
  if (isKind(entry, "custom_message")) {
    const { customType, content, display, details } = entry;
    return {
      role: "custom",
      customType,
      content: (content ?? []) as string,
      display,
      ...(details !== undefined && { details }),
      timestamp: timeOf(entry.timestamp) ?? 0,
    };
  }
  if (isKind(entry, "branch_summary")) {
    if (typeof entry.summary !== "string" || entry.summary === "") return undefined;
    const { summary, fromId } = entry;
    return {
      role: "branchSummary",
      summary,
      ...(fromId !== undefined && { fromId }),
      timestamp: timeOf(entry.timestamp) ?? 0,
    };
  }
  const message = messageOf(entry);
  return message && withContent(message);
}

/** Roles whose `content` may be absent or `null`, which counts as an empty list (§2.4). */
function withContent(message: AgentMessage): AgentMessage {
  const { content } = message as { content?: unknown };
  const needsContent =
    CONTENT_ROLES.has(message.role) && (content === undefined || content === null);
  return needsContent ? ({ ...message, content: [] } as unknown as AgentMessage) : message;
}

function compactionSummary(entry: CompactionEntry): AgentMessage {
  return {
    role: "compactionSummary",
    summary: typeof entry.summary === "string" ? entry.summary : "",
    tokensBefore: entry.tokensBefore,
    timestamp: timeOf(entry.timestamp) ?? 0,
  };
}

const CONTENT_ROLES: ReadonlySet<string> = new Set([
  "user",
  "developer",
  "assistant",
  "toolResult",
  "custom",
  "hookMessage",
]);

const EDITABLE: ReadonlySet<string> = new Set(["user", "assistant", "toolResult", "custom"]);

type Edit = { readonly omit: true } | { readonly content: string | readonly ContentBlock[] };

/** Edits of the path by target, the last for each; broken ones and foreign targets do not count. */
function editsOf(path: readonly SessionEntry[]): ReadonlyMap<string, Edit> {
  const edits = new Map<string, Edit>();
  if (!path.some((entry) => entry.type === "context_edit")) return edits;
  const onPath = new Set(path.map((entry) => entry.id));
  for (const entry of path) {
    if (!isKind(entry, "context_edit") || !onPath.has(entry.targetId)) continue;
    const edit = readEdit(entry.replacement);
    if (edit) edits.set(entry.targetId, edit);
  }
  return edits;
}

function readEdit(replacement: unknown): Edit | undefined {
  if (replacement === null) return { omit: true };
  if (!isJsonObject(replacement)) return undefined;
  const { content } = replacement;
  return typeof content === "string" || Array.isArray(content) ? { content } : undefined;
}

function applyEdit(message: AgentMessage, edit: Edit | undefined): AgentMessage | undefined {
  if (!edit) return message;
  if ("omit" in edit) return undefined;
  if (!EDITABLE.has(message.role)) return message;
  const needsBlocks = message.role === "assistant" || message.role === "toolResult";
  const content =
    needsBlocks && typeof edit.content === "string"
      ? [{ type: "text", text: edit.content }]
      : edit.content;
  return { ...message, content } as AgentMessage;
}

function stateOf(path: readonly SessionEntry[]): Omit<SessionContext, "messages"> {
  let thinkingLevel = "off";
  let model: SessionContext["model"] = null;
  let mode = "none";
  let modeData: unknown;
  const rules = new Set<string>();
  for (const entry of path) {
    if (isKind(entry, "thinking_level_change")) thinkingLevel = levelOf(entry, thinkingLevel);
    else if (isKind(entry, "mode_change") && typeof entry.mode === "string") {
      mode = entry.mode;
      modeData = entry.data;
    } else if (isKind(entry, "ttsr_injection")) addRules(rules, entry.injectedRules);
    else model = modelAfter(entry) ?? model;
  }
  return { thinkingLevel, model, mode, modeData, injectedTtsrRules: [...rules] };
}

function levelOf(entry: { readonly thinkingLevel?: unknown }, previous: string): string {
  const level = entry.thinkingLevel ?? "off";
  return typeof level === "string" ? level : previous;
}

function addRules(rules: Set<string>, injected: unknown): void {
  if (!Array.isArray(injected)) return;
  for (const rule of injected) if (typeof rule === "string") rules.add(rule);
}

function modelAfter(entry: SessionEntry): SessionContext["model"] | undefined {
  if (isKind(entry, "model_change")) {
    const isDefault = entry.role === undefined || entry.role === "default";
    return isDefault ? modelOfChange(entry) : undefined;
  }
  const message = messageOf(entry);
  if (message?.role !== "assistant") return undefined;
  const provider = asId(message.provider);
  const modelId = asId(message.model);
  return provider && modelId ? { provider, modelId } : undefined;
}
