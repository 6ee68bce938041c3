import type { ShortcutOptions } from "./api.ts";
import type { Instance } from "./extension.ts";
import { type Claim, NameTable } from "./names.ts";
import type { Reports } from "./reports.ts";

interface ShortcutClaim extends Claim {
  readonly options: ShortcutOptions;
  readonly instance: Instance;
}

export interface Shortcut {
  /** The key, or `ext.<short id>.<key>` for a binding whose key was taken (extensions spec §4.4). */
  readonly key: string;
  readonly options: ShortcutOptions;
  readonly instance: Instance;
}

/** Keys that extensions bind. */
export class Shortcuts {
  readonly #names: NameTable<ShortcutClaim>;

  constructor(reports: Reports, preferred: (key: string) => string | undefined = () => undefined) {
    const alias = (key: string, owner: string) => `ext.${owner}.${key}`;
    this.#names = new NameTable({ kind: "key", reports, preferred, alias });
  }

  register(key: string, options: ShortcutOptions, instance: Instance): () => void {
    return this.#names.add({ name: key, options, instance, extension: instance.extension });
  }

  find(key: string): Shortcut | undefined {
    const claim = this.#names.find(key);
    return claim && { key, options: claim.options, instance: claim.instance };
  }

  all(): readonly Shortcut[] {
    return this.#names
      .entries()
      .map(([key, { options, instance }]) => ({ key, options, instance }));
  }
}
