import { FORMAT_VERSION, type JsonObject, type SessionHeader } from "./entries.ts";
import { type Environment, entryId, sessionId, timestamp } from "./environment.ts";
import { rowOf } from "./rows.ts";
import type { ForkItem, ForkPlan, NewRecord } from "./store.ts";
import { labelOf, pathOf, rowAt, type Tree, throughMarkers } from "./tree.ts";

export interface BranchSource {
  readonly tree: Tree;
  readonly header: SessionHeader;
  readonly name: string | undefined;
  /** Path of the source file if it exists. */
  readonly file: string | undefined;
  read(index: number): JsonObject;
}

/** A new header of the current version: new id unless given, time now. */
export function newHeader(
  env: Environment,
  fields: { cwd: string; parentSession?: string | undefined; id?: string | undefined },
): SessionHeader {
  return {
    type: "session",
    version: FORMAT_VERSION,
    id: fields.id ?? sessionId(env),
    timestamp: timestamp(env),
    cwd: fields.cwd,
    ...(fields.parentSession !== undefined && { parentSession: fields.parentSession }),
  };
}

/** JSON text and index row of a record. */
export function newRecord(record: JsonObject): NewRecord {
  return { row: rowOf(record), json: JSON.stringify(record) };
}

/** The new session that holds the path of a row (session tree §6.6 steps 2–5). Pure. */
export function planBranch(source: BranchSource, leaf: number, env: Environment): ForkPlan {
  const path = pathOf(source.tree, leaf);
  const items: ForkItem[] = keptItems(source, path);
  const kept = path.filter((index) => rowAt(source.tree, index).type !== "label");
  const tail = new TailChain(source, kept, env);
  const name = nameOfRows(source.tree, kept) ?? "";
  if (name !== (source.name ?? "")) tail.add({ type: "session_info", name: source.name ?? "" });
  for (const label of labelsInForce(source.tree, kept)) {
    tail.add({ type: "label", targetId: label.targetId, label: label.label }, label.timestamp);
  }
  const header = newHeader(env, { cwd: source.header.cwd, parentSession: source.file });
  return { header, items: [...items, ...tail.items] };
}

/** The name that the rows alone give: their last `name`, trimmed; `undefined` without any. */
function nameOfRows(tree: Tree, rows: readonly number[]): string | undefined {
  for (let i = rows.length - 1; i >= 0; i--) {
    const { name } = rowAt(tree, rows[i] as number);
    if (name !== undefined) return name.trim();
  }
  return undefined;
}

/** The entries that follow the kept ones, each the child of the one before. */
class TailChain {
  readonly items: ForkItem[] = [];
  readonly #env: Environment;
  readonly #taken: Set<string>;
  #parentId: string | null;

  constructor(source: BranchSource, kept: readonly number[], env: Environment) {
    this.#env = env;
    this.#taken = new Set(kept.map((index) => rowAt(source.tree, index).id));
    const last = kept.at(-1);
    this.#parentId = last === undefined ? null : rowAt(source.tree, last).id;
  }

  add(fields: { type: string } & JsonObject, time = timestamp(this.#env)): void {
    const { type, ...rest } = fields;
    const id = entryId(this.#env, (taken) => this.#taken.has(taken));
    this.#taken.add(id);
    const base = { type, id, parentId: this.#parentId, timestamp: time };
    this.items.push({ record: newRecord({ ...base, ...rest }) });
    this.#parentId = id;
  }
}

function keptItems(source: BranchSource, path: readonly number[]): ForkItem[] {
  const renamed = renamedIds(source.tree, path);
  const items: ForkItem[] = [];
  let parentId: string | null = null;
  for (const index of path) {
    const row = rowAt(source.tree, index);
    if (row.type === "label") continue;
    const changes = changesOf(source.read(index), parentId, renamed);
    items.push(changes ? { record: newRecord(changes) } : { copy: index });
    parentId = row.id;
  }
  return items;
}

/**
 * Labels of the path, and markers through which its parent links went, with the kept entry that
 * follows each: what a `firstKeptEntryId` that names one becomes (`undefined`: nothing follows).
 */
function renamedIds(tree: Tree, path: readonly number[]): ReadonlyMap<string, string | undefined> {
  const renamed = new Map<string, string | undefined>();
  let waiting: string[] = [];
  for (const index of path) {
    const row = rowAt(tree, index);
    waiting.push(...throughMarkers(tree, row.parentId).passed);
    if (row.type === "label") waiting.push(row.id);
    else {
      for (const id of waiting) renamed.set(id, row.id);
      waiting = [];
    }
  }
  for (const id of waiting) renamed.set(id, undefined);
  return renamed;
}

/** The record as it stands in the new file, or `undefined` if it is copied as it is. */
function changesOf(
  record: JsonObject,
  parentId: string | null,
  renamed: ReadonlyMap<string, string | undefined>,
): JsonObject | undefined {
  const changed: Record<string, unknown> = { ...record };
  if (record.parentId !== parentId) changed.parentId = parentId;
  const kept = record.firstKeptEntryId;
  if (typeof kept === "string" && renamed.has(kept)) {
    const next = renamed.get(kept);
    if (next === undefined) delete changed.firstKeptEntryId;
    else changed.firstKeptEntryId = next;
  }
  const from = record.fromId;
  if (typeof from === "string" && renamed.has(from)) changed.fromId = parentId ?? "root";
  const fields = ["parentId", "firstKeptEntryId", "fromId"];
  return fields.some((field) => changed[field] !== record[field]) ? changed : undefined;
}

function labelsInForce(tree: Tree, kept: readonly number[]) {
  return kept
    .flatMap((index) => {
      const targetId = rowAt(tree, index).id;
      const label = labelOf(tree, index);
      return label ? [{ targetId, ...label }] : [];
    })
    .sort((a, b) => a.row - b.row);
}
