import {
  coreError,
  deepFreeze,
  type JsonObject,
  type NewRecord,
  type RecordRow,
  RowTable,
  type SessionHeader,
  type SessionStore,
} from "../../../core/index.ts";
import { append, parse } from "./captured.ts";

/** Facts of the session that are no entries. */
export interface SessionFacts {
  readonly header: SessionHeader;
  readonly version: number;
  readonly readOnly: string | null;
  readonly isPersisted: boolean;
  readonly file?: string;
  readonly dir?: string;
}

/**
 * The copy of a session in the isolate: entries as text, parsed when touched. What the guest appends
 * itself stands behind what the host has sent, until the host has sent it too.
 */
export class MirrorStore implements SessionStore {
  readonly #rows = new RowTable();
  readonly #texts: string[] = [];
  #parsed: (JsonObject | undefined)[] = [];
  facts: SessionFacts;

  constructor(facts: SessionFacts) {
    this.facts = facts;
  }

  /** Takes over what the host has, from a position on: whatever stood there was provisional. */
  take(from: number, rows: readonly RecordRow[], texts: readonly string[]): void {
    this.#rows.truncate(from);
    this.#texts.length = from;
    this.#parsed.length = from;
    for (let i = 0; i < rows.length; i++) {
      this.#rows.push(rows[i] as RecordRow);
      append(this.#texts, texts[i] as string);
    }
  }

  load(): Promise<void> {
    return Promise.resolve();
  }

  header(): SessionHeader {
    return this.facts.header;
  }

  version(): number {
    return this.facts.version;
  }

  slotTitle(): undefined {
    return undefined;
  }

  rows(): RowTable {
    return this.#rows;
  }

  read(index: number): JsonObject {
    const text = this.#texts[index];
    if (text === undefined) throw coreError("ENTRY_NOT_FOUND", { id: `${index}` });
    this.#parsed[index] ??= deepFreeze(parse(text) as JsonObject);
    return this.#parsed[index];
  }

  diagnostics(): readonly [] {
    return [];
  }

  readOnly(): string | undefined {
    return this.facts.readOnly ?? undefined;
  }

  isPending(): boolean {
    return false;
  }

  isPersisted(): boolean {
    return this.facts.isPersisted;
  }

  file(): string | undefined {
    return this.facts.file;
  }

  dir(): string | undefined {
    return this.facts.dir;
  }

  /** Provisional: the host appends the same when it gets the call. Raises SESSION_READ_ONLY. */
  append(records: readonly NewRecord[]): void {
    const { readOnly: reason, file: path } = this.facts;
    if (reason !== null) {
      throw coreError("SESSION_READ_ONLY", { reason, ...(path !== undefined && { path }) });
    }
    for (let i = 0; i < records.length; i++) {
      const { row, json } = records[i] as NewRecord;
      this.#rows.push(row);
      append(this.#texts, json);
    }
  }

  fork(): SessionStore {
    throw coreError("INVALID_ARGUMENT", { argument: "session", reason: "a copy is not forked" });
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    // Nothing is held.
  }

  discard(): void {
    // Nothing was made.
  }
}
