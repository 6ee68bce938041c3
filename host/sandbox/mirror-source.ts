import { type JsonObject, type RecordRow, rowOf } from "../../core/index.ts";
import type { Runtime } from "../runtime.ts";
import { SETTINGS } from "../storage/settings-table.ts";
import type { SandboxLimits } from "./limits.ts";
import type { MirrorState } from "./mirror-state.ts";

/** Milliseconds at a stretch that preparing a copy may hold the event loop. */
const STRETCH_MS = 5;
/** Milliseconds after which what no event announces is read anew. */
const FRESH_MS = 1000;

type Key = keyof MirrorState;

/** What is the same for all guests, as JSON by name. */
export type SharedTexts = ReadonlyMap<Key, string>;

/**
 * What guests read without asking, made once per revision for all of them (sandbox spec §7): state
 * by name, and the entries of the session as text.
 */
export class MirrorSource {
  readonly #runtime: Runtime;
  readonly #limits: SandboxLimits;
  readonly #heavy = new Map<Key, string>();
  #readAt = Number.NEGATIVE_INFINITY;
  #session = "";
  #bytes = 0;
  epoch = 0;
  readonly rows: RecordRow[] = [];
  readonly lines: string[] = [];

  constructor(runtime: Runtime, limits: SandboxLimits) {
    this.#runtime = runtime;
    this.#limits = limits;
  }

  /** Something has happened that may show in what is costly to read. */
  changed(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** Brings the copied session up to date, without holding the event loop. */
  async prepare(): Promise<void> {
    while (!this.#copy(STRETCH_MS)) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Number of entries if there are too many to be copied, or they are too long; else 0. */
  get tooLarge(): number {
    const count = this.#runtime.session.sessionManager.getEntryCount();
    const { mirrorBytes, mirrorEntries } = this.#limits;
    return count > mirrorEntries || this.#bytes > mirrorBytes ? count : 0;
  }

  /** Copies what has been appended since the last time. */
  sync(): void {
    this.#copy(Number.POSITIVE_INFINITY);
  }

  texts(): SharedTexts {
    const { session, ui } = this.#runtime;
    const { sessionManager } = session;
    if (performance.now() - this.#readAt > FRESH_MS) this.#readHeavy();
    return new Map<Key, string>([
      ...this.#heavy,
      ["mode", JSON.stringify(ui.mode)],
      ["hasUI", JSON.stringify(ui.hasUI)],
      ["model", JSON.stringify(session.model ?? null)],
      ["thinkingLevel", JSON.stringify(session.thinkingLevel)],
      ["activity", JSON.stringify(session.activity)],
      ["leafId", JSON.stringify(sessionManager.getLeafId())],
      ["name", JSON.stringify(sessionManager.getSessionName() ?? null)],
      ["isPersisted", JSON.stringify(sessionManager.isPersisted())],
      ["readOnly", JSON.stringify(sessionManager.getReadOnlyReason() ?? null)],
      ["tooLarge", JSON.stringify(this.tooLarge)],
    ]);
  }

  #readHeavy(): void {
    this.#readAt = performance.now();
    const { session, settings, commands, models, tools } = this.#runtime;
    const { sessionManager } = session;
    const set = (key: Key, value: unknown) => this.#heavy.set(key, JSON.stringify(value));
    const known = Object.keys(SETTINGS).map((key) => [key, settings.get(key)]);
    set("settings", Object.fromEntries(known));
    set("commands", commands.infos());
    set("tools", tools.infos());
    const active = tools.active().map(({ name }) => name);
    set("activeTools", active);
    const all = models.all();
    set("models", all);
    const names = [...new Set(all.map(({ provider }) => provider))];
    set("providers", Object.fromEntries(names.map((name) => [name, this.#provider(name)])));
    set("usage", session.contextUsage() ?? null);
    set("version", sessionManager.getFileVersion());
    set("diagnostics", sessionManager.getDiagnostics());
  }

  #provider(name: string) {
    const { models } = this.#runtime;
    const hint = models.credentialsHint(name);
    const configured = models.hasCredentials(name);
    return { title: models.title(name), configured, ...(hint !== undefined && { hint }) };
  }

  /** Copies for so many milliseconds; `true` if nothing is left. */
  #copy(milliseconds: number): boolean {
    const { sessionManager } = this.#runtime.session;
    const id = sessionManager.getSessionId();
    if (id !== this.#session || sessionManager.getEntryCount() < this.lines.length) this.#reset(id);
    if (sessionManager.getEntryCount() === this.lines.length || this.tooLarge > 0) return true;
    const end = performance.now() + milliseconds;
    for (const entry of sessionManager.entriesFrom(this.lines.length)) {
      const line = JSON.stringify(entry);
      this.rows.push(rowOf(entry as unknown as JsonObject));
      this.lines.push(line);
      this.#bytes += line.length;
      if (performance.now() > end) return false;
    }
    return true;
  }

  #reset(session: string): void {
    this.#session = session;
    this.epoch++;
    this.rows.length = 0;
    this.lines.length = 0;
    this.#bytes = 0;
  }
}
