import fs from "node:fs";
import { dirname } from "node:path";
import semver from "semver";
import { type CoppiceError, errorCode, errorMessage } from "../../core/index.ts";
import { hostError } from "../errors.ts";
import { realPath } from "../storage/session-dir.ts";
import { type Candidate, candidatesOf, type FindOptions, type PackageScope } from "./candidates.ts";
import { packageError } from "./errors.ts";
import { type PackageFacts, packageFacts, pathOf } from "./examine.ts";
import { type LockedPackage, type LockKey, lockedAt } from "./lock-file.ts";
import type { Places } from "./places.ts";
import { checkedTreeHash, contentHash } from "./tree.ts";
import type { ProjectTrust } from "./trust.ts";
import { API_VERSION } from "./work.ts";

/** What `coppice ext list` says of a package (extensions spec §5.1). */
export type PackageState =
  | "active"
  | "off"
  | "needs-consent"
  | "update-pending"
  | "failed"
  | "crashed"
  | "quarantined"
  | "untrusted-project"
  | "shadowed";

/** A package that is there or should be, in one of the places of extensions spec §4.3. */
export interface FoundPackage {
  readonly id: string;
  readonly version: string;
  readonly scope: PackageScope;
  readonly source: string;
  /** Where its state is kept. */
  readonly key: LockKey;
  readonly locked: LockedPackage | undefined;
  readonly state: PackageState;
  /** True if it is loaded at a start. */
  readonly isLoaded: boolean;
  /** Absent where it could not be read. */
  readonly facts: PackageFacts | undefined;
  /** Why it is off, or what went wrong at its last load. */
  readonly problem: CoppiceError | undefined;
}

/**
 * All packages of the user and the project, in load order, each with its state. Reads manifests and
 * hashes, runs nothing, and fails for none of them (extensions spec §4.3, §5.5).
 */
export function findPackages(options: FindOptions): readonly FoundPackage[] {
  const disabled = new Set(options.settings.get("extensions.disabled") as readonly string[]);
  const all = candidatesOf(options).map((candidate) => inspect(candidate, options, disabled));
  return withShadowed(all);
}

type Inspected = FoundPackage & { readonly path: string };

function inspect(
  candidate: Candidate,
  options: FindOptions,
  disabled: ReadonlySet<string>,
): Inspected {
  const { path, source, scope, key } = candidate;
  const locked = lockedAt(options.lock, key);
  const { facts, problem } = readFacts(candidate, locked, options);
  const id = facts?.id ?? idOf(key);
  const isOff = disabled.has(id) || locked?.enabled === false;
  const state = stateOf(candidate, { locked, isOff, problem, facts }, options);
  const lastError = locked?.lastError;
  const last = lastError
    ? hostError("EXTENSION_LOAD_FAILED", { extension: id, entry: path, reason: lastError.message })
    : undefined;
  return {
    path: realPath(path),
    id,
    version: facts?.version ?? locked?.version ?? "0.0.0",
    scope,
    source: locked?.source ?? source,
    key,
    locked,
    state: state === "active" && last ? "failed" : state,
    isLoaded: state === "active" || state === "update-pending",
    facts,
    problem: problem ?? last,
  };
}

function idOf(key: LockKey): string {
  return key.kind === "found" ? key.path : key.id;
}

interface Known {
  readonly locked: LockedPackage | undefined;
  readonly isOff: boolean;
  readonly problem: CoppiceError | undefined;
  readonly facts: PackageFacts | undefined;
}

function stateOf(
  { scope }: Candidate,
  { locked, isOff, problem, facts }: Known,
  { trust }: FindOptions,
): PackageState {
  if (scope === "project" && !trust.isTrusted) return "untrusted-project";
  if (problem) return "failed";
  if (!locked?.consented || isOther(scope, locked, facts, trust)) return "needs-consent";
  if (isOff) return "off";
  return locked.pending ? "update-pending" : "active";
}

/** Consent to what a project brings is bound to its content, unless the folder is trusted (§6.4). */
function isOther(
  scope: PackageScope,
  { tree }: LockedPackage,
  facts: PackageFacts | undefined,
  { isFolder }: ProjectTrust,
): boolean {
  if (scope !== "project" || isFolder || tree === null || !facts) return false;
  return contentHash(pathOf(facts)) !== tree;
}

function readFacts(
  { path, isInstalled, source }: Candidate,
  locked: LockedPackage | undefined,
  { places }: FindOptions,
): Pick<Known, "facts" | "problem"> {
  try {
    if (isInstalled) requireFiles(path, source, locked, places);
    const features = locked?.features ?? undefined;
    const facts = packageFacts(path, { isInstalled, features });
    return { facts, problem: apiProblem(facts) };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return { facts: undefined, problem: asProblem(error, path) };
  }
}

function asProblem(error: unknown, path: string): CoppiceError {
  const { details } = error as Partial<CoppiceError>;
  if (details) return error as CoppiceError;
  return hostError("MANIFEST_INVALID", { path, reason: errorMessage(error) }, error);
}

/** The files of an installed package are there and are those that were installed. */
function requireFiles(
  path: string,
  source: string,
  locked: LockedPackage | undefined,
  places: Places,
): void {
  if (!fs.existsSync(path)) {
    const extension = locked ? dirname(locked.folder) : source;
    throw packageError("PACKAGE_MISSING", { extension, path, source });
  }
  if (!locked || locked.tree === null) return;
  const found = treeOrProblem(path, locked.tree, places);
  if (found === locked.tree) return;
  throw packageError("INTEGRITY_MISMATCH", {
    package: `${path} (${source})`,
    expected: locked.tree,
    found,
    source,
  });
}

/** A folder that holds what no package can hold is another one, too. */
function treeOrProblem(path: string, expected: string, places: Places): string {
  try {
    return checkedTreeHash(path, expected, places);
  } catch (error) {
    if (errorCode(error) !== "PACKAGE_INVALID") throw error;
    return errorMessage(error);
  }
}

function apiProblem({ id, manifest: { api } }: PackageFacts): CoppiceError | undefined {
  if (api === undefined) return undefined;
  const isFit = semver.validRange(api) !== null && semver.satisfies(API_VERSION, api);
  if (isFit) return undefined;
  return packageError("API_RANGE", { extension: id, range: api, version: API_VERSION });
}

/** The same package twice: `-e` wins, then the user's, then the project's (extensions spec §4.3). */
function withShadowed(all: readonly Inspected[]): readonly FoundPackage[] {
  const order = ["run", "user", "project"] as const;
  const taken = new Set<string>();
  const winners = new Set<Inspected>();
  for (const found of order.flatMap((scope) => all.filter((one) => one.scope === scope))) {
    const names = [`id ${found.id}`, `path ${found.path}`];
    if (found.state === "untrusted-project" || names.some((name) => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    winners.add(found);
  }
  return all.map((found) => {
    const { path: _, ...rest } = found;
    const isShadowed = found.state !== "untrusted-project" && !winners.has(found);
    return isShadowed ? { ...rest, state: "shadowed", isLoaded: false } : rest;
  });
}
