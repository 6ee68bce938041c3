import { hostError } from "./errors.ts";
import type { Extension } from "./extension.ts";
import type { Reports } from "./reports.ts";

/** A name that an extension asks for. */
export interface Claim {
  readonly name: string;
  readonly extension: Extension;
}

/** What differs between commands, keys and contributions in the one rule of names. */
export interface NameRules {
  /** As messages call it: `command`, `key`. */
  readonly kind: string;
  readonly reports: Reports;
  /** Id of the extension that the user wants to have a name. */
  preferred(name: string): string | undefined;
  /** The name of a claim whose plain name is taken. */
  alias(name: string, owner: string): string;
}

/**
 * Who goes by which name (extensions spec §4.4): the one the user prefers, else first-party, else
 * the first in load order has the plain name; everybody else an alias. Nothing is ever dropped.
 */
export class NameTable<C extends Claim> {
  readonly #rules: NameRules;
  readonly #aliases = new Map<C, string>();
  #claims: readonly C[] = [];
  #byName: ReadonlyMap<string, C> = new Map();

  constructor(rules: NameRules) {
    this.#rules = rules;
  }

  /** Adds a claim, reports who has to take an alias, and gives the undo. */
  add(claim: C): () => void {
    this.#claims = [...this.#claims, claim].sort((a, b) => a.extension.rank - b.extension.rank);
    this.#assign();
    this.#reportAliases();
    return () => {
      this.#claims = this.#claims.filter((other) => other !== claim);
      this.#aliases.delete(claim);
      this.#assign();
    };
  }

  find(name: string): C | undefined {
    return this.#byName.get(name);
  }

  /** All names with their claims, in load order. */
  entries(): (readonly [string, C])[] {
    const names = new Map([...this.#byName].map(([name, claim]) => [claim, name]));
    return this.#claims.map((claim) => [names.get(claim) ?? claim.name, claim]);
  }

  #assign(): void {
    const byName = new Map<string, C>();
    for (const { name } of this.#claims) {
      if (!byName.has(name)) byName.set(name, this.#owner(name));
    }
    for (const claim of this.#claims) {
      if (byName.get(claim.name) !== claim) byName.set(this.#free(claim, byName), claim);
    }
    this.#byName = byName;
  }

  #owner(name: string): C {
    const claims = this.#claims.filter((claim) => claim.name === name);
    const preferred = this.#rules.preferred(name);
    return (claims.find(({ extension }) => extension.id === preferred) ??
      claims.find(({ extension }) => extension.firstParty) ??
      claims[0]) as C;
  }

  #free({ name, extension }: C, taken: ReadonlyMap<string, C>): string {
    const owner = extension.firstParty ? "coppice" : extension.shortId;
    const alias = this.#rules.alias(name, owner);
    if (!taken.has(alias)) return alias;
    let count = 2;
    while (taken.has(`${alias}-${count}`)) count++;
    return `${alias}-${count}`;
  }

  #reportAliases(): void {
    const { kind, reports } = this.#rules;
    for (const [alias, claim] of this.#byName) {
      const { name, extension } = claim;
      if (alias === name || this.#aliases.get(claim) === alias) continue;
      this.#aliases.set(claim, alias);
      const { id, version } = extension;
      const owner = this.#byName.get(name)?.extension.id ?? "another";
      const { code, message } = hostError("NAME_TAKEN", {
        kind,
        name,
        extension: id,
        owner,
        alias,
      });
      reports.add({ code, extension: id, version, where: name, message });
    }
  }
}

/** `extensions.prefer` of the user's settings, for one kind of name. */
export function preferenceOf(setting: unknown, key: string): string | undefined {
  const prefer = setting as Readonly<Record<string, unknown>> | undefined;
  const id = prefer?.[key];
  return typeof id === "string" ? id : undefined;
}
