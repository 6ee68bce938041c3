import { discoverBuiltins } from "../discover.ts";
import { audit } from "./audit.ts";
import { undecided } from "./consent.ts";
import { packageError } from "./errors.ts";
import { examine, pathOf } from "./examine.ts";
import type { FoundPackage } from "./found.ts";
import { exclusively, store } from "./install.ts";
import type { LockedPackage } from "./lock-file.ts";
import { switchInProject } from "./project-sources.ts";
import { type ConsentWay, consentTo } from "./question.ts";
import { readPackages, requirePackage } from "./state.ts";
import { contentHash } from "./tree.ts";
import type { PackageWork } from "./work.ts";

export interface SwitchResult {
  readonly id: string;
  readonly state: "active" | "off" | "needs-consent" | "cancelled";
  /** Asked for and not decided. */
  readonly waiting: readonly string[];
}

export interface SwitchOptions extends ConsentWay {
  /** In the project's settings only. */
  readonly isProject: boolean;
  /** omp's features that are on from now on. */
  readonly features?: readonly string[] | undefined;
}

/** Switches an extension off without loading it; first-party ones too. Raises EXTENSION_NOT_FOUND. */
export function disableExtension(
  id: string,
  { isProject }: Pick<SwitchOptions, "isProject">,
  work: PackageWork,
): Promise<SwitchResult> {
  return exclusively(work, async () => {
    const off = { id, state: "off", waiting: [] } as const;
    if (isFirstParty(id) || isProject) {
      await setDisabled(id, true, isProject, work);
      return off;
    }
    const { key, locked, ...found } = requirePackage(readPackages(work), id);
    if (!locked) return { id: found.id, state: "needs-consent", waiting: [] };
    await store(key, { ...locked, enabled: false }, work);
    note(found, "off", work);
    return { ...off, id: found.id };
  });
}

/**
 * Switches an extension on without loading it, and asks what is still to be asked. Raises
 * EXTENSION_NOT_FOUND, PROJECT_NOT_TRUSTED, and what is wrong with the package.
 */
export function enableExtension(
  id: string,
  options: SwitchOptions,
  work: PackageWork,
): Promise<SwitchResult> {
  return exclusively(work, async () => {
    const on = { id, state: "active", waiting: [] } as const;
    if (isFirstParty(id)) {
      await setDisabled(id, false, options.isProject, work);
      return on;
    }
    const state = readPackages(work);
    const found = requirePackage(state, id);
    if (options.isProject) await switchInProject(found.id, true, work);
    if (found.state === "untrusted-project") {
      throw packageError("PROJECT_NOT_TRUSTED", {
        path: state.trust.root,
        brings: state.trust.brings,
      });
    }
    if (!found.facts) throw found.problem ?? notFound(id);
    const isInStep = found.state !== "needs-consent" && found.locked;
    return isInStep
      ? switchOn(found, found.locked, options, work)
      : askAndSwitchOn(found, options, work);
  });
}

function notFound(id: string) {
  return packageError("EXTENSION_NOT_FOUND", { id, known: [] });
}

async function switchOn(
  found: FoundPackage,
  locked: LockedPackage,
  { features }: SwitchOptions,
  work: PackageWork,
): Promise<SwitchResult> {
  await setDisabled(found.id, false, false, work);
  const chosen = features ? { features } : {};
  await store(found.key, { ...locked, ...chosen, enabled: true }, work);
  note(found, "active", work);
  return { id: found.id, state: "active", waiting: undecided(locked.asks, locked.permissions) };
}

async function askAndSwitchOn(
  found: FoundPackage,
  way: SwitchOptions,
  work: PackageWork,
): Promise<SwitchResult> {
  const { id, version, source, locked, key, facts } = found;
  if (!facts) throw notFound(id);
  const { asks: plan, entries, remarks } = await examine(facts);
  const decided = locked?.permissions ?? { granted: [], denied: [] };
  const about = {
    purpose: "enable",
    id,
    version,
    source,
    plan,
    entries,
    remarks,
    decided,
  } as const;
  const consent = await consentTo(about, way);
  if (consent.kind === "cancelled") return { id, state: "cancelled", waiting: [] };
  const waiting = undecided(plan, consent.decided);
  if (consent.kind === "waiting") return { id, state: "needs-consent", waiting };
  const path = pathOf(facts);
  const value: LockedPackage = {
    ...(locked ?? freshState(found, path, work)),
    version,
    entries,
    asks: plan,
    tree:
      key.kind === "found" && found.scope === "project"
        ? contentHash(path)
        : (locked?.tree ?? null),
    features: way.features ?? locked?.features ?? null,
    enabled: true,
    consented: true,
    permissions: consent.decided,
  };
  await store(key, value, work);
  note(found, "active", work);
  return { id, state: "active", waiting };
}

function freshState(
  { source, scope, version }: FoundPackage,
  folder: string,
  { env }: PackageWork,
): Omit<LockedPackage, "asks" | "entries" | "permissions"> {
  return {
    version,
    integrity: null,
    tree: null,
    folder,
    source,
    scope: scope === "project" ? "project" : "user",
    installed: env.now(),
    enabled: true,
    consented: true,
    trusted: null,
    features: null,
    registers: null,
    pending: null,
    lastError: null,
  };
}

function isFirstParty(id: string): boolean {
  return discoverBuiltins().some((builtin) => builtin.id === id);
}

/** The setting that names what is off; third-party packages of the user have it in the lock file. */
async function setDisabled(
  id: string,
  isOff: boolean,
  isProject: boolean,
  work: PackageWork,
): Promise<void> {
  if (isProject) return switchInProject(id, !isOff, work);
  const { settings } = work;
  const before = settings.get("extensions.disabled") as readonly string[];
  if (before.includes(id) === isOff) return;
  const others = before.filter((one) => one !== id);
  settings.set("extensions.disabled", isOff ? [...others, id] : others);
}

function note(
  { id, version }: Pick<FoundPackage, "id" | "version">,
  decision: string,
  work: PackageWork,
) {
  audit(work.places, work.env, { event: "switch", extension: id, version, decision });
}
