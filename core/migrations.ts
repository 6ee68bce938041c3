import { FORMAT_VERSION, isJsonObject, type JsonObject, type SessionHeader } from "./entries.ts";
import type { RecordRow } from "./rows.ts";

/** SHA-256 of the UTF-8 bytes of a text, as lower-case hex. */
export type Sha256 = (text: string) => string;

/**
 * The way of one file's records to the present format (session tree §4). Records that no step
 * changes come back as the same object.
 */
export interface Migration {
  /** False for a file of the present or a newer format: both calls give records back as they are. */
  readonly isNeeded: boolean;
  /**
   * The next record in file order, headers left out. `ordinal` is its place among all records of
   * the file, further headers counted, the first header being 0.
   */
  next(record: JsonObject, ordinal: number): JsonObject;
  /** The same for a record alone, at any time, from the row of what `next` gave. */
  again(record: JsonObject, row: RecordRow): JsonObject;
}

type Next = (record: JsonObject, ordinal: number) => JsonObject;

interface Step {
  /** The version it starts from; it ends at the version after. */
  readonly from: number;
  start(sessionId: string, sha256: Sha256): Next;
  again(record: JsonObject, row: RecordRow): JsonObject;
}

/** What each version changed. */
const STEPS: readonly Step[] = [
  { from: 1, start: linkRecords, again: relink },
  { from: 2, start: () => renameHookRole, again: renameHookRole },
];

/** The migration for a file with this valid header. */
export function migrationOf(header: SessionHeader, sha256: Sha256): Migration {
  const steps = STEPS.filter((step) => step.from >= versionOf(header));
  const passes = steps.map((step) => step.start(header.id, sha256));
  return {
    isNeeded: steps.length > 0,
    next: (record, ordinal) => passes.reduce((value, pass) => pass(value, ordinal), record),
    again: (record, row) => steps.reduce((value, step) => step.again(value, row), record),
  };
}

/** The version of a header; absent means 1. */
export function versionOf(header: SessionHeader): number {
  return header.version ?? 1;
}

/** The header in the present format; one of a newer format as it is. */
export function migrateHeader(header: SessionHeader): SessionHeader {
  return versionOf(header) >= FORMAT_VERSION ? header : { ...header, version: FORMAT_VERSION };
}

/** 1 → 2: records get an id and the record before them as parent; indexes become ids. */
function linkRecords(sessionId: string, sha256: Sha256): Next {
  const ids = new Map<number, string>();
  const taken = new Set<string>();
  let parentId: string | null = null;
  return (record, ordinal) => {
    const id = freshId(`${sessionId}:${ordinal}`, taken, sha256);
    const linked: JsonObject = { ...record, id, parentId };
    const kept = ids.get(record.firstKeptEntryIndex as number);
    ids.set(ordinal, id);
    parentId = id;
    return record.type === "compaction" ? keepFrom(linked, kept) : linked;
  };
}

function freshId(seed: string, taken: Set<string>, sha256: Sha256): string {
  let id = sha256(seed).slice(0, 8);
  for (let n = 1; taken.has(id); n++) id = sha256(`${seed}:${n}`).slice(0, 8);
  taken.add(id);
  return id;
}

function relink(record: JsonObject, row: RecordRow): JsonObject {
  const linked: JsonObject = { ...record, id: row.id, parentId: row.parentId };
  return record.type === "compaction" ? keepFrom(linked, row.keptId) : linked;
}

function keepFrom(compaction: JsonObject, keptId: string | undefined): JsonObject {
  const { firstKeptEntryIndex, firstKeptEntryId, ...rest } = compaction;
  return keptId === undefined ? rest : { ...rest, firstKeptEntryId: keptId };
}

/** 2 → 3: the role `hookMessage` is called `custom`. */
function renameHookRole(record: JsonObject): JsonObject {
  const { type, message } = record;
  if (type !== "message" || !isJsonObject(message) || message.role !== "hookMessage") return record;
  return { ...record, message: { ...message, role: "custom" } };
}
