import { join } from "node:path";
import { hostError } from "../errors.ts";
import {
  type PackageManifest,
  RESOURCE_KINDS,
  type ResourceKind,
  readManifest,
} from "../manifest.ts";
import { globPattern, isGlob } from "./glob.ts";
import { INDEX_FILES, isEntryName, joined, PackageFolder, plainPath } from "./package-folder.ts";

/** What a package holds: paths relative to it, in load order (extensions spec §4.2). */
export interface Resources extends Readonly<Record<ResourceKind, readonly string[]>> {
  /** Patterns of the manifest that match nothing, one sentence each. */
  readonly problems: readonly string[];
  /** What was looked for, for the message that nothing was found. */
  readonly looked: readonly string[];
}

export interface EntryOptions {
  /** True for an installed package, whose own module may be the entry. */
  readonly isInstalled: boolean;
  /** Features that are on; absent: those that are by themselves. */
  readonly features?: readonly string[] | undefined;
}

/**
 * Finds what a package folder holds, without running anything. Raises MANIFEST_INVALID for what lies
 * outside the package.
 */
export function resourcesOf(
  root: string,
  manifest: PackageManifest,
  options: EntryOptions,
): Resources {
  const folder = new PackageFolder(root);
  const lists = listed(manifest, options.features);
  return RESOURCE_KINDS.some((kind) => lists[kind].length > 0)
    ? fromLists(folder, lists)
    : fromConvention(folder, manifest, options);
}

/** Raises EXTENSION_EMPTY, which lists what was looked for, if a package holds nothing at all. */
export function requireSomething(path: string, resources: Resources): void {
  if (RESOURCE_KINDS.some((kind) => resources[kind].length > 0)) return;
  throw hostError("EXTENSION_EMPTY", { path, looked: resources.looked.join(", ") });
}

function listed(manifest: PackageManifest, features: readonly string[] | undefined) {
  const on = manifest.features.filter(({ name, isDefault }) =>
    features ? features.includes(name) : isDefault,
  );
  const extensions = [...manifest.extensions, ...on.flatMap((feature) => feature.extensions)];
  const { skills, prompts, themes } = manifest;
  return { extensions, skills, prompts, themes };
}

function fromLists(
  folder: PackageFolder,
  lists: Readonly<Record<ResourceKind, readonly string[]>>,
): Resources {
  const problems: string[] = [];
  const found = (kind: ResourceKind) => {
    const { paths, missing } = matching(folder, kind, lists[kind]);
    problems.push(...missing.map((pattern) => `${kind} names ${pattern}, which is not there`));
    return paths;
  };
  const [extensions, skills, prompts, themes] = RESOURCE_KINDS.map(found);
  const looked = RESOURCE_KINDS.flatMap((kind) => lists[kind]);
  return all({ extensions, skills, prompts, themes }, problems, looked);
}

type Lists = { readonly [kind in ResourceKind]?: readonly string[] | undefined };

function all(lists: Lists, problems: readonly string[], looked: readonly string[]): Resources {
  const { extensions = [], skills = [], prompts = [], themes = [] } = lists;
  return { extensions, skills, prompts, themes, problems, looked };
}

/** Patterns in order; exclusions hold for all of them, `+path` and `-path` for one exact path. */
function matching(folder: PackageFolder, kind: ResourceKind, patterns: readonly string[]) {
  const marked = (mark: string) =>
    patterns.flatMap((pattern) => (pattern.startsWith(mark) ? plainPath(pattern.slice(1)) : []));
  const excluded = marked("!").map(globPattern);
  const removed = new Set(marked("-"));
  const missing: string[] = [];
  const paths: string[] = [];
  for (const pattern of patterns) {
    if (/^[!-]/.test(pattern)) continue;
    const isForced = pattern.startsWith("+");
    const found = foundBy(folder, kind, plainPath(isForced ? pattern.slice(1) : pattern));
    if (found.length === 0) missing.push(pattern);
    const kept = isForced ? found : found.filter((path) => !excluded.some((e) => e.test(path)));
    paths.push(...kept.filter((path) => !removed.has(path)));
  }
  return { paths: [...new Set(paths)], missing };
}

function foundBy(folder: PackageFolder, kind: ResourceKind, pattern: string): readonly string[] {
  if (!isGlob(pattern)) return atPath(folder, kind, folder.confine(pattern));
  const expression = globPattern(pattern);
  return folder
    .all()
    .filter((path) => expression.test(path))
    .filter((path) => kind !== "extensions" || !isForeignFile(folder, path))
    .flatMap((path) => atPath(folder, kind, folder.confine(path)));
}

function isForeignFile(folder: PackageFolder, path: string): boolean {
  return folder.kind(path) === "file" && !isEntryName(path);
}

function atPath(folder: PackageFolder, kind: ResourceKind, path: string): readonly string[] {
  const what = folder.kind(path);
  if (what === "file") return [path];
  if (what === undefined) return [];
  return kind === "extensions" ? entriesIn(folder, path) : resourcesIn(folder, kind, path);
}

/** The entries of one folder: what its own manifest names, its index, or its modules one level deep. */
function entriesIn(folder: PackageFolder, path: string): readonly string[] {
  const own = folder.kind(path) === "folder" ? ownEntries(folder, path) : [];
  if (own.length > 0) return own;
  return folder.list(path).flatMap((name) => {
    const inner = folder.confine(joined(path, name));
    if (folder.kind(inner) === "folder") return ownEntries(folder, inner);
    return folder.kind(inner) === "file" && isEntryName(name) ? [inner] : [];
  });
}

function ownEntries(folder: PackageFolder, path: string): readonly string[] {
  if (path !== "" && folder.kind(`${path}/package.json`) === "file") {
    const { extensions } = readManifest(join(folder.root, path));
    const below = extensions.map((pattern) => withinFolder(path, pattern));
    const { paths } = matching(folder, "extensions", below);
    if (paths.length > 0) return paths;
  }
  const index = INDEX_FILES.map((name) => joined(path, name)).find(
    (file) => folder.kind(file) === "file",
  );
  return index === undefined ? [] : [folder.confine(index)];
}

function withinFolder(path: string, pattern: string): string {
  const [, mark = "", rest = ""] = /^([!+-]?)(.*)$/.exec(pattern) ?? [];
  return `${mark}${joined(path, plainPath(rest))}`;
}

/** Skills lie in folders of their own or as single files; prompts and themes are files. */
function resourcesIn(folder: PackageFolder, kind: ResourceKind, path: string): readonly string[] {
  if (kind === "skills" && folder.kind(`${path}/SKILL.md`) === "file") return [`${path}/SKILL.md`];
  const suffix = kind === "themes" ? ".json" : ".md";
  return folder.list(path).flatMap((name) => {
    const inner = folder.confine(joined(path, name));
    if (folder.kind(inner) === "file") return name.endsWith(suffix) ? [inner] : [];
    return kind === "skills" ? resourcesIn(folder, kind, inner) : [];
  });
}

function fromConvention(
  folder: PackageFolder,
  manifest: PackageManifest,
  { isInstalled }: EntryOptions,
): Resources {
  const looked = [
    ...RESOURCE_KINDS.map((kind) => `${kind}/`),
    ...INDEX_FILES.slice(0, 3),
    ...(isInstalled && manifest.main !== undefined ? [manifest.main] : []),
  ];
  const there = RESOURCE_KINDS.filter((kind) => folder.kind(kind) === "folder");
  if (there.length > 0) {
    const found = there.map((kind) => [kind, atPath(folder, kind, folder.confine(kind))] as const);
    return all(Object.fromEntries(found), [], looked);
  }
  const main = isInstalled && manifest.main !== undefined ? [plainPath(manifest.main)] : [];
  const first = [...INDEX_FILES.slice(0, 3), ...main].find((file) => folder.kind(file) === "file");
  return all({ extensions: first === undefined ? [] : [folder.confine(first)] }, [], looked);
}
