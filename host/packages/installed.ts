import type { CoppiceError } from "../../core/index.ts";
import type { Extension } from "../extension.ts";
import type { Settings } from "../storage/settings.ts";
import { containedExtension } from "./contained.ts";
import { packageError } from "./errors.ts";
import { flavourOf } from "./flavour.ts";
import type { FoundPackage } from "./found.ts";
import { dataFolder, placesOf } from "./places.ts";
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
  const { facts, locked, id, source, scope, key } = found;
  if (!facts || !locked) return [];
  // What is used in place may have entries by now that were not there when it was read.
  const flavours = new Map(locked.entries.map((entry) => [entry.path, entry.flavour]));
  const flavour = (path: string) =>
    flavours.get(path) ?? flavourOf(path, facts.manifest, []).flavour;
  const place = { source, scope, key, rank, dataFolder: dataFolder(home, id), flavour };
  const extension = containedExtension(facts, locked.permissions, place);
  if (!extension?.package) return [];
  const { root, entries } = extension.package;
  const isTrusted = locked.trusted !== null && locked.trusted === contentHash(root);
  if (!isTrusted) return [extension];
  const trusted: Extension = { ...extension, permissions: "all" };
  return entries.map(({ path }, i) => ({ ...trusted, entry: path, rank: rank + i / 1000 }));
}
