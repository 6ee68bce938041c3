import type { Manifest } from "./manifest.ts";
import type { ExtensionPackage } from "./packages/package-facts.ts";
import { Scope } from "./scope.ts";

/** An extension that was found: one entry of a package. */
export interface Extension {
  /** Package name, or base name of a file or folder. */
  readonly id: string;
  /** The id without scope and without characters that names cannot hold. */
  readonly shortId: string;
  readonly version: string;
  readonly firstParty: boolean;
  /** `"all"` for one that runs trusted, with the user's own rights. */
  readonly permissions: ReadonlySet<string> | "all";
  readonly entry: string;
  readonly manifest: Manifest;
  /** The package of a third party, all of whose entries share one isolate; absent for others. */
  readonly package?: ExtensionPackage;
  /** Place in the order of dispatch: third parties before first-party ones (extensions spec §3.1). */
  readonly rank: number;
}

/**
 * One life of an extension, from its factory to the end of the session or a reload. Registrations of
 * the factory are held back and take effect together (extensions spec §1.5).
 */
export class Instance {
  readonly extension: Extension;
  readonly scope = new Scope();
  #state: "loading" | "active" | "ended" = "loading";
  #held: (() => void)[] = [];

  constructor(extension: Extension) {
    this.extension = extension;
  }

  get state(): "loading" | "active" | "ended" {
    return this.#state;
  }

  /** Registers now, or at commit while the factory runs. Gives the undo. */
  register(start: () => () => void): () => void {
    if (this.#state !== "loading") return this.scope.add(start());
    let undo: (() => void) | undefined;
    let isDropped = false;
    this.#held.push(() => {
      if (!isDropped) undo = this.scope.add(start());
    });
    return () => {
      isDropped = true;
      undo?.();
    };
  }

  commit(): void {
    this.#state = "active";
    const held = this.#held;
    this.#held = [];
    for (const start of held) start();
  }

  end(): void {
    this.#state = "ended";
    this.#held = [];
    this.scope.close();
  }
}
