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
  /** Permission → the author's reason. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Permissions that change while it runs; absent where they are fixed. */
  readonly changing?: ChangingPermissions;
  /** Where it keeps its data; need not exist. */
  readonly dataFolder: string;
}

export interface ChangingPermissions {
  /** What it holds now: the same set as the extension's permissions. */
  readonly held: Set<string>;
  /** What it has in addition while a command of a person runs (extensions spec §6.2). */
  readonly gestures: readonly string[];
}

export interface PackageEntry {
  readonly path: string;
  readonly flavour: Flavour;
}
