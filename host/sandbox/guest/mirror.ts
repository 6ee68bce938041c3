import {
  type Diagnostic,
  type Environment,
  type SessionHeader,
  SessionManager,
} from "../../../core/index.ts";
import { sandboxError } from "../errors.ts";
import type { MirrorDifference, MirrorState, SessionDifference } from "../mirror-state.ts";
import { append, isArray, keys, removeAt } from "./captured.ts";
import { MirrorStore } from "./mirror-store.ts";

/** A write of the guest that the host has not confirmed: it is done again on what the host sends. */
interface Provisional {
  readonly sequence: number;
  readonly again: (session: SessionManager) => void;
}

/**
 * What the guest knows of the host without asking: state by name, and the session (sandbox spec §7).
 * It is of one revision for the length of a turn, apart from the guest's own writes.
 */
export class Mirror {
  readonly #env: Environment;
  readonly #forget: (signal: number) => void;
  readonly #state: { -readonly [K in keyof MirrorState]?: MirrorState[K] } = {};
  #store: MirrorStore | undefined;
  #session: SessionManager | undefined;
  #epoch = 0;
  /** Entries that the host has sent; behind them stand provisional ones. */
  #confirmed = 0;
  #isLeafOld = true;
  readonly #provisional: Provisional[] = [];
  #sequence = 0;

  constructor(env: Environment, forget: (signal: number) => void) {
    this.#env = env;
    this.#forget = forget;
  }

  get<K extends keyof MirrorState>(key: K): MirrorState[K] {
    return this.#state[key] as MirrorState[K];
  }

  isGranted(permission: string): boolean {
    const { granted = [] } = this.#state;
    for (let i = 0; i < granted.length; i++) if (granted[i] === permission) return true;
    return false;
  }

  /** Takes differences in the order in which they were made. */
  take(differences: readonly MirrorDifference[]): void {
    for (let i = 0; i < differences.length; i++) {
      const { session, forget = [], ...state } = differences[i] as MirrorDifference;
      Object.assign(this.#state, state);
      if (session) this.#takeSession(session);
      for (let j = 0; j < forget.length; j++) this.#forget(forget[j] as number);
      this.#isLeafOld = true;
    }
    this.#dropConfirmed();
  }

  /** The session, with the guest's own writes. Raises LIMIT_EXCEEDED where it is too large. */
  get session(): SessionManager {
    const { tooLarge } = this.#state;
    if (tooLarge) {
      throw sandboxError("LIMIT_EXCEEDED", {
        limit: "entries in an extension's copy",
        value: tooLarge,
      });
    }
    this.#session ??= new SessionManager(this.#storeOrNone(), this.#env);
    if (this.#isLeafOld) this.#bringUpToDate(this.#session);
    return this.#session;
  }

  get hasSession(): boolean {
    return this.#store !== undefined;
  }

  /** The number of the next write, which the host confirms by it. */
  nextSequence(): number {
    return ++this.#sequence;
  }

  /** Does a write in the copy, now and on later revisions until the host has done it. */
  write(sequence: number, again: (session: SessionManager) => void): void {
    if (!this.hasSession) return;
    again(this.session);
    append(this.#provisional, { sequence, again });
  }

  #takeSession({ epoch, from, rows, lines, facts }: SessionDifference): void {
    if (!this.#store || epoch !== this.#epoch) this.#store = new MirrorStore(facts);
    this.#epoch = epoch;
    this.#store.facts = facts;
    this.#store.take(from, rows, lines);
    this.#confirmed = from + rows.length;
    this.#session = undefined;
  }

  /** What the host has done, or refused, is no longer provisional. */
  #dropConfirmed(): void {
    const { ack = 0 } = this.#state;
    for (let i = this.#provisional.length - 1; i >= 0; i--) {
      if ((this.#provisional[i] as Provisional).sequence > ack) continue;
      removeAt(this.#provisional, i);
      this.#store?.take(this.#confirmed, [], []);
      this.#session = undefined;
    }
  }

  #bringUpToDate(session: SessionManager): void {
    this.#isLeafOld = false;
    const { leafId = null } = this.#state;
    if (leafId === null) session.resetLeaf();
    else if (session.getEntry(leafId)) session.branch(leafId);
    for (let i = 0; i < this.#provisional.length; i++) {
      (this.#provisional[i] as Provisional).again(session);
    }
  }

  #storeOrNone(): MirrorStore {
    return this.#store ?? new MirrorStore(this.#emptyFacts());
  }

  #emptyFacts() {
    const header = (this.#state.header ?? { type: "session" }) as SessionHeader;
    return { header, version: 3, readOnly: null, isPersisted: false };
  }

  get diagnostics(): readonly Diagnostic[] {
    const { diagnostics = [] } = this.#state;
    return isArray(diagnostics) ? diagnostics : [];
  }

  /** Names of all settings that are set or have a default. */
  get settingNames(): readonly string[] {
    return keys(this.#state.settings ?? {});
  }
}
