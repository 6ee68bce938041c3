import { isAbsolute } from "node:path";
import { CoppiceError } from "../../core/index.ts";
import { audit } from "./audit.ts";
import { undecided } from "./consent.ts";
import type { FoundPackage } from "./found.ts";
import { exclusively, type InstallResult, settle, store } from "./install.ts";
import type { LockedPackage, LockedVersion } from "./lock-file.ts";
import { resolveVersion } from "./npm.ts";
import { type ConsentWay, consentTo } from "./question.ts";
import { isExact, parseSource, type Source } from "./source.ts";
import { stage, withStaging } from "./stage.ts";
import { readPackages, requirePackage } from "./state.ts";
import type { PackageWork } from "./work.ts";

/** What an update did, or would do, for one package. */
export interface UpdateResult {
  readonly id: string;
  /** The version in use before. */
  readonly from: string;
  readonly to: string;
  readonly outcome: "current" | "fixed" | "available" | "failed" | InstallResult["state"];
  /** What the new version asks for beyond what is decided. */
  readonly waiting: readonly string[];
  readonly error?: CoppiceError;
}

export interface UpdateOptions extends ConsentWay {
  /** None: all that were fetched. */
  readonly ids: readonly string[];
  /** Only tells what there is. */
  readonly isCheck: boolean;
}

/**
 * Updates packages to the newest version of their source (extensions spec §5.4). One that fails leaves
 * the others alone. Raises EXTENSION_NOT_FOUND.
 */
export function updatePackages(
  options: UpdateOptions,
  work: PackageWork,
): Promise<readonly UpdateResult[]> {
  return exclusively(work, async () => {
    const state = readPackages(work);
    const chosen =
      options.ids.length > 0
        ? options.ids.map((id) => requirePackage(state, id))
        : state.found.filter(({ key, locked }) => locked && key.kind !== "found");
    const results: UpdateResult[] = [];
    for (const found of chosen) results.push(await updateOne(found, options, work));
    return results;
  });
}

async function updateOne(
  found: FoundPackage,
  options: UpdateOptions,
  work: PackageWork,
): Promise<UpdateResult> {
  const { locked, id, version } = found;
  const same = { id, from: version, to: version, waiting: [] };
  if (!locked || isAbsolute(locked.folder)) return { ...same, outcome: "fixed" };
  try {
    return isAnswered(options) && locked.pending
      ? await acceptPending(found, locked, locked.pending, options, work)
      : await fetchNewest(found, locked, options, work);
  } catch (error) {
    if (!(error instanceof CoppiceError) || options.ids.length === 1) throw error;
    return { ...same, outcome: "failed", error };
  }
}

function isAnswered({ yes, acceptAll, accept, deny }: ConsentWay): boolean {
  return yes || acceptAll || accept.length > 0 || deny.length > 0;
}

async function fetchNewest(
  found: FoundPackage,
  locked: LockedPackage,
  options: UpdateOptions,
  work: PackageWork,
): Promise<UpdateResult> {
  const { id, version, key } = found;
  const source = parseSource(locked.source, { cwd: work.cwd });
  const same = { id, from: version, to: version, waiting: [] };
  if (isExact(source)) return { ...same, outcome: "fixed" };
  return withStaging(work, async (folder) => {
    const newest = await newestIntegrity(source, folder, work);
    if (newest === locked.integrity) return { ...same, outcome: "current" };
    if (locked.pending && newest === locked.pending.integrity && !options.isCheck) {
      return acceptPending(found, locked, locked.pending, options, work);
    }
    const staged = await stage(source, folder, work);
    if (staged.integrity === locked.integrity) return { ...same, outcome: "current" };
    const news = { id, from: version, to: staged.version };
    const waiting = undecided(staged.asks, locked.permissions);
    if (options.isCheck) return { ...news, outcome: "available", waiting };
    const result = await settle(staged, key, "update", options, work);
    return { ...news, outcome: result.state, waiting: result.waiting };
  });
}

/** The registry says it without a download. */
async function newestIntegrity(
  source: Source,
  cwd: string,
  { variables, signal }: PackageWork,
): Promise<string | undefined> {
  if (source.kind !== "npm") return undefined;
  return (await resolveVersion(source, { cwd, variables, signal })).integrity;
}

/** A version that was fetched before and waits: nothing is fetched again. */
async function acceptPending(
  { id, version, key }: FoundPackage,
  locked: LockedPackage,
  pending: LockedVersion,
  way: ConsentWay,
  work: PackageWork,
): Promise<UpdateResult> {
  const { source, permissions } = locked;
  const about = { purpose: "update", id, version: pending.version, source, remarks: [] } as const;
  const { asks: plan, entries } = pending;
  const consent = await consentTo({ ...about, entries, plan, decided: permissions }, way);
  const result = { id, from: version, to: pending.version };
  if (consent.kind === "cancelled") return { ...result, outcome: "cancelled", waiting: [] };
  const waiting = undecided(plan, consent.decided);
  const isReady = waiting.length === 0 || way.yes;
  const decided = { ...locked, permissions: consent.decided };
  const value: LockedPackage = isReady
    ? { ...decided, ...pending, trusted: null, pending: null, lastError: null }
    : decided;
  await store(key, value, work);
  const outcome = isReady ? "active" : "update-pending";
  audit(work.places, work.env, {
    event: "update",
    extension: id,
    version: pending.version,
    decision: outcome,
    by: consent.kind === "given" ? consent.by : "command line",
  });
  return { ...result, outcome, waiting };
}
