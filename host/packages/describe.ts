import type { CoppiceError } from "../../core/index.ts";
import { discoverBuiltins } from "../discover.ts";
import type { Manifest } from "../manifest.ts";
import { type ConsentPlan, consentPlan, type Decided, undecided } from "./consent.ts";
import { type EntryFlavour, flavourOf } from "./flavour.ts";
import type { FoundPackage, PackageState } from "./found.ts";
import { exclusively } from "./install.ts";
import type { LockedVersion, Registered } from "./lock-file.ts";
import { pairWarning } from "./pairs.ts";
import { dataFolder } from "./places.ts";
import { parseSource } from "./source.ts";
import { stage, withStaging } from "./stage.ts";
import { type PackagesState, readPackages, requirePackage } from "./state.ts";
import type { PackageWork } from "./work.ts";

/** A line of `coppice ext list`. */
export interface PackageLine {
  readonly id: string;
  readonly version: string;
  readonly source: string;
  readonly scope: "user" | "project" | "run" | "coppice";
  readonly state: PackageState;
  readonly problem?: CoppiceError;
}

/** All packages with their states; runs no code. `all`: first-party ones too. */
export function listPackages(
  { all }: { readonly all: boolean },
  work: PackageWork,
): readonly PackageLine[] {
  const { found } = readPackages(work);
  const lines = found.map(({ id, version, source, scope, state, problem }) => ({
    id,
    version,
    source,
    scope,
    state,
    ...(problem && { problem }),
  }));
  return all ? [...lines, ...firstParty(work)] : lines;
}

function firstParty({ settings }: PackageWork): readonly PackageLine[] {
  const disabled = settings.get("extensions.disabled") as readonly string[];
  return discoverBuiltins().map(({ id, version }) => ({
    id,
    version,
    source: "coppice",
    scope: "coppice",
    state: disabled.includes(id) ? "off" : "active",
  }));
}

/** What `coppice ext info` says (extensions spec §5.1). */
export interface PackageInfo {
  readonly id: string;
  readonly version: string;
  readonly description: string;
  readonly source: string;
  readonly integrity: string | null;
  readonly tree: string | null;
  readonly state: PackageState | "not-installed";
  readonly entries: readonly EntryFlavour[];
  readonly skills: readonly string[];
  readonly prompts: readonly string[];
  readonly themes: readonly string[];
  readonly plan: ConsentPlan;
  readonly permissions: Decided;
  readonly waiting: readonly string[];
  readonly warning?: string;
  /** What its last load registered. */
  readonly registers: Registered | null;
  readonly pending?: { readonly version: string; readonly waiting: readonly string[] };
  readonly dataFolder: string;
  /** Versions of Node and of other hosts it asks for: shown, never enforced. */
  readonly engines: Readonly<Record<string, string>>;
  readonly peers: Readonly<Record<string, string>>;
  readonly remarks: readonly string[];
  readonly isTrusted: boolean;
  readonly error?: CoppiceError;
}

const NOTHING: Decided = { granted: [], denied: [] };

/**
 * Describes an installed package without reading its modules, or a source: what an install would ask,
 * without installing. Raises EXTENSION_NOT_FOUND, and for a source the errors of an install.
 */
export async function describePackage(text: string, work: PackageWork): Promise<PackageInfo> {
  const state = readPackages(work);
  return isSource(text) ? describeSource(text, work) : describeFound(state, text, work);
}

function isSource(text: string): boolean {
  return /^(?:npm|git):|^(?:\.{1,2}|~)?\/|^(?:\.{1,2}|~)$/.test(text);
}

function describeFound(state: PackagesState, text: string, work: PackageWork): PackageInfo {
  const found = requirePackage(state, text);
  const { id, version, source, facts, locked, problem } = found;
  const manifest = facts?.manifest;
  const plan = locked?.asks ?? consentPlan(manifest ?? NO_WISHES, []);
  const permissions = locked?.permissions ?? NOTHING;
  const warning = warningOf(plan, permissions);
  return {
    id,
    version,
    source,
    state: found.state,
    entries: locked?.entries ?? guessedEntries(found),
    ...manifestPart(manifest, facts?.resources),
    integrity: locked?.integrity ?? null,
    tree: locked?.tree ?? null,
    plan,
    permissions,
    waiting: undecided(plan, permissions),
    ...(warning !== undefined && { warning }),
    registers: locked?.registers ?? null,
    ...(locked?.pending && { pending: pendingPart(locked.pending, permissions) }),
    dataFolder: dataFolder(work.places.home, id),
    remarks: facts?.resources.problems ?? [],
    isTrusted: locked?.trusted != null,
    ...(problem && { error: problem }),
  };
}

const NO_WISHES = {
  isDeclaring: false,
  permissions: [],
  optionalPermissions: [],
  permissionReasons: {},
};

/** Of a package that was never scanned only the manifest is known. */
function guessedEntries({ facts }: FoundPackage): readonly EntryFlavour[] {
  if (!facts) return [];
  return facts.resources.extensions.map((path) => flavourOf(path, facts.manifest, []));
}

function pendingPart({ version, asks }: LockedVersion, decided: Decided) {
  return { version, waiting: undecided(asks, decided) };
}

function manifestPart(
  manifest: (Manifest & Partial<Pick<PackageInfo, "engines" | "peers">>) | undefined,
  resources: Partial<Pick<PackageInfo, "skills" | "prompts" | "themes">> = {},
) {
  const { skills = [], prompts = [], themes = [] } = resources;
  const { description = "", engines = {}, peers = {} } = manifest ?? {};
  return { description, skills, prompts, themes, engines, peers };
}

function warningOf(plan: ConsentPlan, { granted, denied }: Decided): string | undefined {
  const all = [...plan.asked, ...plan.explicit, ...plan.later, ...granted];
  return pairWarning([...new Set(all)].filter((text) => !denied.includes(text)));
}

function describeSource(text: string, work: PackageWork): Promise<PackageInfo> {
  const source = parseSource(text, { cwd: work.cwd });
  return exclusively(work, () =>
    withStaging(work, async (folder) => {
      const staged = await stage(source, folder, work);
      const { id, version, entries, asks: plan, manifest, resources, remarks } = staged;
      const warning = warningOf(plan, NOTHING);
      return {
        id,
        version,
        source: source.text,
        state: "not-installed",
        entries,
        ...manifestPart(manifest, resources),
        integrity: staged.integrity,
        tree: staged.tree,
        plan,
        permissions: NOTHING,
        waiting: undecided(plan, NOTHING),
        ...(warning !== undefined && { warning }),
        registers: null,
        dataFolder: dataFolder(work.places.home, id),
        remarks,
        isTrusted: false,
      };
    }),
  );
}
