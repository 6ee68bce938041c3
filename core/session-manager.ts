import { newHeader, newRecord, planBranch } from "./branched.ts";
import { type BranchSummaryEntry, type JsonObject, POSITION_MARKER } from "./entries.ts";
import { type Environment, entryId, timestamp } from "./environment.ts";
import { coreError } from "./errors.ts";
import { MemoryStore } from "./memory-store.ts";
import type { AgentMessage, ContentBlock } from "./messages.ts";
import { SessionView } from "./session-view.ts";
import type { SessionStore } from "./store.ts";
import { addRow, findMarker, findNode, ROOT, rowAt } from "./tree.ts";

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
export class SessionManager extends SessionView {
  /** An empty session in memory. */
  static inMemory(cwd: string, env: Environment): SessionManager {
    return new SessionManager(new MemoryStore(newHeader(env, { cwd })), env);
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
    this.rowOf(targetId);
    return this.#append({ type: "label", targetId, label: label?.trim() || undefined });
  }

  appendSessionInfo(name: string): string {
    return this.#append({ type: "session_info", name: name.trim() });
  }

  /** Moves the leaf to an entry and writes nothing. Raises ENTRY_NOT_FOUND. */
  branch(entryId: string): void {
    this.state.leaf = this.rowOf(entryId);
  }

  /** Moves the leaf to the root position and writes nothing. */
  resetLeaf(): void {
    this.state.leaf = ROOT;
  }

  /** Appends a summary below a branch point and moves the leaf to it (session tree §6.5). */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromExtension?: boolean,
  ): string {
    if (branchFromId !== null) this.rowOf(branchFromId);
    const record = this.#summaryRecord(branchFromId, { text: summary, details, fromExtension });
    this.state.store.append([newRecord(record)]);
    return this.#grow();
  }

  /**
   * Applies a move as one step and one write: summary, label and leaf, or the position marker of a
   * bare move. On an error nothing has changed (session tree §7, §8.3). Gives the summary entry.
   */
  applyMove(move: TreeMove): BranchSummaryEntry | undefined {
    const leaf = move.newLeafId === null ? ROOT : this.rowOf(move.newLeafId);
    const records: JsonObject[] = [];
    if (move.summary) records.push(this.#summaryRecord(move.newLeafId, move.summary));
    const label = move.label?.trim();
    if (label) {
      const summaryId = records[0]?.id as string | undefined;
      const fields = { type: "label", targetId: summaryId ?? move.targetId, label };
      records.push(this.#record(fields, summaryId ?? move.newLeafId, summaryId));
    }
    if (records.length === 0) return this.#bareMove(leaf);
    this.state.store.append(records.map(newRecord));
    const first = this.#grow(records.length);
    return move.summary ? (this.getEntry(first) as BranchSummaryEntry) : undefined;
  }

  /** Makes the branched session of a leaf without switching to it (session tree §6.6). */
  prepareBranch(leafId: string): PreparedSession {
    const source = {
      tree: this.state.tree,
      header: this.state.store.header(),
      name: this.getSessionName(),
      file: this.#fileOnDisk(),
      read: (index: number) => this.state.store.read(index),
    };
    return this.#prepare(this.state.store.fork(planBranch(source, this.rowOf(leafId), this.env)));
  }

  /** Makes an empty session without switching to it (session tree §6.7). */
  prepareNewSession(options: { parentSession?: string; id?: string } = {}): PreparedSession {
    const header = newHeader(this.env, { cwd: this.getCwd(), ...options });
    return this.#prepare(this.state.store.fork({ header, items: undefined }));
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
    const { store } = this.state;
    this.state = other.state;
    store.close();
  }

  /** Brings all appends to the disk. Raises SESSION_WRITE_FAILED. */
  sync(): Promise<void> {
    return this.state.store.sync();
  }

  /** Releases file and lock; the manager must not be used for appends any more. */
  close(): void {
    this.state.store.close();
  }

  #prepare(store: SessionStore): PreparedSession {
    const session = new SessionManager(store, this.env);
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
    return this.state.store.isPending() ? undefined : this.state.store.file();
  }

  #append(fields: JsonObject & { readonly type: string }): string {
    this.state.store.append([newRecord(this.#record(fields, this.getLeafId()))]);
    return this.#grow();
  }

  /** Takes the last appended records into the tree; gives the id of the first of them. */
  #grow(count = 1): string {
    const { length } = this.state.store.rows();
    for (let i = length - count; i < length; i++) {
      addRow(this.state.tree, i);
      this.state.name = rowAt(this.state.tree, i).name?.trim() ?? this.state.name;
    }
    this.state.leaf = length - 1;
    this.state.recorded = this.state.leaf;
    return rowAt(this.state.tree, length - count).id;
  }

  #bareMove(leaf: number): undefined {
    const needsMarker =
      leaf !== this.state.recorded &&
      this.state.store.isPersisted() &&
      !this.state.store.isPending() &&
      this.state.store.readOnly() === undefined;
    if (needsMarker) {
      const fields = { type: "custom", customType: POSITION_MARKER };
      this.state.store.append([newRecord(this.#record(fields, this.idOf(leaf)))]);
      addRow(this.state.tree, this.state.store.rows().length - 1);
      this.state.recorded = leaf;
    }
    this.state.leaf = leaf;
  }

  #record(
    fields: JsonObject & { readonly type: string },
    parentId: string | null,
    alsoTaken?: string,
  ): JsonObject {
    const { tree } = this.state;
    const isTaken = (id: string) =>
      findNode(tree, id) !== undefined || findMarker(tree, id) !== undefined || id === alsoTaken;
    const { type, ...rest } = fields;
    const id = entryId(this.env, isTaken);
    return { type, id, parentId, timestamp: timestamp(this.env), ...rest };
  }

  #summaryRecord(
    branchFromId: string | null,
    summary: { text: string; details?: unknown; fromExtension?: boolean | undefined },
  ): JsonObject {
    const { text, details, fromExtension } = summary;
    const fields = { fromId: branchFromId ?? "root", summary: text, details, fromExtension };
    return this.#record({ type: "branch_summary", ...fields }, branchFromId);
  }
}

function refuseReserved(customType: string): void {
  if (!customType.startsWith("coppice.")) return;
  const reason = "types that begin with coppice. are reserved";
  throw coreError("INVALID_ARGUMENT", { argument: `customType ${customType}`, reason });
}
