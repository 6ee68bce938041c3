import type { Instance } from "../extension.ts";
import { isGranted } from "../permissions.ts";
import type { Runtime } from "../runtime.ts";
import type { MirrorSource } from "./mirror-source.ts";
import type { MirrorState } from "./mirror-state.ts";

/** Characters of one piece of a session. */
const PIECE = 1024 * 1024;

export interface CursorParts {
  readonly runtime: Runtime;
  readonly source: MirrorSource;
  readonly instance: Instance;
  /** The number of a signal in the guest. */
  signalId(signal: AbortSignal): number;
}

/** How far one guest's mirror has come; gives the differences that it lacks (sandbox spec §7). */
export class MirrorCursor {
  readonly #parts: CursorParts;
  readonly #sent = new Map<string, string>();
  #epoch = 0;
  #count = 0;

  constructor(parts: CursorParts) {
    this.#parts = parts;
  }

  /** JSON texts of differences, in order; none if the guest knows everything. */
  differences(own: Partial<MirrorState>): readonly string[] {
    const { source } = this.#parts;
    const fields: string[] = [];
    for (const [key, text] of source.texts()) this.#note(fields, key, text);
    for (const [key, value] of Object.entries({ ...this.#ownState(), ...own })) {
      this.#note(fields, key, JSON.stringify(value));
    }
    const state = fields.length > 0 ? [`{${fields.join(",")}}`] : [];
    return this.#isReader ? [...this.#pieces(), ...state] : state;
  }

  get #isReader(): boolean {
    return isGranted(this.#parts.instance, "session:read");
  }

  #note(fields: string[], key: string, text: string): void {
    if (this.#sent.get(key) === text) return;
    this.#sent.set(key, text);
    fields.push(`${JSON.stringify(key)}:${text}`);
  }

  /** What only this guest may know in this form. */
  #ownState(): Partial<MirrorState> {
    const { runtime, instance } = this.#parts;
    const { session, ui } = runtime;
    const { sessionManager, signal } = session;
    const { permissions } = instance.extension;
    return {
      granted: permissions === "all" ? [] : [...permissions],
      header: this.#header(),
      file: (this.#isReader && sessionManager.getSessionFile()) || null,
      dir: (this.#isReader && sessionManager.getSessionDir()) || null,
      signal: signal ? this.#parts.signalId(signal) : null,
      ...(isGranted(instance, "ui:input") && { editorText: ui.getEditorText() }),
    };
  }

  #header() {
    const header = this.#parts.runtime.session.sessionManager.getHeader();
    if (this.#isReader) return header;
    const { parentSession: _, ...visible } = header;
    return visible;
  }

  /** Entries that the guest has not got, in pieces that fit into frames. */
  #pieces(): readonly string[] {
    const { source } = this.#parts;
    source.sync();
    if (source.tooLarge > 0) return [];
    if (this.#epoch !== source.epoch) this.#count = 0;
    const isFirst = this.#epoch !== source.epoch;
    this.#epoch = source.epoch;
    const pieces: string[] = [];
    while (this.#count < source.lines.length || (isFirst && pieces.length === 0)) {
      pieces.push(this.#piece());
    }
    return pieces;
  }

  #piece(): string {
    const { source } = this.#parts;
    const { epoch, rows, lines } = source;
    const from = this.#count;
    let size = 0;
    while (this.#count < lines.length && size < PIECE) size += (lines[this.#count++] ?? "").length;
    const session = {
      epoch,
      from,
      rows: rows.slice(from, this.#count),
      lines: lines.slice(from, this.#count),
      facts: this.#facts(),
    };
    return JSON.stringify({ session });
  }

  #facts() {
    const { sessionManager } = this.#parts.runtime.session;
    const [file, dir] = [sessionManager.getSessionFile(), sessionManager.getSessionDir()];
    return {
      header: sessionManager.getHeader(),
      version: sessionManager.getFileVersion(),
      readOnly: sessionManager.getReadOnlyReason() ?? null,
      isPersisted: sessionManager.isPersisted(),
      ...(file !== undefined && { file }),
      ...(dir !== undefined && { dir }),
    };
  }
}
