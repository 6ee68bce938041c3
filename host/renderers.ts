import type { Instance } from "./extension.ts";

/** What an extension would have drawn its own way, by custom type (extensions spec §2.3). */
export interface Renderer {
  readonly kind: "message" | "entry";
  readonly customType: string;
  readonly render: (...values: readonly never[]) => unknown;
  readonly instance: Instance;
}

/** Renderers of custom messages and entries. */
export class Renderers {
  #renderers: readonly Renderer[] = [];

  add(renderer: Renderer): () => void {
    this.#renderers = [...this.#renderers, renderer];
    return () => {
      this.#renderers = this.#renderers.filter((other) => other !== renderer);
    };
  }

  all(): readonly Renderer[] {
    return this.#renderers;
  }
}
