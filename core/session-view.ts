import { contextOf, type SessionContext } from "./context.ts";
import { type Diagnostic, inFileOrder } from "./diagnostics.ts";
import type { SessionEntry, SessionHeader } from "./entries.ts";
import type { Environment } from "./environment.ts";
import { coreError } from "./errors.ts";
import { deepFreeze } from "./freeze.ts";
import { lazyList } from "./lazy-list.ts";
import { abandonedPath, recordedLeaf } from "./leaf.ts";
import type { IndexRow } from "./rows.ts";
import type { SessionStore } from "./store.ts";
import {
  buildTree,
  childrenOf,
  findMarker,
  findNode,
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

/** What a session manager stands on; replaced as a whole when another session takes its place. */
export interface SessionState {
  store: SessionStore;
  tree: Tree;
  leaf: number;
  /** The leaf that loading what is stored would give (session tree §1.1). */
  recorded: number;
  diagnostics: readonly Diagnostic[];
  name: string | undefined;
}

/** The state of a loaded store, as it is recorded (session tree §3.5). */
function stateOf(store: SessionStore): SessionState {
  const { tree, diagnostics } = buildTree(store.rows());
  const { leaf, diagnostic } = recordedLeaf(tree);
  const found = [...store.diagnostics(), ...diagnostics, ...(diagnostic ? [diagnostic] : [])];
  return { store, tree, leaf, recorded: leaf, diagnostics: found, name: storedName(store) };
}

/** The queries of a session: entries, paths, labels, context (session tree §6.2). */
export class SessionView {
  protected state: SessionState;
  protected readonly env: Environment;

  constructor(store: SessionStore, env: Environment) {
    this.env = env;
    this.state = stateOf(store);
  }

  getLeafId(): string | null {
    return this.idOf(this.state.leaf);
  }

  getLeafEntry(): SessionEntry | undefined {
    return this.state.leaf === ROOT ? undefined : this.entryAt(this.state.leaf);
  }

  getEntry(id: string): SessionEntry | undefined {
    const index = findNode(this.state.tree, id);
    return index === undefined ? undefined : this.entryAt(index);
  }

  getEntries(): SessionEntry[] {
    const { tree } = this.state;
    const rows: number[] = [];
    for (let i = 0; i < tree.rows.length; i++) if (isNode(tree, i)) rows.push(i);
    return this.#entries(rows);
  }

  /** Entries in file order from a position on, each parsed when it is reached. */
  *entriesFrom(position: number): Generator<SessionEntry> {
    const { tree } = this.state;
    let start = tree.rows.length;
    for (let rest = tree.count - position; rest > 0; ) if (isNode(tree, --start)) rest--;
    for (let i = start; i < tree.rows.length; i++) if (isNode(tree, i)) yield this.entryAt(i);
  }

  /** Number of entries of all branches. */
  getEntryCount(): number {
    return this.state.tree.count;
  }

  /** Index rows of all entries in file order; parses none. */
  getIndex(): IndexRow[] {
    return indexRows(this.state.tree);
  }

  /** Children in file order; `null` gives the roots, an unknown id none. */
  getChildren(parentId: string | null): SessionEntry[] {
    const parent = parentId === null ? ROOT : findNode(this.state.tree, parentId);
    if (parent === undefined) return [];
    const rows = childrenOf(this.state.tree, parent);
    return this.#entries(rows);
  }

  /** The path of an entry (absent: the leaf), root first; `[]` for an unknown or empty id. */
  getBranch(fromId?: string): SessionEntry[] {
    const rows = this.path(fromId);
    return this.#entries(rows);
  }

  /** Whether the active path holds an entry of a type; parses none. */
  isOnPath(type: string): boolean {
    return this.path(undefined).some((index) => this.state.tree.rows.kindAt(index).type === type);
  }

  /** The roots as nested nodes (session tree §6.3). */
  getTree(): SessionTreeNode[] {
    const state = { ...this.state };
    return projectTree(state.tree, (index) => this.entryAt(index, state));
  }

  getLabel(id: string): string | undefined {
    return this.#labelOf(id)?.label;
  }

  /** Label and the time of the label entry in force. */
  getLabelInForce(id: string): { label: string; timestamp: string | undefined } | undefined {
    const found = this.#labelOf(id);
    return found && { label: found.label, timestamp: found.timestamp };
  }

  getHeader(): SessionHeader {
    return this.state.store.header();
  }

  /** Version of the format as it stands in the file. */
  getFileVersion(): number {
    return this.state.store.version();
  }

  getSessionId(): string {
    return this.state.store.header().id;
  }

  getSessionFile(): string | undefined {
    return this.state.store.file();
  }

  getSessionDir(): string | undefined {
    return this.state.store.dir();
  }

  getCwd(): string {
    return this.state.store.header().cwd;
  }

  getSessionName(): string | undefined {
    return this.state.name || undefined;
  }

  isPersisted(): boolean {
    return this.state.store.isPersisted();
  }

  isPending(): boolean {
    return this.state.store.isPending();
  }

  isReadOnly(): boolean {
    return this.state.store.readOnly() !== undefined;
  }

  /** Why the session is read-only, in words; `undefined` if it is not. */
  getReadOnlyReason(): string | undefined {
    return this.state.store.readOnly();
  }

  getDiagnostics(): Diagnostic[] {
    return inFileOrder(this.state.diagnostics);
  }

  /**
   * What the agent knows at a leaf; absent means the current one, `null` the root position. Raises
   * ENTRY_NOT_FOUND. Reports KEPT_ID_UNRESOLVED where it applies (session tree §11.1).
   */
  buildSessionContext(leafId?: string | null): SessionContext {
    if (leafId !== undefined && leafId !== null) this.rowOf(leafId);
    const rows = leafId === null ? [] : this.path(leafId);
    const state = { ...this.state };
    const at = (index: number) => rows[index] as number;
    const path = {
      length: rows.length,
      kind: (index: number) => this.state.tree.rows.kindAt(at(index)),
      id: (index: number) => this.state.tree.rows.idAt(at(index)),
      entry: (index: number) => this.entryAt(at(index), state),
    };
    const { context, unresolved } = contextOf(path, (keptId) => this.#throughMarker(keptId, rows));
    if (unresolved) this.#reportUnresolved(unresolved.id);
    return context;
  }

  /** Entries that a move from one leaf to a target leaves behind (session tree §9.1). */
  collectAbandoned(
    oldLeafId: string | null,
    targetId: string,
  ): { readonly entries: SessionEntry[]; readonly commonAncestorId: string | null } {
    const find = (id: string | null) =>
      id === null ? ROOT : (findNode(this.state.tree, id) ?? ROOT);
    const { rows, commonAncestor } = abandonedPath(
      this.state.tree,
      find(oldLeafId),
      find(targetId),
    );
    return {
      entries: this.#entries(rows),
      commonAncestorId: this.idOf(commonAncestor),
    };
  }

  protected idOf(index: number): string | null {
    return index === ROOT ? null : this.state.tree.rows.idAt(index);
  }

  protected rowOf(id: string | null): number {
    const index = typeof id === "string" ? findNode(this.state.tree, id) : undefined;
    if (index === undefined) throw coreError("ENTRY_NOT_FOUND", { id });
    return index;
  }

  protected path(fromId: string | undefined): number[] {
    if (fromId === undefined) return pathOf(this.state.tree, this.state.leaf);
    return pathOf(this.state.tree, findNode(this.state.tree, fromId) ?? ROOT);
  }

  protected entryAt(index: number, { store, tree } = this.state): SessionEntry {
    const record = store.read(index) as unknown as SessionEntry;
    const parent = tree.parents.at(index);
    const parentId = parent === ROOT ? null : tree.rows.idAt(parent);
    return record.parentId === parentId ? record : deepFreeze({ ...record, parentId });
  }

  /** Entries of this session, also when another one has taken its place meanwhile. */
  #entries(rows: readonly number[]): SessionEntry[] {
    const state = { ...this.state };
    return lazyList(rows.length, (n) => this.entryAt(rows[n] as number, state));
  }

  #labelOf(id: string) {
    const node = findNode(this.state.tree, id);
    return node === undefined ? undefined : labelOf(this.state.tree, node);
  }

  #throughMarker(keptId: string, rows: readonly number[]): number | undefined {
    if (findMarker(this.state.tree, keptId) === undefined) return undefined;
    const at = rows.findIndex((index) =>
      throughMarkers(this.state.tree, rowAt(this.state.tree, index).parentId).passed.includes(
        keptId,
      ),
    );
    return at < 0 ? undefined : at;
  }

  #reportUnresolved(id: string): void {
    const isKnown = (d: Diagnostic) => d.code === "KEPT_ID_UNRESOLVED" && d.id === id;
    if (this.state.diagnostics.some(isKnown)) return;
    const { line } = rowAt(this.state.tree, this.rowOf(id));
    const message = `the compaction ${id} names no entry before it to keep; only its summary is used`;
    this.state.diagnostics = [
      ...this.state.diagnostics,
      { code: "KEPT_ID_UNRESOLVED", id, ...(line !== undefined && { line }), message },
    ];
  }
}

function storedName(store: SessionStore): string | undefined {
  const name = store.rows().lastName();
  if (name !== undefined) return name.trim();
  const { title } = store.header();
  return (store.slotTitle() ?? (typeof title === "string" ? title : undefined))?.trim();
}
