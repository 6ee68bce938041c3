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
import type { AppendLog } from "./append-log.ts";
import { type ForkedFile, forkFile } from "./fork-file.ts";
import type { FileSetup, Legacy } from "./loading.ts";
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
    this.#fd = undefined;
    this.#appends = undefined;
    this.#lock = undefined;
    this.#log.detach(this.#path);
    if (this.#state) this.#state = { ...this.#state, readOnly: "it is closed" };
    try {
      if (fd !== undefined) disk.close(fd);
      appends?.close();
    } finally {
      lock?.release();
    }
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
    const held = log.places().map((place) => (place as { json: string }).json);
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

function pendingState(header: SessionHeader): FileState {
  return { header, version: FORMAT_VERSION, diagnostics: [], isPending: true };
}

function isConversation({ type, role }: RecordRow): boolean {
  return type === "message" && (role === "user" || role === "assistant");
}
