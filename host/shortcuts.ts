import type { ShortcutOptions } from "./api.ts";
import type { Instance } from "./extension.ts";
import type { Reports } from "./reports.ts";

export interface Shortcut {
  readonly key: string;
  readonly options: ShortcutOptions;
  readonly instance: Instance;
}

/** Keys that extensions bind. The first to bind a key keeps it (extensions spec §4.4). */
export class Shortcuts {
  readonly #reports: Reports;
  readonly #shortcuts = new Map<string, Shortcut>();

  constructor(reports: Reports) {
    this.#reports = reports;
  }

  register(key: string, options: ShortcutOptions, instance: Instance): () => void {
    const holder = this.#shortcuts.get(key);
    if (holder) {
      const { id, version } = instance.extension;
      const message = `the key ${key} belongs to ${holder.instance.extension.id}`;
      this.#reports.add({ code: "NAME_TAKEN", extension: id, version, where: key, message });
      return () => undefined;
    }
    const shortcut = { key, options, instance };
    this.#shortcuts.set(key, shortcut);
    return () => {
      if (this.#shortcuts.get(key) === shortcut) this.#shortcuts.delete(key);
    };
  }

  find(key: string): Shortcut | undefined {
    return this.#shortcuts.get(key);
  }
}
