import type { Environment } from "../../core/index.ts";
import type { Extension } from "../extension.ts";
import { type AuditRecord, audit } from "./audit.ts";
import { isWanted } from "./consent.ts";
import { changeLock, type LockedPackage, lockedAt, readLock, withLocked } from "./lock-file.ts";
import { covers, isFree, type Permission, parsePermission } from "./permission.ts";
import type { Places } from "./places.ts";

/** What is known about a permission before anybody is asked (extensions spec §6.3, §6.4). */
export type Grant = "granted" | "refused" | "undeclared" | "ask";

/** What a person answers (extensions spec §6.4). */
export type GrantAnswer = "once" | "session" | "always" | "never" | "not now";

export interface GrantCall {
  /** Concrete: a program, a host, a name, a path. */
  readonly scope?: string | undefined;
  /** True in the time of a command that a person typed. */
  readonly inGesture?: boolean;
}

/** After so many refusals of one kind in a session nobody is asked again (extensions spec §6.4). */
const PATIENCE = 3;

interface Held {
  readonly granted: Set<string>;
  readonly denied: Set<string>;
  readonly forSession: Set<string>;
  readonly refusals: Map<string, number>;
}

/**
 * Which permissions the packages of a run have, as the user decided. Refusals beat every grant. Reads
 * the stored decisions once for each package, and stores the lasting ones of this run.
 */
export class Grants {
  readonly #places: Places;
  readonly #env: Environment;
  readonly #held = new Map<string, Held>();

  constructor(places: Places, env: Environment) {
    this.#places = places;
    this.#env = env;
  }

  /** Never asks; the caller asks a person where the answer is `ask`. */
  check(extension: Extension, permission: string, call: GrantCall = {}): Grant {
    if (extension.permissions === "all") return "granted";
    const wanted = wantedBy(permission, call.scope);
    if (!wanted) return "refused";
    if (!extension.firstParty) return this.#checkHeld(extension, wanted, call);
    return extension.permissions.has(wanted.text) ? "granted" : "undeclared";
  }

  #checkHeld(extension: Extension, wanted: Permission, { inGesture }: GrantCall): Grant {
    const { denied, granted, forSession, refusals } = this.#heldBy(extension);
    if (anyCovers(denied, wanted)) return "refused";
    if (!isDeclaredBy(extension, wanted)) return "undeclared";
    const isHeld = anyCovers(granted, wanted) || anyCovers(forSession, wanted);
    if (isHeld || isFree(wanted) || (wanted.row.isGesture && inGesture)) return "granted";
    return (refusals.get(wanted.name) ?? 0) >= PATIENCE ? "refused" : "ask";
  }

  /** Takes a person's answer; lasting ones are stored. Raises STATE_WRITE_FAILED. */
  async answer(extension: Extension, text: string, answer: GrantAnswer): Promise<void> {
    const wanted = parsePermission(text);
    if (!wanted) return;
    const held = this.#heldBy(extension);
    if (answer === "always") held.granted.add(text);
    if (answer === "session") held.forSession.add(text);
    if (answer === "always" || answer === "session") extension.package?.changing?.held.add(text);
    if (answer === "never") held.denied.add(text);
    if (answer === "never" || answer === "not now") {
      held.refusals.set(wanted.name, (held.refusals.get(wanted.name) ?? 0) + 1);
    }
    if (answer === "always" || answer === "never") await this.#store(extension, text, answer);
  }

  /** Adds a line to the audit log (extensions spec §6.7). */
  audit(extension: Extension, record: Omit<AuditRecord, "event" | "extension" | "version">): void {
    const { id, version } = extension;
    audit(this.#places, this.#env, { event: "permission", extension: id, version, ...record });
  }

  #heldBy(extension: Extension): Held {
    const name = extension.package ? JSON.stringify(extension.package.key) : extension.id;
    let held = this.#held.get(name);
    if (!held) {
      const { granted = [], denied = [] } = this.#stored(extension)?.permissions ?? {};
      held = {
        granted: new Set(granted),
        denied: new Set(denied),
        forSession: new Set(),
        refusals: new Map(),
      };
      this.#held.set(name, held);
    }
    return held;
  }

  #stored(extension: Extension): LockedPackage | undefined {
    const key = extension.package?.key;
    return key && lockedAt(readLock(this.#places).lock, key);
  }

  async #store(extension: Extension, text: string, answer: "always" | "never"): Promise<void> {
    const key = extension.package?.key;
    if (!key) return;
    await changeLock(this.#places, this.#env, (lock) => {
      const locked = lockedAt(lock, key);
      if (!locked) return lock;
      const without = (list: readonly string[]) => list.filter((one) => one !== text);
      const granted = without(locked.permissions.granted);
      const denied = without(locked.permissions.denied);
      const permissions =
        answer === "always"
          ? { granted: [...granted, text], denied }
          : { granted, denied: [...denied, text] };
      return withLocked(lock, key, { ...locked, permissions });
    });
  }
}

function wantedBy(permission: string, scope: string | undefined): Permission | undefined {
  return parsePermission(scope === undefined ? permission : `${permission}:${scope}`);
}

function anyCovers(texts: Iterable<string>, wanted: Permission): boolean {
  for (const text of texts) {
    const holder = parsePermission(text);
    if (holder && covers(holder, wanted)) return true;
  }
  return false;
}

/** A package that declares is held to its lists, free scopes excepted (extensions spec §6.3). */
function isDeclaredBy({ package: facts }: Extension, wanted: Permission): boolean {
  const declared = facts?.declared;
  if (!declared || (wanted.row.scope && isFree(wanted))) return true;
  return isWanted(declared, wanted);
}
