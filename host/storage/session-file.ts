import { dirname, join, resolve } from "node:path";
import {
  coreError,
  type Diagnostic,
  encodeRecord,
  FORMAT_VERSION,
  type ForkPlan,
  inFileOrder,
  type JsonObject,
  type NewRecord,
  newHeader,
  type RecordRow,
  type RowTable,
  type SessionHeader,
  type SessionStore,
} from "../../core/index.ts";
import { hostError } from "../errors.ts";
import { type AppendLog, isSystemError, writeFailed } from "./append-log.ts";
import { type ForkedFile, forkFile } from "./fork-file.ts";
import { removeIndex } from "./index-file.ts";
import { indexPlace, storeIndex } from "./indexed.ts";
import type { FileSetup, Legacy, Loaded } from "./loading.ts";
import type { SessionLock } from "./lock.ts";
import { createFile, linesOf, pushLines } from "./new-file.ts";
import { type OpenedFile, openFile } from "./open-file.ts";
import { RecordLog } from "./record-log.ts";
import { rewriteFile } from "./rewrite.ts";
import { sessionFileName } from "./session-dir.ts";

export interface FileOptions {
  readonly mode: "read" | "write";
  /** A missing file is a pending session, not an error. */
  readonly create?: boolean;
}

interface FileState {
  readonly header: SessionHeader;
  /** As it stands in the file. */
  readonly version: number;
  readonly slotTitle?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly readOnly?: string | undefined;
  readonly isPending: boolean;
}

const OPENED_SO = "it was opened so";

/**
 * A session in a file (session tree §2–§5): read in blocks, written by appends only, held by a lock
 * while it is open for writing. `load` comes first.
 */
export class SessionFile implements SessionStore {
  readonly #path: string;
  readonly #setup: FileSetup;
  readonly #options: FileOptions;
  #log: RecordLog;
  #state: FileState | undefined;
  /** For reading. */
  #fd: number | undefined;
  /** The end of the file; of a pending session, the blank file it will be appended to. */
  #appends: AppendLog | undefined;
  #lock: SessionLock | undefined;
  /** Set until a file of an old format is rewritten. */
  #legacy: Legacy | undefined;
  #isForked = false;
  /** As it was opened, for the index that is kept at the end. */
  #indexed: Loaded | undefined;
  #isConfirmed = false;

  constructor(path: string, setup: FileSetup, options: FileOptions = { mode: "write" }) {
    this.#path = resolve(path);
    this.#setup = setup;
    this.#options = options;
    this.#log = new RecordLog(setup.disk);
  }

  /** A session without a file yet (session tree §5.1); needs no loading. */
  static pending(path: string, header: SessionHeader, setup: FileSetup): SessionFile {
    const file = new SessionFile(path, setup);
    file.#state = pendingState(header);
    return file;
  }

  async load(): Promise<void> {
    if (this.#state) return;
    const { mode, create } = this.#options;
    const opened = await openFile(this.#path, mode, this.#setup);
    if (opened.kind === "session") {
      this.#take(opened);
      return;
    }
    if (opened.kind === "missing" && !create) {
      throw hostError("SESSION_NOT_FOUND", { path: this.#path });
    }
    if (opened.kind === "blank") this.#appends = opened.appends;
    const header = newHeader(this.#setup.env, { cwd: this.#setup.cwd });
    const readOnly = mode === "read" ? OPENED_SO : undefined;
    this.#state = { ...pendingState(header), readOnly };
  }

  header(): SessionHeader {
    return this.#loaded().header;
  }

  version(): number {
    return this.#loaded().version;
  }

  slotTitle(): string | undefined {
    return this.#loaded().slotTitle;
  }

  rows(): RowTable {
    return this.#log.rows;
  }

  read(index: number): JsonObject {
    if (!(index < this.#log.rows.length)) throw coreError("ENTRY_NOT_FOUND", { id: String(index) });
    return this.#log.read(index);
  }

  diagnostics(): readonly Diagnostic[] {
    return inFileOrder([...this.#loaded().diagnostics, ...this.#log.lost()]);
  }

  readOnly(): string | undefined {
    const lost = this.#lock?.isLost() ? "another process has taken its lock" : undefined;
    return this.#loaded().readOnly ?? lost;
  }

  isPending(): boolean {
    return this.#loaded().isPending;
  }

  isPersisted(): boolean {
    return true;
  }

  file(): string {
    return this.#path;
  }

  dir(): string {
    return dirname(this.#path);
  }

  append(records: readonly NewRecord[]): void {
    const { readOnly, isPending } = this.#loaded();
    if (readOnly) throw coreError("SESSION_READ_ONLY", { reason: readOnly, path: this.#path });
    this.#lock?.check();
    if (isPending) this.#appendPending(records);
    else {
      if (this.#legacy) this.#rewrite(this.#legacy);
      this.#confirm(records);
      this.#write(records);
    }
  }

  fork(plan: ForkPlan): SessionFile {
    const path = join(this.#newFolder(), sessionFileName(plan.header));
    if (!plan.items) {
      const pending = SessionFile.pending(path, plan.header, this.#setup);
      pending.#isForked = true;
      return pending;
    }
    const source = { path: this.#path, log: this.#log, isTrusted: this.#isTrusted() };
    const made = forkFile(path, plan, source, this.#setup);
    const file = new SessionFile(path, this.#setup);
    file.#takeFork(made, plan.header);
    return file;
  }

  async sync(): Promise<void> {
    if (!this.#loaded().isPending) await this.#appends?.sync();
  }

  /** Also brings the last appends to the disk; all is released even if that fails. */
  close(): void {
    const { disk } = this.#setup;
    const [fd, appends, lock] = [this.#fd, this.#appends, this.#lock];
    const forget = () => {
      this.#fd = undefined;
      this.#appends = undefined;
      this.#lock = undefined;
      this.#log.detach(this.#path);
      if (this.#state) this.#state = { ...this.#state, readOnly: "it is closed" };
    };
    try {
      inTurn([
        () => fd !== undefined && this.#keepIndex(fd),
        forget,
        () => fd !== undefined && disk.close(fd),
        () => appends?.close(),
        () => lock?.release(),
      ]);
    } catch (error) {
      throw writeFailed(this.#path, error);
    }
  }

  /** The next opening then need not read the whole file. That the index cannot be kept is no loss. */
  #keepIndex(fd: number): void {
    const loaded = this.#indexed;
    const { endsWithLf, size } = this.#appends?.end ?? loaded ?? {};
    try {
      if (!loaded?.index || size === undefined || this.#isStale(fd, size)) return;
      const place = indexPlace(this.#setup.disk.realPath(this.#path), fd, this.#setup);
      if (place) storeIndex({ ...loaded, log: this.#log }, endsWithLf === true, place);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }

  /** Whether the file has not what this session knows of it, or its index has. */
  #isStale(fd: number, size: number): boolean {
    const facts = this.#setup.disk.factsOf(fd);
    const { index } = this.#indexed ?? {};
    const isAsRead = facts.stamp === index?.key.facts.stamp;
    if (isAsRead) return index?.isStored === true;
    return facts.size !== size || !this.#appends || this.#appends.isChanged();
  }

  /** No append rests on an index alone: what it stands on must be in the file (session tree §5). */
  #confirm([first]: readonly NewRecord[]): void {
    const { index } = this.#indexed ?? {};
    if (!index?.isStored || this.#isConfirmed || !first) return;
    const { rows } = this.#log;
    const parent = first.row.parentId === null ? -1 : rows.lastWith(first.row.parentId);
    const isSound = [rows.length - 1, parent].every((row) => row < 0 || this.#log.isSound(row));
    this.#isConfirmed = isSound;
    if (isSound) return;
    removeIndex(index.path);
    const { size } = index.key.facts;
    throw hostError("SESSION_CHANGED", { path: this.#path, expected: size, found: size });
  }

  discard(): void {
    const made = this.#isForked ? this.#appends?.path : undefined;
    this.close();
    if (made !== undefined) this.#setup.disk.remove(made);
  }

  #loaded(): FileState {
    if (this.#state) return this.#state;
    throw coreError("INVALID_ARGUMENT", { argument: this.#path, reason: "it is not loaded yet" });
  }

  #take(opened: OpenedFile & { readonly kind: "session" }): void {
    const { loaded, fd, readOnly, held } = opened;
    const { log, header, version, slotTitle, diagnostics, legacy } = loaded;
    this.#log = log;
    this.#fd = fd;
    this.#indexed = loaded;
    this.#legacy = legacy;
    this.#appends = held?.appends;
    this.#lock = held?.lock;
    const own = readOnly?.diagnostic ? [readOnly.diagnostic] : [];
    this.#state = {
      header,
      version,
      slotTitle,
      diagnostics: [...own, ...diagnostics],
      readOnly: readOnly?.reason,
      isPending: false,
    };
  }

  #takeFork({ fd, appends, lock, log }: ForkedFile, header: SessionHeader): void {
    this.#log = log;
    this.#fd = fd;
    this.#appends = appends;
    this.#lock = lock;
    this.#isForked = true;
    this.#state = { ...pendingState(header), isPending: false };
  }

  /** Holds the records until one of them is a message of a conversation, then makes the file. */
  #appendPending(records: readonly NewRecord[]): void {
    const state = this.#loaded();
    const log = this.#log;
    if (!records.some(({ row }) => isConversation(row))) {
      for (const { row, json } of records) log.push(row, { json });
      return;
    }
    const held = log.allPlaces().map((place) => (place as { json: string }).json);
    const header = encodeRecord(state.header);
    const texts = [header, ...held, ...records.map(({ json }) => json)];
    const made = createFile(this.#path, this.#appends, linesOf(texts), this.#setup);
    this.#fd = made.fd;
    this.#appends = made.appends;
    this.#lock = made.lock;
    this.#state = { ...state, isPending: false };
    log.attach(made.fd);
    let offset = made.offset + Buffer.byteLength(header) + 1;
    held.forEach((json, index) => {
      const length = Buffer.byteLength(json);
      log.moveTo(index, { offset, length });
      offset += length + 1;
    });
    pushLines(log, records, offset);
  }

  #write(records: readonly NewRecord[]): void {
    const lines = linesOf(records.map(({ json }) => json));
    const { offset, isCertain } = (this.#appends as AppendLog).append(lines);
    if (isCertain) pushLines(this.#log, records, offset);
    else for (const { row, json } of records) this.#log.push(row, { json });
  }

  #rewrite(legacy: Legacy): void {
    const { version } = this.#loaded();
    const [log, fd, appends] = [this.#log, this.#fd as number, this.#appends as AppendLog];
    const made = rewriteFile({ fd, appends, log, legacy, version }, this.#setup);
    made.places.forEach((place, index) => {
      log.moveTo(index, place);
    });
    log.attach(made.fd);
    appends.abandon();
    this.#setup.disk.close(fd);
    this.#fd = made.fd;
    this.#appends = made.appends;
    this.#legacy = undefined;
    this.#state = { ...this.#loaded(), version: FORMAT_VERSION };
    made.appends.syncFolder(dirname(made.appends.path));
  }

  #isTrusted(): boolean {
    return this.#loaded().isPending || this.#appends?.isChanged() === false;
  }

  /** New sessions lie beside this one; if that cannot be, with those of the project. */
  #newFolder(): string {
    const { disk, sessionFolder } = this.#setup;
    const folder = this.dir();
    if (!disk.facts(folder) || disk.canWrite(folder)) return folder;
    return sessionFolder(this.header().cwd);
  }
}

/** All of them, also after one that fails; an error of the last one that failed is raised. */
function inTurn([first, ...rest]: readonly (() => unknown)[]): void {
  try {
    first?.();
  } finally {
    if (rest.length > 0) inTurn(rest);
  }
}

function pendingState(header: SessionHeader): FileState {
  return { header, version: FORMAT_VERSION, diagnostics: [], isPending: true };
}

function isConversation({ type, role }: RecordRow): boolean {
  return type === "message" && (role === "user" || role === "assistant");
}
