import type { Flavour } from "./flavour.ts";
import type { LockKey } from "./lock-file.ts";

/** What the loader and the checks of permissions need to know of a package of a third party. */
export interface ExtensionPackage {
  /** Real path of its folder, or of the single file that it is. */
  readonly root: string;
  readonly isFile: boolean;
  /** Absolute, in the order of the manifest. */
  readonly entries: readonly PackageEntry[];
  readonly source: string;
  readonly scope: "user" | "project" | "run";
  /** Where its grants are kept. */
  readonly key: LockKey;
  /** The permissions it is held to; absent if it declares none (extensions spec §6.3). */
  readonly declared: readonly string[] | undefined;
  /** What it found to ask for, with the author's reasons by permission. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Where it keeps its data; need not exist. */
  readonly dataFolder: string;
}

export interface PackageEntry {
  readonly path: string;
  readonly flavour: Flavour;
}
