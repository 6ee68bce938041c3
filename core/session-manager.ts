import { newHeader, newRecord, planBranch } from "./branched.ts";
import { contextOfPath, type SessionContext } from "./context.ts";
import { type Diagnostic, inFileOrder } from "./diagnostics.ts";
import {
  type BranchSummaryEntry,
  type JsonObject,
  POSITION_MARKER,
  type SessionEntry,
  type SessionHeader,
} from "./entries.ts";
import { type Environment, entryId, timestamp } from "./environment.ts";
import { coreError } from "./errors.ts";
import { deepFreeze } from "./freeze.ts";
import { abandonedPath, recordedLeaf } from "./leaf.ts";
import { MemoryStore } from "./memory-store.ts";
import type { AgentMessage, ContentBlock } from "./messages.ts";
import type { IndexRow } from "./rows.ts";
import type { SessionStore } from "./store.ts";
import {
  addRow,
  buildTree,
  childrenOf,
  indexRows,
  isNode,
  labelOf,
  pathOf,
  ROOT,
  rowAt,
  type Tree,
  throughMarkers,
} from "./tree.ts";
import { projectTree, type SessionTreeNode } from "./tree-nodes.ts";

/** A move inside the session, to be applied as one step (session tree §8.3 step 6). */
export interface TreeMove {
  readonly newLeafId: string | null;
  readonly summary?: {
    readonly text: string;
    readonly details?: unknown;
    readonly fromExtension: boolean;
  };
  /** Set on the summary entry if there is one, else on `targetId`. */
  readonly label?: string;
  readonly targetId: string;
}

/** A session that is ready to take the place of the current one, or to be thrown away. */
export interface PreparedSession {
  readonly session: SessionManager;
  /** The manager continues on it; gives its file, `undefined` in memory. */
  adopt(): string | undefined;
  /** Removes what was prepared; the manager stays where it is. */
  discard(): void;
}

/**
 * A session as a tree: entries over a loaded store, and the leaf, where the next append goes. All
 * calls are synchronous; every append writes first and changes the tree only when the write has
 * succeeded (session tree §5.2, §6).
 */
export class SessionManager {
  readonly #env: Environment;
  #store: SessionStore;
  #tree: Tree;
  #leaf: number;
  #recorded: number;
  #diagnostics: Diagnostic[];
  #name: string | undefined;

  constructor(store: SessionStore, env: Environment) {
    this.#env = env;
    const { tree, diagnostics } = buildTree(store.rows());
    const { leaf, diagnostic } = recordedLeaf(tree);
    this.#store = store;
    this.#tree = tree;
    this.#leaf = leaf;
    this.#recorded = leaf;
    this.#diagnostics = [
      ...store.diagnostics(),
      ...diagnostics,
      ...(diagnostic ? [diagnostic] : []),
    ];
    this.#name = storedName(store);
  }

  /** An empty session in memory. */
  static inMemory(cwd: string, env: Environment): SessionManager {
    return new SessionManager(new MemoryStore(newHeader(env, { cwd })), env);
  }

  getLeafId(): string | null {
    return this.#idOf(this.#leaf);
  }

  getLeafEntry(): SessionEntry | undefined {
    return this.#leaf === ROOT ? undefined : this.#entryAt(this.#leaf);
  }

  getEntry(id: string): SessionEntry | undefined {
    const index = this.#tree.byId.get(id);
    return index === undefined ? undefined : this.#entryAt(index);
  }

  getEntries(): SessionEntry[] {
    const entries: SessionEntry[] = [];
    const { length } = this.#tree.rows;
    for (let i = 0; i < length; i++) if (isNode(this.#tree, i)) entries.push(this.#entryAt(i));
    return entries;
  }

  /** Number of entries of all branches. */
  getEntryCount(): number {
    return this.#tree.count;
  }

  /** Index rows of all entries in file order; parses none. */
  getIndex(): IndexRow[] {
    return indexRows(this.#tree);
  }

  /** Children in file order; `null` gives the roots, an unknown id none. */
  getChildren(parentId: string | null): SessionEntry[] {
    const parent = parentId === null ? ROOT : this.#tree.byId.get(parentId);
    if (parent === undefined) return [];
    return childrenOf(this.#tree, parent).map((index) => this.#entryAt(index));
  }

  /** The path of an entry (absent: the leaf), root first; `[]` for an unknown or empty id. */
  getBranch(fromId?: string): SessionEntry[] {
    return this.#path(fromId).map((index) => this.#entryAt(index));
  }

  /** The roots as nested nodes (session tree §6.3). */
  getTree(): SessionTreeNode[] {
    return projectTree(this.#tree, (index) => this.#entryAt(index));
  }

  getLabel(id: string): string | undefined {
    return labelOf(this.#tree, id)?.label;
  }

  /** Label and the time of the label entry in force. */
  getLabelInForce(id: string): { label: string; timestamp: string | undefined } | undefined {
    const found = labelOf(this.#tree, id);
    return found && { label: found.label, timestamp: found.timestamp };
  }

  getHeader(): SessionHeader {
    return this.#store.header();
  }

  /** Version of the format as it stands in the file. */
  getFileVersion(): number {
    return this.#store.version();
  }

  getSessionId(): string {
    return this.#store.header().id;
  }

  getSessionFile(): string | undefined {
    return this.#store.file();
  }

  getSessionDir(): string | undefined {
    return this.#store.dir();
  }

  getCwd(): string {
    return this.#store.header().cwd;
  }

  getSessionName(): string | undefined {
    return this.#name || undefined;
  }

  isPersisted(): boolean {
    return this.#store.isPersisted();
  }

  isPending(): boolean {
    return this.#store.isPending();
  }

  isReadOnly(): boolean {
    return this.#store.readOnly() !== undefined;
  }

  /** Why the session is read-only, in words; `undefined` if it is not. */
  getReadOnlyReason(): string | undefined {
    return this.#store.readOnly();
  }

  getDiagnostics(): Diagnostic[] {
    return inFileOrder(this.#diagnostics);
  }

  /**
   * What the agent knows at a leaf; absent means the current one, `null` the root position. Raises
   * ENTRY_NOT_FOUND. Reports KEPT_ID_UNRESOLVED where it applies (session tree §11.1).
   */
  buildSessionContext(leafId?: string | null): SessionContext {
    if (leafId !== undefined && leafId !== null) this.#rowOf(leafId);
    const rows = leafId === null ? [] : this.#path(leafId);
    const path = rows.map((index) => this.#entryAt(index));
    const { context, unresolved } = contextOfPath(path, (keptId) =>
      this.#throughMarker(keptId, rows),
    );
    if (unresolved) this.#reportUnresolved(unresolved.id);
    return context;
  }

  /** Entries that a move from one leaf to a target leaves behind (session tree §9.1). */
  collectAbandoned(
    oldLeafId: string | null,
    targetId: string,
  ): { readonly entries: SessionEntry[]; readonly commonAncestorId: string | null } {
    const find = (id: string | null) => (id === null ? ROOT : (this.#tree.byId.get(id) ?? ROOT));
    const { rows, commonAncestor } = abandonedPath(this.#tree, find(oldLeafId), find(targetId));
    return {
      entries: rows.map((index) => this.#entryAt(index)),
      commonAncestorId: this.#idOf(commonAncestor),
    };
  }

  /** Raises INVALID_ARGUMENT for the roles that only a context holds. */
  appendMessage(message: AgentMessage): string {
    if (message.role === "branchSummary" || message.role === "compactionSummary") {
      const reason = "summaries are stored by branchWithSummary and appendCompaction";
      throw coreError("INVALID_ARGUMENT", { argument: `role ${message.role}`, reason });
    }
    return this.#append({ type: "message", message });
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.#append({ type: "thinking_level_change", thinkingLevel });
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.#append({
      type: "model_change",
      provider,
      modelId,
      model: `${provider}/${modelId}`,
    });
  }

  appendModeChange(mode: string, data?: unknown): string {
    return this.#append({ type: "mode_change", mode, data });
  }

  appendTtsrInjection(injectedRules: readonly string[]): string {
    return this.#append({ type: "ttsr_injection", injectedRules });
  }

  appendCompaction(
    summary: string,
    firstKeptEntryId: string,
    tokensBefore: number,
    details?: unknown,
    fromExtension?: boolean,
    preserveData?: unknown,
  ): string {
    const kept = { firstKeptEntryId, tokensBefore };
    return this.#append({
      type: "compaction",
      summary,
      ...kept,
      details,
      fromExtension,
      preserveData,
    });
  }

  /** Raises INVALID_ARGUMENT for types that begin with `coppice.`. */
  appendCustomEntry(customType: string, data?: unknown): string {
    refuseReserved(customType);
    return this.#append({ type: "custom", customType, data });
  }

  /** Raises INVALID_ARGUMENT for types that begin with `coppice.`. */
  appendCustomMessageEntry(
    customType: string,
    content: string | readonly ContentBlock[],
    display: boolean,
    details?: unknown,
  ): string {
    refuseReserved(customType);
    return this.#append({ type: "custom_message", customType, content, display, details });
  }

  /** Labels an entry; a blank label clears. Raises ENTRY_NOT_FOUND (session tree §6.4). */
  appendLabelChange(targetId: string, label?: string): string {
    this.#rowOf(targetId);
    return this.#append({ type: "label", targetId, label: label?.trim() || undefined });
  }

  appendSessionInfo(name: string): string {
    return this.#append({ type: "session_info", name: name.trim() });
  }

  /** Moves the leaf to an entry and writes nothing. Raises ENTRY_NOT_FOUND. */
  branch(entryId: string): void {
    this.#leaf = this.#rowOf(entryId);
  }

  /** Moves the leaf to the root position and writes nothing. */
  resetLeaf(): void {
    this.#leaf = ROOT;
  }

  /** Appends a summary below a branch point and moves the leaf to it (session tree §6.5). */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromExtension?: boolean,
  ): string {
    if (branchFromId !== null) this.#rowOf(branchFromId);
    const record = this.#summaryRecord(branchFromId, { text: summary, details, fromExtension });
    this.#store.append([newRecord(record)]);
    return this.#grow();
  }

  /**
   * Applies a move as one step and one write: summary, label and leaf, or the position marker of a
   * bare move. On an error nothing has changed (session tree §7, §8.3). Gives the summary entry.
   */
  applyMove(move: TreeMove): BranchSummaryEntry | undefined {
    const leaf = move.newLeafId === null ? ROOT : this.#rowOf(move.newLeafId);
    const records: JsonObject[] = [];
    if (move.summary) records.push(this.#summaryRecord(move.newLeafId, move.summary));
    const label = move.label?.trim();
    if (label) {
      const summaryId = records[0]?.id as string | undefined;
      const fields = { type: "label", targetId: summaryId ?? move.targetId, label };
      records.push(this.#record(fields, summaryId ?? move.newLeafId, summaryId));
    }
    if (records.length === 0) return this.#bareMove(leaf);
    this.#store.append(records.map(newRecord));
    const first = this.#grow(records.length);
    return move.summary ? (this.getEntry(first) as BranchSummaryEntry) : undefined;
  }

  /** Makes the branched session of a leaf without switching to it (session tree §6.6). */
  prepareBranch(leafId: string): PreparedSession {
    const source = {
      tree: this.#tree,
      header: this.#store.header(),
      name: this.getSessionName(),
      file: this.#fileOnDisk(),
      read: (index: number) => this.#store.read(index),
    };
    return this.#prepare(this.#store.fork(planBranch(source, this.#rowOf(leafId), this.#env)));
  }

  /** Makes an empty session without switching to it (session tree §6.7). */
  prepareNewSession(options: { parentSession?: string; id?: string } = {}): PreparedSession {
    const header = newHeader(this.#env, { cwd: this.getCwd(), ...options });
    return this.#prepare(this.#store.fork({ header, items: undefined }));
  }

  /** Continues on a new session that holds the path of a leaf; gives its file. */
  createBranchedSession(leafId: string): string | undefined {
    return this.prepareBranch(leafId).adopt();
  }

  /** Continues on an empty session; gives the path it will have. */
  newSession(options: { parentSession?: string; id?: string } = {}): string | undefined {
    return this.prepareNewSession(options).adopt();
  }

  /** Continues on what another manager has loaded; the old store is closed. */
  adopt(other: SessionManager): void {
    if (other === this) return;
    this.#store.close();
    this.#store = other.#store;
    this.#tree = other.#tree;
    this.#leaf = other.#leaf;
    this.#recorded = other.#recorded;
    this.#diagnostics = other.#diagnostics;
    this.#name = other.#name;
  }

  /** Brings all appends to the disk. Raises SESSION_WRITE_FAILED. */
  sync(): Promise<void> {
    return this.#store.sync();
  }

  /** Releases file and lock; the manager must not be used for appends any more. */
  close(): void {
    this.#store.close();
  }

  #prepare(store: SessionStore): PreparedSession {
    const session = new SessionManager(store, this.#env);
    return {
      session,
      adopt: () => {
        this.adopt(session);
        return session.getSessionFile();
      },
      discard: () => store.discard(),
    };
  }

  #fileOnDisk(): string | undefined {
    return this.#store.isPending() ? undefined : this.#store.file();
  }

  #append(fields: JsonObject & { readonly type: string }): string {
    this.#store.append([newRecord(this.#record(fields, this.getLeafId()))]);
    return this.#grow();
  }

  /** Takes the last appended records into the tree; gives the id of the first of them. */
  #grow(count = 1): string {
    const { length } = this.#store.rows();
    for (let i = length - count; i < length; i++) {
      addRow(this.#tree, i);
      this.#name = rowAt(this.#tree, i).name?.trim() ?? this.#name;
    }
    this.#leaf = length - 1;
    this.#recorded = this.#leaf;
    return rowAt(this.#tree, length - count).id;
  }

  #bareMove(leaf: number): undefined {
    const needsMarker =
      leaf !== this.#recorded &&
      this.#store.isPersisted() &&
      !this.#store.isPending() &&
      this.#store.readOnly() === undefined;
    if (needsMarker) {
      const fields = { type: "custom", customType: POSITION_MARKER };
      this.#store.append([newRecord(this.#record(fields, this.#idOf(leaf)))]);
      addRow(this.#tree, this.#store.rows().length - 1);
      this.#recorded = leaf;
    }
    this.#leaf = leaf;
  }

  #record(
    fields: JsonObject & { readonly type: string },
    parentId: string | null,
    alsoTaken?: string,
  ): JsonObject {
    const { byId, markers } = this.#tree;
    const isTaken = (id: string) => byId.has(id) || markers.has(id) || id === alsoTaken;
    const { type, ...rest } = fields;
    const id = entryId(this.#env, isTaken);
    return { type, id, parentId, timestamp: timestamp(this.#env), ...rest };
  }

  #summaryRecord(
    branchFromId: string | null,
    summary: { text: string; details?: unknown; fromExtension?: boolean | undefined },
  ): JsonObject {
    const { text, details, fromExtension } = summary;
    const fields = { fromId: branchFromId ?? "root", summary: text, details, fromExtension };
    return this.#record({ type: "branch_summary", ...fields }, branchFromId);
  }

  #idOf(index: number): string | null {
    return index === ROOT ? null : rowAt(this.#tree, index).id;
  }

  #rowOf(id: string | null): number {
    const index = typeof id === "string" ? this.#tree.byId.get(id) : undefined;
    if (index === undefined) throw coreError("ENTRY_NOT_FOUND", { id });
    return index;
  }

  #path(fromId: string | undefined): number[] {
    if (fromId === undefined) return pathOf(this.#tree, this.#leaf);
    return pathOf(this.#tree, this.#tree.byId.get(fromId) ?? ROOT);
  }

  #entryAt(index: number): SessionEntry {
    const record = this.#store.read(index) as unknown as SessionEntry;
    const parentId = this.#idOf(this.#tree.parents.at(index));
    return record.parentId === parentId ? record : deepFreeze({ ...record, parentId });
  }

  #throughMarker(keptId: string, rows: readonly number[]): number | undefined {
    if (!this.#tree.markers.has(keptId)) return undefined;
    const at = rows.findIndex((index) =>
      throughMarkers(this.#tree, rowAt(this.#tree, index).parentId).passed.includes(keptId),
    );
    return at < 0 ? undefined : at;
  }

  #reportUnresolved(id: string): void {
    const isKnown = (d: Diagnostic) => d.code === "KEPT_ID_UNRESOLVED" && d.id === id;
    if (this.#diagnostics.some(isKnown)) return;
    const { line } = rowAt(this.#tree, this.#rowOf(id));
    const message = `the compaction ${id} names no entry before it to keep; only its summary is used`;
    this.#diagnostics = [
      ...this.#diagnostics,
      { code: "KEPT_ID_UNRESOLVED", id, ...(line !== undefined && { line }), message },
    ];
  }
}

function storedName(store: SessionStore): string | undefined {
  const rows = store.rows();
  for (let i = rows.length - 1; i >= 0; i--) {
    const name = rows.at(i)?.name;
    if (name !== undefined) return name.trim();
  }
  const { title } = store.header();
  return (store.slotTitle() ?? (typeof title === "string" ? title : undefined))?.trim();
}

function refuseReserved(customType: string): void {
  if (!customType.startsWith("coppice.")) return;
  const reason = "types that begin with coppice. are reserved";
  throw coreError("INVALID_ARGUMENT", { argument: `customType ${customType}`, reason });
}
