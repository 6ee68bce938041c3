import fs from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { hostError } from "../errors.ts";
import { emptyManifest, type PackageManifest, readManifest } from "../manifest.ts";
import { type ConsentPlan, consentPlan } from "./consent.ts";
import { type Resources, requireSomething, resourcesOf } from "./entries.ts";
import { type EntryFlavour, flavourOf } from "./flavour.ts";
import { scanPackage } from "./scan.ts";

/** What a package folder or file says of itself; nothing of it has run. */
export interface PackageFacts {
  /** Folder of the package; for a single file the folder it lies in. */
  readonly root: string;
  /** True for a single file, which is a package of its own. */
  readonly isFile: boolean;
  readonly id: string;
  readonly version: string;
  readonly manifest: PackageManifest;
  readonly resources: Resources;
}

/** The same with what its modules show. */
export interface ExaminedPackage extends PackageFacts {
  readonly entries: readonly EntryFlavour[];
  readonly asks: ConsentPlan;
  /** What reading noticed, one sentence each. */
  readonly remarks: readonly string[];
}

/** The folder of a package, or the file that is one. */
export function pathOf({ root, isFile, resources }: PackageFacts): string {
  return isFile ? join(root, resources.extensions[0] ?? "") : root;
}

export interface FactsOptions {
  readonly isInstalled: boolean;
  readonly features?: readonly string[] | undefined;
}

/**
 * Reads a package by its manifest or by convention, without looking into its modules (extensions
 * spec §4.1, §4.2). Raises MANIFEST_INVALID, EXTENSION_EMPTY.
 */
export function packageFacts(path: string, options: FactsOptions): PackageFacts {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (!stats) throw hostError("EXTENSION_EMPTY", { path, looked: "the path itself" });
  return stats.isFile() ? factsOfFile(path) : factsOfFolder(path, options);
}

function factsOfFile(path: string): PackageFacts {
  const name = basename(path, extname(path));
  const id = plainId(name === "index" ? basename(dirname(path)) : name);
  const nothing = { skills: [], prompts: [], themes: [], problems: [], looked: [] };
  const resources = { ...nothing, extensions: [basename(path)] };
  const manifest = emptyManifest(id);
  return { root: dirname(path), isFile: true, id, version: manifest.version, manifest, resources };
}

function factsOfFolder(root: string, options: FactsOptions): PackageFacts {
  const hasManifest = fs.existsSync(join(root, "package.json"));
  const manifest = hasManifest ? readManifest(root) : emptyManifest(plainId(basename(root)));
  const id = requireId(manifest.name, root);
  const resources = resourcesOf(root, manifest, options);
  requireSomething(root, resources);
  const version = /^[\w.+-]{1,64}$/.test(manifest.version) ? manifest.version : "0.0.0";
  return { root, isFile: false, id, version, manifest, resources };
}

/** Names as the registry has them: an id stands in files, lists and questions. */
const ID = /^(?:@[\w.~-]+\/)?[\w.~-]{1,214}$/;

function requireId(name: string, root: string): string {
  if (ID.test(name)) return name;
  const reason = `name must be letters, digits, ".", "_", "-", with or without @scope/`;
  throw hostError("MANIFEST_INVALID", { path: join(root, "package.json"), reason });
}

/** The id of what has no manifest: its file name. */
function plainId(name: string): string {
  return name.replace(/[^\w.~-]/g, "-").slice(0, 200) || "-";
}

/** Scans the modules of a package (extensions spec §6.3); runs nothing. */
export async function examine(facts: PackageFacts): Promise<ExaminedPackage> {
  const { root, manifest, resources } = facts;
  const scan = await scanPackage(root, resources.extensions);
  const entries = resources.extensions.map((path) =>
    flavourOf(path, manifest, scan.imports.get(path) ?? []),
  );
  const asks = consentPlan(manifest, scan.permissions);
  const unknown = asks.unknown.map(
    (text) => `${JSON.stringify(text)} is no permission and can never be granted`,
  );
  const unsupported = manifest.unsupported.map((field) => `${field} is not supported by this host`);
  const remarks = [...resources.problems, ...scan.problems, ...unknown, ...unsupported];
  return { ...facts, entries, asks, remarks };
}
