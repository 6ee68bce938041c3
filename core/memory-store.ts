import { FORMAT_VERSION, type JsonObject, type SessionHeader } from "./entries.ts";
import { coreError } from "./errors.ts";
import { deepFreeze } from "./freeze.ts";
import { RowTable } from "./row-table.ts";
import type { RecordRow } from "./rows.ts";
import type { ForkPlan, NewRecord, SessionStore } from "./store.ts";

/** A session in memory: no file, no lock, never pending (session tree §6.7). */
export class MemoryStore implements SessionStore {
  readonly #header: SessionHeader;
  readonly #rows = new RowTable();
  readonly #texts: string[] = [];
  readonly #parsed: (JsonObject | undefined)[] = [];

  constructor(header: SessionHeader, records: readonly NewRecord[] = []) {
    this.#header = header;
    this.append(records);
  }

  load(): Promise<void> {
    return Promise.resolve();
  }

  header(): SessionHeader {
    return this.#header;
  }

  version(): number {
    return FORMAT_VERSION;
  }

  slotTitle(): undefined {
    return undefined;
  }

  rows(): RowTable {
    return this.#rows;
  }

  read(index: number): JsonObject {
    const text = this.#texts[index];
    if (text === undefined) throw coreError("ENTRY_NOT_FOUND", { id: String(index) });
    this.#parsed[index] ??= deepFreeze(JSON.parse(text) as JsonObject);
    return this.#parsed[index] as JsonObject;
  }

  diagnostics(): readonly [] {
    return [];
  }

  readOnly(): undefined {
    return undefined;
  }

  isPending(): boolean {
    return false;
  }

  isPersisted(): boolean {
    return false;
  }

  file(): undefined {
    return undefined;
  }

  dir(): undefined {
    return undefined;
  }

  append(records: readonly NewRecord[]): void {
    for (const { row, json } of records) {
      this.#rows.push(row);
      this.#texts.push(json);
    }
  }

  fork(plan: ForkPlan): MemoryStore {
    const records = (plan.items ?? []).map((item) =>
      "record" in item ? item.record : this.#recordAt(item.copy),
    );
    return new MemoryStore(plan.header, records);
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    // Nothing is held.
  }

  discard(): void {
    // Nothing was made on disk.
  }

  #recordAt(index: number): NewRecord {
    return { row: this.#rows.at(index) as RecordRow, json: this.#texts[index] as string };
  }
}
