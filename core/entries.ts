import type { AgentMessage, ContentBlock } from "./messages.ts";

/** A JSON object as it stands in a session file. Unknown properties are kept. */
export type JsonObject = { readonly [key: string]: unknown };

/** The version of the session format that is written (session tree §2.2). */
export const FORMAT_VERSION = 3;

/** `customType` of position markers, which are no nodes of the tree (session tree §7). */
export const POSITION_MARKER = "coppice.position";

/** The first record of a session file (session tree §2.2). */
export interface SessionHeader {
  readonly type: "session";
  readonly version?: number;
  readonly id: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly parentSession?: string;
  readonly [key: string]: unknown;
}

/** Base fields of every entry (session tree §2.3). `parentId` is the effective parent (§3.4). */
export interface EntryBase {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

export interface MessageEntry extends EntryBase {
  readonly type: "message";
  readonly message: AgentMessage;
}

export interface CustomMessageEntry extends EntryBase {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: string | readonly ContentBlock[];
  readonly display: boolean;
  readonly details?: unknown;
}

export interface CompactionEntry extends EntryBase {
  readonly type: "compaction";
  readonly summary: string;
  readonly firstKeptEntryId?: string;
  readonly tokensBefore: number;
  readonly details?: unknown;
  readonly fromExtension?: boolean;
  readonly preserveData?: unknown;
}

export interface BranchSummaryEntry extends EntryBase {
  readonly type: "branch_summary";
  readonly fromId: string;
  readonly summary: string;
  readonly details?: unknown;
  readonly fromExtension?: boolean;
}

export interface CustomEntry extends EntryBase {
  readonly type: "custom";
  readonly customType: string;
  readonly data?: unknown;
}

export interface LabelEntry extends EntryBase {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}

export interface ContextEditEntry extends EntryBase {
  readonly type: "context_edit";
  readonly targetId: string;
  readonly replacement: null | { readonly content: string | readonly ContentBlock[] };
}

export interface ModelChangeEntry extends EntryBase {
  readonly type: "model_change";
  readonly provider?: string;
  readonly modelId?: string;
  readonly model?: string;
  readonly role?: string;
}

export interface ThinkingLevelChangeEntry extends EntryBase {
  readonly type: "thinking_level_change";
  readonly thinkingLevel?: string | null;
}

export interface ModeChangeEntry extends EntryBase {
  readonly type: "mode_change";
  readonly mode: string;
  readonly data?: unknown;
}

export interface TtsrInjectionEntry extends EntryBase {
  readonly type: "ttsr_injection";
  readonly injectedRules: readonly string[];
}

export interface SessionInfoEntry extends EntryBase {
  readonly type: "session_info";
  readonly name: string;
}

/** Every kind without a shape of its own: `reset_boundary`, bookkeeping of omp, unknown types. */
export interface OtherEntry extends EntryBase {
  readonly type: string & { readonly other?: never };
  readonly [key: string]: unknown;
}

/** The kinds of session tree §2.4 that coppice reads or writes. */
export type KnownEntry =
  | MessageEntry
  | CustomMessageEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | LabelEntry
  | ContextEditEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | ModeChangeEntry
  | TtsrInjectionEntry
  | SessionInfoEntry;

/** A node of the session tree. Narrow it with {@link isKind}. */
export type SessionEntry = KnownEntry | OtherEntry;

type KindOf<T extends KnownEntry["type"]> = Extract<KnownEntry, { readonly type: T }>;

/** True if the entry is of the given kind; narrows its type. */
export function isKind<T extends KnownEntry["type"]>(
  entry: SessionEntry | undefined,
  type: T,
): entry is KindOf<T> {
  return entry?.type === type;
}

/** Kinds that are part of the conversation; all others are bookkeeping (session tree §2.4, "default"). */
const CONVERSATION: ReadonlySet<string> = new Set([
  "message",
  "custom_message",
  "compaction",
  "branch_summary",
]);

export function isConversation({ type }: { readonly type: string }): boolean {
  return CONVERSATION.has(type);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A non-empty string, else `null`: how ids and parents are read (session tree §2.3). */
export function asId(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** The message of a `message` entry, or `undefined` for a broken one (session tree §2.4). */
export function messageOf(entry: SessionEntry): AgentMessage | undefined {
  if (entry.type !== "message") return undefined;
  const message = (entry as JsonObject & EntryBase).message;
  return isJsonObject(message) && typeof message.role === "string"
    ? (message as unknown as AgentMessage)
    : undefined;
}

/** Whether an extension made the summary, in either spelling (session tree §2.5). */
export function isFromExtension(entry: SessionEntry): boolean | undefined {
  const record = entry as unknown as JsonObject;
  const flag = record.fromExtension ?? record.fromHook;
  return typeof flag === "boolean" ? flag : undefined;
}

/** Provider and model of a `model_change`, or `undefined` if it names none (session tree §2.5). */
export function modelOfChange(
  entry: SessionEntry,
): { readonly provider: string; readonly modelId: string } | undefined {
  const { provider, modelId, model } = entry as ModelChangeEntry;
  if (asId(provider) && asId(modelId)) return { provider: provider ?? "", modelId: modelId ?? "" };
  if (typeof model !== "string") return undefined;
  const slash = model.indexOf("/");
  if (slash <= 0 || slash === model.length - 1) return undefined;
  return { provider: model.slice(0, slash), modelId: model.slice(slash + 1) };
}

/** Milliseconds of a timestamp, or `undefined` if it cannot be parsed. */
export function timeOf(timestamp: unknown): number | undefined {
  if (typeof timestamp !== "string") return undefined;
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}
