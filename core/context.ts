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
import { lazyList } from "./lazy-list.ts";
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

/** A path, root first, of which kinds and ids are known without its entries. */
export interface ContextPath {
  readonly length: number;
  kind(index: number): { readonly type: string; readonly role?: string };
  id(index: number): string;
  entry(index: number): SessionEntry;
}

/** The context of a path, root first. */
export function contextOfPath(
  entries: readonly SessionEntry[],
  resolveKept: (keptId: string) => number | undefined = () => undefined,
): PathContext {
  const kind = (index: number) => {
    const entry = entries[index] as SessionEntry;
    const role = messageOf(entry)?.role;
    return { type: entry.type, ...(role !== undefined && { role }) };
  };
  const entry = (index: number) => entries[index] as SessionEntry;
  const path = { length: entries.length, kind, id: (index: number) => entry(index).id, entry };
  return contextOf(path, resolveKept);
}

/**
 * The context of a path. Only entries that decide something are read at once; of a long path each
 * message is made when it is reached.
 */
export function contextOf(
  path: ContextPath,
  resolveKept: (keptId: string) => number | undefined,
): PathContext {
  const { compaction, unresolved, isSelected } = selectEntries(path, resolveKept);
  const edits = editsOf(path);
  const places = messagePlaces(path, isSelected, edits);
  const offset = compaction ? 1 : 0;
  const messages = lazyList(places.length + offset, (n) => {
    if (compaction && n === 0) return compactionSummary(compaction);
    const index = places[n - offset] as number;
    return editedMessage(path, index, edits) ?? lostMessage(path.kind(index).role);
  });
  const context = { messages, ...stateOf(path) };
  return unresolved ? { context, unresolved } : { context };
}

/** Positions of the path that give a message. */
function messagePlaces(
  path: ContextPath,
  isSelected: (index: number) => boolean,
  edits: ReadonlyMap<string, Edit>,
): number[] {
  const places: number[] = [];
  for (let i = 0; i < path.length; i++) {
    const { type, role } = path.kind(i);
    const isCertain = (type === "message" && role !== undefined) || type === "custom_message";
    if (!isSelected(i) || !(isCertain || type === "branch_summary")) continue;
    const isDecided = isCertain && !edits.has(path.id(i));
    if (isDecided || editedMessage(path, i, edits)) places.push(i);
  }
  return places;
}

function editedMessage(
  path: ContextPath,
  index: number,
  edits: ReadonlyMap<string, Edit>,
): AgentMessage | undefined {
  const message = messageOfEntry(path.entry(index));
  return message && applyEdit(message, edits.get(path.id(index)));
}

/** In place of a message whose bytes are lost: it keeps its place, without content. */
function lostMessage(role: string | undefined): AgentMessage {
  return { role, content: [], timestamp: 0 } as unknown as AgentMessage;
}

interface Selection {
  isSelected(index: number): boolean;
  readonly compaction?: CompactionEntry;
  readonly unresolved?: CompactionEntry;
}

function selectEntries(
  path: ContextPath,
  resolveKept: (keptId: string) => number | undefined,
): Selection {
  const at = lastOf(path, "compaction");
  const boundary = lastOf(path, "reset_boundary");
  if (boundary > at || at < 0) return { isSelected: (index) => index > boundary };
  const compaction = path.entry(at) as CompactionEntry;
  const kept = keptFrom(path, at, resolveKept);
  const isSelected = (index: number) => index >= (kept ?? at) && index !== at;
  return kept === undefined
    ? { isSelected, compaction, unresolved: compaction }
    : { isSelected, compaction };
}

function lastOf(path: ContextPath, type: string): number {
  let index = path.length - 1;
  while (index >= 0 && path.kind(index).type !== type) index--;
  return index;
}

function keptFrom(
  path: ContextPath,
  at: number,
  resolveKept: (keptId: string) => number | undefined,
): number | undefined {
  const compaction = path.entry(at) as CompactionEntry;
  const keptId = asId(compaction.firstKeptEntryId);
  if (keptId === null) return undefined;
  if (keptId === compaction.id) return at;
  let onPath = 0;
  while (onPath < path.length && path.id(onPath) !== keptId) onPath++;
  const index = onPath < path.length ? onPath : resolveKept(keptId);
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
function editsOf(path: ContextPath): ReadonlyMap<string, Edit> {
  const edits = new Map<string, Edit>();
  const found: SessionEntry[] = [];
  for (let i = 0; i < path.length; i++) {
    if (path.kind(i).type === "context_edit") found.push(path.entry(i));
  }
  if (found.length === 0) return edits;
  const onPath = new Set(Array.from({ length: path.length }, (_, i) => path.id(i)));
  for (const entry of found) {
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

function stateOf(path: ContextPath): Omit<SessionContext, "messages"> {
  let thinkingLevel = "off";
  let mode = "none";
  let modeData: unknown;
  const rules = new Set<string>();
  for (let i = 0; i < path.length; i++) {
    if (!STATES.has(path.kind(i).type)) continue;
    const entry = path.entry(i);
    if (isKind(entry, "thinking_level_change")) thinkingLevel = levelOf(entry, thinkingLevel);
    else if (isKind(entry, "mode_change") && typeof entry.mode === "string") {
      mode = entry.mode;
      modeData = entry.data;
    } else if (isKind(entry, "ttsr_injection")) addRules(rules, entry.injectedRules);
  }
  return { thinkingLevel, model: lastModel(path), mode, modeData, injectedTtsrRules: [...rules] };
}

const STATES: ReadonlySet<string> = new Set([
  "thinking_level_change",
  "mode_change",
  "ttsr_injection",
]);

/** The model that the last entry naming one gives. */
function lastModel(path: ContextPath): SessionContext["model"] {
  for (let i = path.length - 1; i >= 0; i--) {
    const { type, role } = path.kind(i);
    if (type !== "model_change" && role !== "assistant") continue;
    const model = modelAfter(path.entry(i));
    if (model) return model;
  }
  return null;
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
