import { join } from "node:path";
import type { CoppiceError } from "../../core/index.ts";
import type { Extension } from "../extension.ts";
import type { Settings } from "../storage/settings.ts";
import { type Decided, isWanted } from "./consent.ts";
import { packageError } from "./errors.ts";
import { type PackageFacts, pathOf } from "./examine.ts";
import { flavourOf } from "./flavour.ts";
import type { FoundPackage } from "./found.ts";
import type { LockedPackage } from "./lock-file.ts";
import type { ExtensionPackage } from "./package-facts.ts";
import { isFree, parsePermission } from "./permission.ts";
import { PERMISSIONS } from "./permission-table.ts";
import { dataFolder, placesOf, shortIdOf } from "./places.ts";
import { consentRequired } from "./question.ts";
import { readPackages } from "./state.ts";
import { contentHash } from "./tree.ts";

export interface DiscoverOptions {
  /** `$COPPICE_HOME`. */
  readonly home: string;
  readonly cwd: string;
  readonly settings: Settings;
  /** `--approve`, `--no-approve`. */
  readonly approve?: boolean | undefined;
}

export interface DiscoveredPackages {
  /** One for each package that is to run in the sandbox; *run trusted* ones have one for each entry. */
  readonly extensions: readonly Extension[];
  /** Why others are off, in load order; what is merely switched off is no problem. */
  readonly problems: readonly CoppiceError[];
}

/**
 * The third-party extensions of a run, in load order (extensions spec §4.3), and what stands in the
 * way of others. Reads manifests and hashes; no code of a package runs.
 */
export function discoverInstalled(options: DiscoverOptions): DiscoveredPackages {
  const { home, cwd, settings, approve } = options;
  const places = placesOf(home);
  const { found, trust, problems } = readPackages({ places, cwd, settings, approve });
  const loaded = found.filter(({ isLoaded }) => isLoaded);
  const untrusted = found.filter(({ state }) => state === "untrusted-project");
  return {
    extensions: loaded.flatMap((one, i) => extensionsOf(one, i, home)),
    problems: [
      ...(problems as readonly CoppiceError[]),
      ...(untrusted.length > 0 ? [notTrusted(trust.root, trust.brings)] : []),
      ...found.flatMap(problemOf),
    ],
  };
}

function notTrusted(path: string, brings: readonly string[]): CoppiceError {
  return packageError("PROJECT_NOT_TRUSTED", { path, brings });
}

function problemOf(found: FoundPackage): readonly CoppiceError[] {
  const { state, problem, id, locked } = found;
  if (state === "needs-consent") return [consentRequired(id, locked?.asks.asked ?? [], "enable")];
  if (state === "update-pending" && locked?.pending) {
    return [consentRequired(id, locked.pending.asks.asked, "update")];
  }
  return state === "failed" && problem && !found.isLoaded ? [problem] : [];
}

/** One for the package as a whole; one for each entry where it runs trusted. */
function extensionsOf(found: FoundPackage, rank: number, home: string): readonly Extension[] {
  const { facts, locked } = found;
  if (!facts || !locked) return [];
  const about = packageOf(found, facts, locked, home);
  const [first] = about.entries;
  if (!first) return [];
  const { id, version } = found;
  const isTrusted = locked.trusted !== null && locked.trusted === contentHash(about.root);
  const extension: Extension = {
    id,
    shortId: shortIdOf(id),
    version,
    firstParty: false,
    permissions: isTrusted ? "all" : about.changing.held,
    entry: first.path,
    manifest: facts.manifest,
    rank,
    package: about,
  };
  if (!isTrusted) return [extension];
  return about.entries.map(({ path }, i) => ({ ...extension, entry: path, rank: rank + i / 1000 }));
}

function packageOf(
  { id, source, scope, key }: FoundPackage,
  facts: PackageFacts,
  locked: LockedPackage,
  home: string,
): ExtensionPackage & Required<Pick<ExtensionPackage, "changing">> {
  const { manifest, resources, root, isFile } = facts;
  const { isDeclaring, permissions, optionalPermissions, permissionReasons } = manifest;
  // What is used in place may have entries by now that were not there when it was read.
  const flavours = new Map(locked.entries.map((entry) => [entry.path, entry.flavour]));
  const declared = isDeclaring ? [...permissions, ...optionalPermissions] : undefined;
  return {
    root: pathOf(facts),
    isFile,
    entries: resources.extensions.map((path) => ({
      path: join(root, path),
      flavour: flavours.get(path) ?? flavourOf(path, manifest, []).flavour,
    })),
    source,
    scope,
    key,
    declared,
    reasons: permissionReasons,
    changing: {
      held: grantedNames(declared, locked.permissions),
      gestures: gestureNames(declared, locked.permissions),
    },
    dataFolder: dataFolder(home, id),
  };
}

type Declared = ExtensionPackage["declared"];

function gestureNames(declared: Declared, { denied }: Decided): readonly string[] {
  const names = Object.keys(PERMISSIONS).filter((name) => PERMISSIONS[name]?.isGesture);
  return names.filter((name) => !denied.includes(name) && (!declared || declared.includes(name)));
}

/** What a package has at the start: what is free for it, and what the user granted. */
function grantedNames(declared: Declared, { granted, denied }: Decided): Set<string> {
  const free = (declared ?? Object.keys(PERMISSIONS)).filter((text) => {
    const permission = parsePermission(text);
    return permission !== undefined && isFree(permission);
  });
  const held = granted.filter((text) => {
    const permission = parsePermission(text);
    return permission !== undefined && (!declared || isWanted(declared, permission));
  });
  return new Set([...free, ...held].filter((text) => !denied.includes(text)));
}
