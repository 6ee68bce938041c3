import { hostError } from "../errors.ts";
import type { Extension } from "../extension.ts";
import type { Decided } from "./consent.ts";
import { containedExtension } from "./contained.ts";
import { packageError } from "./errors.ts";
import { type ExaminedPackage, examine, packageFacts } from "./examine.ts";
import { dataFolder } from "./places.ts";
import { type ConsentWay, consentTo } from "./question.ts";
import { parseSource } from "./source.ts";
import type { PackageWork } from "./work.ts";

/** Ranks of extensions of one run: behind all that are installed (extensions spec §4.3). */
const RUN_RANK = 1_000_000;

/**
 * The package at a path for one run, in the sandbox, after the question of an install; nothing of it is
 * stored (extensions spec §6.6). `undefined`: the person said no. Raises SOURCE_INVALID,
 * SOURCE_NOT_FOUND, CONSENT_REQUIRED where there is nobody to ask, and what reading a package raises.
 */
export async function packageForRun(
  text: string,
  way: ConsentWay,
  work: PackageWork,
): Promise<Extension | undefined> {
  const source = parseSource(text, { cwd: work.cwd });
  if (source.kind !== "path") {
    const forms = ["the path of a folder or a file", "others after `coppice ext install <source>`"];
    throw packageError("SOURCE_INVALID", { source: text, forms });
  }
  const examined = await examine(packageFacts(source.path, { isInstalled: false }));
  const decided = await consented(examined, text, way);
  return decided && runExtension(examined, decided, text, work);
}

function runExtension(
  examined: ExaminedPackage,
  decided: Decided,
  source: string,
  { places }: PackageWork,
): Extension {
  const { id, root, entries } = examined;
  const flavours = new Map(entries.map((entry) => [entry.path, entry.flavour]));
  const extension = containedExtension(examined, decided, {
    source,
    scope: "run",
    key: { kind: "found", path: root },
    rank: RUN_RANK,
    dataFolder: dataFolder(places.home, id),
    flavour: (path) => flavours.get(path) ?? "coppice",
  });
  if (!extension) throw hostError("EXTENSION_EMPTY", { path: root, looked: "extensions" });
  return extension;
}

async function consented(
  { id, version, entries, asks: plan, remarks }: ExaminedPackage,
  source: string,
  way: ConsentWay,
): Promise<Decided | undefined> {
  const nothing: Decided = { granted: [], denied: [] };
  const about = {
    purpose: "run" as const,
    id,
    version,
    source,
    entries,
    plan,
    decided: nothing,
    remarks,
  };
  const consent = await consentTo(about, way);
  if (consent.kind === "cancelled") return undefined;
  if (consent.kind === "given") return consent.decided;
  const command = `coppice -e ${source} --yes`;
  throw packageError("CONSENT_REQUIRED", { extension: id, permissions: plan.asked, command });
}
