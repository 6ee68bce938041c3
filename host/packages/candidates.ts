import fs from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { errorCode } from "../../core/index.ts";
import { realPath } from "../storage/session-dir.ts";
import type { Settings } from "../storage/settings.ts";
import type { LockedPackage, LockFile, LockKey } from "./lock-file.ts";
import { INDEX_FILES, isEntryName } from "./package-folder.ts";
import type { Places } from "./places.ts";
import { identityOf, parseSource } from "./source.ts";
import { type ProjectTrust, projectSources } from "./trust.ts";

export type PackageScope = "user" | "project" | "run";

export interface FindOptions {
  readonly places: Places;
  readonly cwd: string;
  readonly settings: Settings;
  readonly lock: LockFile;
  readonly trust: ProjectTrust;
  /** Sources of this run, real paths. */
  readonly run?: readonly string[];
}

/** A place where a package is or should be, and where its state is kept. */
export interface Candidate {
  readonly path: string;
  readonly source: string;
  readonly scope: PackageScope;
  readonly key: LockKey;
  /** True if its files are coppice's own, fetched and with a hash. */
  readonly isInstalled: boolean;
}

/** All places of extensions spec §4.3 in load order. */
export function candidatesOf(options: FindOptions): readonly Candidate[] {
  const { places, cwd, lock, trust, run = [] } = options;
  return [
    ...looseIn(places.extensions).map((path) => foundAt(path, "user")),
    ...installed(lock, places),
    ...userPaths(options).map((path) => foundAt(realPath(path), "user")),
    ...looseIn(join(trust.root, ".coppice", "extensions"), { noLinks: true })
      .filter((path) => !path.startsWith(places.extensions))
      .map((path) => foundAt(path, "project")),
    ...ofProject(lock, places, realPath(cwd)),
    ...run.map((path) => foundAt(path, "run")),
  ];
}

function foundAt(path: string, scope: PackageScope): Candidate {
  return { path, source: path, scope, key: { kind: "found", path }, isInstalled: false };
}

/** The files and folders of a folder of extensions, each a package of its own. */
function looseIn(folder: string, { noLinks = false } = {}): readonly string[] {
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => !name.startsWith(".") && name !== "node_modules")
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => join(folder, name))
    .filter((path) => !noLinks || !fs.lstatSync(path).isSymbolicLink())
    .filter(isLoosePackage)
    .map(realPath);
}

function isLoosePackage(path: string): boolean {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return isEntryName(path);
  const marks = ["package.json", "extensions", ...INDEX_FILES];
  return stats?.isDirectory() === true && marks.some((name) => fs.existsSync(join(path, name)));
}

function installed({ packages }: LockFile, places: Places): readonly Candidate[] {
  return Object.entries(packages)
    .sort(([, a], [, b]) => a.installed - b.installed)
    .map(([id, locked]) => installedAt({ kind: "package", id }, locked, places, "user"));
}

function installedAt(
  key: LockKey,
  { source, folder }: LockedPackage,
  places: Places,
  scope: PackageScope,
): Candidate {
  const path = isAbsolute(folder) ? folder : join(places.packages, folder);
  return { path, source, scope, key, isInstalled: !isAbsolute(folder) };
}

/** The setting `extensions` of the user; a project's list does not replace it. */
function userPaths({ settings, places }: FindOptions): readonly string[] {
  if (settings.source("extensions") === "project") return [];
  const paths = settings.get("extensions") as readonly string[];
  return paths.map((path) => fromUser(path, places.home));
}

function fromUser(path: string, folder: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(folder, path);
}

/** Packages and paths that a project's settings name. */
function ofProject(lock: LockFile, places: Places, root: string): readonly Candidate[] {
  return projectSources(root).flatMap((text) => {
    const isPath = /^(?:\.{1,2}|~)?\//.test(text);
    if (isPath) return [foundAt(realPath(fromUser(text, root)), "project")];
    return [installedForProject(lock, places, root, text)];
  });
}

function installedForProject(
  lock: LockFile,
  places: Places,
  root: string,
  source: string,
): Candidate {
  const wanted = identityIn(source, root);
  const known = Object.entries(lock.projects[root] ?? {}).find(
    ([, locked]) => identityIn(locked.source, root) === wanted,
  );
  if (known) {
    const [id, locked] = known;
    return installedAt({ kind: "project", root, id }, locked, places, "project");
  }
  const id = wanted ?? source;
  const path = join(places.packages, "not-installed");
  return { path, source, scope: "project", key: { kind: "project", root, id }, isInstalled: true };
}

function identityIn(source: string, cwd: string): string | undefined {
  try {
    return identityOf(parseSource(source, { cwd }));
  } catch (error) {
    if (errorCode(error) !== "SOURCE_INVALID") throw error;
    return undefined;
  }
}
