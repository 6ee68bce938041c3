import fs from "node:fs";
import { join, relative, sep } from "node:path";
import { hostError } from "../errors.ts";
import { realPath } from "../storage/session-dir.ts";

/** Suffixes of modules that can be an entry (extensions spec §4.2). */
const CODE = /\.(?:ts|mts|js|mjs|cjs)$/;
const NO_ENTRY = /\.d\.[mc]?ts$|\.(?:test|spec)\.[^.]+$/;
export const INDEX_FILES: readonly string[] = [
  "index.ts",
  "index.js",
  "index.mjs",
  "index.mts",
  "index.cjs",
];

/** The folder of a package, looked at without running or following anything out of it. */
export class PackageFolder {
  readonly root: string;
  readonly #realRoot: string;
  #names: readonly string[] | undefined;

  constructor(root: string) {
    this.root = root;
    this.#realRoot = realPath(root);
  }

  kind(path: string): "file" | "folder" | undefined {
    const stats = fs.statSync(join(this.root, path), { throwIfNoEntry: false });
    if (stats?.isFile()) return "file";
    return stats?.isDirectory() ? "folder" : undefined;
  }

  /** Raises MANIFEST_INVALID for a path that leads out of the package, also through links. */
  confine(path: string): string {
    const names = path.split("/");
    const real = realPath(join(this.root, path));
    const below = relative(this.#realRoot, real);
    const isInside = below !== ".." && !below.startsWith(`..${sep}`) && !below.startsWith(sep);
    if (isInside && !names.includes("..")) return path;
    throw hostError("MANIFEST_INVALID", {
      path: join(this.root, "package.json"),
      reason: `${JSON.stringify(path)} leads out of the package`,
    });
  }

  /** Names in a folder, by code unit; dot files and node_modules left out. */
  list(path: string): readonly string[] {
    return fs
      .readdirSync(join(this.root, path))
      .filter((name) => !name.startsWith(".") && name !== "node_modules")
      .sort((a, b) => (a < b ? -1 : 1));
  }

  /** All files and folders that a pattern may name. */
  all(): readonly string[] {
    this.#names ??= this.#below("");
    return this.#names;
  }

  #below(folder: string): readonly string[] {
    return this.list(folder).flatMap((name) => {
      const path = joined(folder, name);
      const stats = fs.lstatSync(join(this.root, path));
      if (stats.isDirectory()) return [path, ...this.#below(path)];
      return stats.isFile() || stats.isSymbolicLink() ? [path] : [];
    });
  }
}

export function isEntryName(name: string): boolean {
  return CODE.test(name) && !NO_ENTRY.test(name);
}

export function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** A path of a manifest as it is compared: without `./`, doubled and last slashes. */
export function plainPath(path: string): string {
  return path
    .split("/")
    .filter((name, i) => name !== "." && (name !== "" || i === 0))
    .join("/");
}
