import type { Undo } from "./api.ts";

/** All that one instance of an extension has registered; closing it undoes everything. */
export class Scope {
  readonly #undos = new Set<Undo>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /** Keeps an undo until it is called or the scope closes; gives the one for the author. */
  add(undo: Undo): Undo {
    const once = () => {
      if (this.#undos.delete(once)) undo();
    };
    this.#undos.add(once);
    return once;
  }

  /** Undoes everything, the newest first. Idempotent. */
  close(): void {
    this.#closed = true;
    for (const undo of [...this.#undos].reverse()) undo();
  }
}
