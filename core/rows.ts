import { asId, isJsonObject, type JsonObject, POSITION_MARKER } from "./entries.ts";
import { type AgentMessage, contentText, messageText } from "./messages.ts";

/** What many records have in common. */
export interface RowKind {
  readonly type: string;
  readonly role?: string;
  readonly customType?: string;
  readonly toolName?: string;
  readonly stopReason?: string;
  /** Whether the entry has text that is not blank. */
  readonly hasText: boolean;
  /** Set for position markers: whether the stored parent is an id or `null` (session tree §3.5). */
  readonly marker?: "valid" | "invalid";
}

/**
 * The index fields of one record of a session file, in file order: all that the tree, filters and
 * lists need, so that no entry has to be parsed for them (session tree §17).
 */
export interface RecordRow extends RowKind {
  readonly id: string;
  /** As stored; absent, empty and non-string values are `null` (session tree §2.3). */
  readonly parentId: string | null;
  readonly timestamp: string | undefined;
  /** Line in the file, from 1. Absent in memory. */
  readonly line?: number;
  /** Target of a `label` entry. */
  readonly targetId?: string;
  /** Trimmed text of a `label` entry; absent when it clears. */
  readonly label?: string;
  /** Name that a `session_info` or `title_change` gives, as written. */
  readonly name?: string;
  /** `firstKeptEntryId` of a compaction. */
  readonly keptId?: string;
  /** Total cost of an assistant message in US dollars. */
  readonly cost?: number;
}

/** Rows by position, and single fields of them, which cost no object. */
export interface Rows {
  readonly length: number;
  at(index: number): RecordRow | undefined;
  kindAt(index: number): RowKind;
  idAt(index: number): string;
  /** A number that two rows share if and only if they have one id. */
  idKey(index: number): number;
  /** The key of the stored parent, -1 for `null`. */
  parentKey(index: number): number;
  /** The key of an id; -1 for one that no row has as id or parent. Others may have no row either. */
  keyOf(id: string): number;
  /** Milliseconds; `undefined` without a readable timestamp. */
  timeAt(index: number): number | undefined;
  costAt(index: number): number | undefined;
  /** The name that the last row with one gives, as written. */
  lastName(): string | undefined;
}

/** The index row of one record. */
export function rowOf(record: JsonObject, line?: number): RecordRow {
  const row: Mutable<RecordRow> = {
    type: String(record.type),
    id: String(record.id ?? ""),
    parentId: asId(record.parentId),
    timestamp: typeof record.timestamp === "string" ? record.timestamp : undefined,
    hasText: hasText(record),
  };
  if (line !== undefined) row.line = line;
  addKindFields(row, record);
  return row;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function addKindFields(row: Mutable<RecordRow>, record: JsonObject): void {
  copyString(row, "customType", record.customType);
  switch (row.type) {
    case "message":
      addMessageFields(row, record.message);
      break;
    case "label":
      addLabelFields(row, record);
      break;
    case "session_info":
      copyString(row, "name", record.name);
      break;
    case "title_change":
      copyString(row, "name", record.title);
      break;
    case "compaction":
      copyString(row, "keptId", record.firstKeptEntryId);
      break;
    case "custom":
      if (row.customType === POSITION_MARKER) row.marker = markerState(record.parentId);
  }
}

function addMessageFields(row: Mutable<RecordRow>, message: unknown): void {
  if (!isJsonObject(message) || typeof message.role !== "string") return;
  row.role = message.role;
  copyString(row, "toolName", message.toolName);
  copyString(row, "stopReason", message.stopReason);
  copyString(row, "customType", message.customType);
  const cost = totalCost(message.usage);
  if (cost !== undefined) row.cost = cost;
}

function addLabelFields(row: Mutable<RecordRow>, record: JsonObject): void {
  copyString(row, "targetId", record.targetId);
  const label = typeof record.label === "string" ? record.label.trim() : "";
  if (label !== "") row.label = label;
}

function copyString(
  row: Mutable<RecordRow>,
  field: "customType" | "toolName" | "targetId" | "name" | "keptId" | "stopReason",
  value: unknown,
): void {
  if (typeof value === "string") row[field] = value;
}

function markerState(parentId: unknown): "valid" | "invalid" {
  return parentId === null || asId(parentId) !== null ? "valid" : "invalid";
}

function totalCost(usage: unknown): number | undefined {
  if (!isJsonObject(usage) || !isJsonObject(usage.cost)) return undefined;
  const total = usage.cost.total;
  return typeof total === "number" ? total : undefined;
}

function hasText(record: JsonObject): boolean {
  return recordText(record).trim() !== "";
}

function recordText(record: JsonObject): string {
  const { message, summary, content } = record;
  if (isJsonObject(message) && typeof message.role === "string") {
    return messageText(message as unknown as AgentMessage);
  }
  return typeof summary === "string" ? summary : contentText(content);
}

/** One row of `getIndex()`: the index fields as extensions see them (extensions spec §2.7). */
export interface IndexRow {
  readonly id: string;
  /** The effective parent. */
  readonly parentId: string | null;
  readonly type: string;
  readonly role?: string;
  readonly customType?: string;
  readonly toolName?: string;
  /** Milliseconds; 0 if the entry has no readable timestamp. */
  readonly time: number;
  readonly label?: string;
  readonly hasText: boolean;
  readonly stopReason?: string;
  readonly cost?: number;
}
