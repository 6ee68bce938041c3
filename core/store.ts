import type { Diagnostic } from "./diagnostics.ts";
import type { JsonObject, SessionHeader } from "./entries.ts";
import type { RecordRow, Rows } from "./rows.ts";

/** A record to be appended: its index row and its JSON text without line end. */
export interface NewRecord {
  readonly row: RecordRow;
  readonly json: string;
}

/** One record of a forked session: an unchanged record of the source, or new JSON text. */
export type ForkItem = { readonly copy: number } | { readonly record: NewRecord };

/** The content of a new session (session tree §6.6, §6.7). */
export interface ForkPlan {
  readonly header: SessionHeader;
  /** `undefined`: the new session is pending, without entries. */
  readonly items: readonly ForkItem[] | undefined;
}

/** Why no append is possible, in words. */
export type ReadOnlyReason = string;

/**
 * Where a session lives: a file or memory. `load` and `sync` are promises, all else is synchronous,
 * so that no call can come between reading the leaf and writing. Rows are in file order and hold
 * every record but headers and the title slot; records with one id may repeat (session tree §3.4).
 */
export interface SessionStore {
  /** Reads what is there. Raises the errors of session tree §3.1 and changes no byte. */
  load(): Promise<void>;
  header(): SessionHeader;
  /** Version as it stands in the file, before migration. */
  version(): number;
  /** `title` of the title slot: absent without slot, `""` for a slot without one (§2.5). */
  slotTitle(): string | undefined;
  rows(): Rows;
  /** The record at a position of `rows()`, migrated and frozen. */
  read(index: number): JsonObject;
  /** What reading the file noticed, in file order. */
  diagnostics(): readonly Diagnostic[];
  readOnly(): ReadOnlyReason | undefined;
  /** True while the session has no file yet (§5.1); always false in memory. */
  isPending(): boolean;
  isPersisted(): boolean;
  file(): string | undefined;
  dir(): string | undefined;
  /**
   * Appends records that belong together by one write; when it returns they are in `rows()`.
   * Raises SESSION_READ_ONLY, SESSION_LOCKED, SESSION_CHANGED, SESSION_WRITE_FAILED; then nothing
   * has changed (§5.2, §5.6).
   */
  append(records: readonly NewRecord[]): void;
  /** Makes a loaded store with the planned content. A file is written whole before it returns. */
  fork(plan: ForkPlan): SessionStore;
  /** Brings all appends to the disk (§5.3). Raises SESSION_WRITE_FAILED. */
  sync(): Promise<void>;
  /** Releases file and lock. */
  close(): void;
  /** `close`, and removes the file if this store made it by `fork`. */
  discard(): void;
}
