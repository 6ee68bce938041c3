import fs from "node:fs";
import { basename, join } from "node:path";
import { errorCode, errorMessage } from "../../core/index.ts";
import { readManifest } from "../manifest.ts";
import { realPath } from "../storage/session-dir.ts";
import { installDependencies } from "./dependencies.ts";
import { packageError } from "./errors.ts";
import { type ExaminedPackage, examine, packageFacts } from "./examine.ts";
import { fetchCommit } from "./git.ts";
import type { LockedVersion } from "./lock-file.ts";
import { fetchTarball, integrityOf, resolveVersion } from "./npm.ts";
import { fileNameOf } from "./places.ts";
import type { Source } from "./source.ts";
import { readObject, writeObject } from "./state-file.ts";
import { type PackageFile, readTarball } from "./tar.ts";
import { treeHash, writeFiles } from "./tree.ts";
import { limitsOf, type PackageWork } from "./work.ts";

/** A version that was fetched and examined, and is not yet in its place. */
export interface StagedPackage extends ExaminedPackage {
  readonly source: Source;
  readonly integrity: string | null;
  readonly tree: string | null;
  /** Below the folder of packages; absolute for what is used in place. */
  readonly folder: string;
  /** The tree of dependencies that npm recorded. */
  readonly dependencies: object | undefined;
}

/** A folder for one operation, gone afterwards; those that were left before are removed with it. */
export async function withStaging<T>(
  work: PackageWork,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const { staging } = work.places;
  const folder = join(staging, Buffer.from(work.env.randomBytes(8)).toString("hex"));
  try {
    fs.rmSync(staging, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw packageError("STATE_WRITE_FAILED", { path: staging, reason: reasonOf(error) }, error);
  }
  try {
    return await use(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Fetches a source into a staging folder, with its dependencies, and examines it; what is used in
 * place is only examined. No script runs and no code is loaded (extensions spec §5.3). Raises the
 * errors of §5 that name what is wrong with it.
 */
export async function stage(
  source: Source,
  staging: string,
  work: PackageWork,
): Promise<StagedPackage> {
  if (source.kind === "path") return inPlace(source);
  const unpacked = join(staging, "package");
  const { integrity, files } = await fetchFiles(source, staging, work);
  if (files.length === 0) {
    throw packageError("PACKAGE_INVALID", { path: source.text, reason: "it holds no files" });
  }
  try {
    writeFiles(unpacked, files);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw packageError("PACKAGE_INVALID", { path: source.text, reason: reasonOf(error) }, error);
  }
  const dependencies = await addDependencies(unpacked, integrity, staging, work);
  const examined = await examine(packageFacts(unpacked, { isInstalled: true }));
  requireOwnName(source, examined.id);
  const tree = treeHash(unpacked);
  const folder = join(fileNameOf(examined.id), tree.replace(/[^\w]/g, "").slice(0, 24));
  return { ...examined, source, integrity, tree, folder, dependencies };
}

/** A package of the registry has the name under which it was asked for: grants go by it. */
function requireOwnName(source: Source, id: string): void {
  if (source.kind !== "npm" || source.name === id) return;
  const reason = `its package.json calls it ${JSON.stringify(id)}`;
  throw packageError("PACKAGE_INVALID", { path: source.text, reason });
}

async function inPlace(source: Extract<Source, { kind: "path" }>): Promise<StagedPackage> {
  const examined = await examine(packageFacts(realPath(source.path), { isInstalled: false }));
  const folder = examined.isFile ? realPath(source.path) : examined.root;
  return {
    ...examined,
    source,
    integrity: null,
    tree: null,
    folder,
    dependencies: undefined,
  };
}

interface FetchedFiles {
  readonly integrity: string;
  readonly files: readonly PackageFile[];
}

async function fetchFiles(
  source: Exclude<Source, { kind: "path" }>,
  staging: string,
  work: PackageWork,
): Promise<FetchedFiles> {
  const run = { cwd: join(staging, "fetch"), variables: work.variables, signal: work.signal };
  fs.mkdirSync(run.cwd);
  const limits = limitsOf(work);
  if (source.kind === "git") {
    const { commit, files, left } = await fetchCommit(source, limits, run);
    for (const path of left) work.note(`note: the submodule ${path} was left out`);
    return { integrity: `git:${commit}`, files };
  }
  if (source.kind === "npm") {
    const { bytes, integrity } = await fetchTarball(await resolveVersion(source, run), run);
    return { integrity, files: readTarball(bytes, source.text, limits) };
  }
  const bytes = readFile(source.path, limits.maxBytes);
  return { integrity: integrityOf(bytes), files: readTarball(bytes, source.text, limits) };
}

function readFile(path: string, maxBytes: number): Uint8Array {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) {
    const reason = stats ? "it is no plain file" : "there is no such file";
    throw packageError("SOURCE_NOT_FOUND", { source: path, reason });
  }
  if (stats.size > maxBytes) {
    const reason = "it is too large (extensions.maxPackageMb)";
    throw packageError("PACKAGE_INVALID", { path, reason });
  }
  try {
    return fs.readFileSync(path);
  } catch (error) {
    throw packageError("SOURCE_NOT_FOUND", { source: path, reason: reasonOf(error) }, error);
  }
}

async function addDependencies(
  unpacked: string,
  integrity: string,
  staging: string,
  work: PackageWork,
): Promise<object | undefined> {
  if (!fs.existsSync(join(unpacked, "package.json"))) return undefined;
  const manifest = readManifest(unpacked);
  const cwd = join(staging, "dependencies");
  fs.mkdirSync(cwd);
  const recorded = readObject(recordOf(work, manifest.name, integrity));
  const { variables, signal, env } = work;
  return installDependencies(unpacked, manifest, recorded, { cwd, variables, signal, env });
}

/** Where the recorded tree of dependencies of a version is kept. */
function recordOf({ places }: PackageWork, id: string, integrity: string): string {
  const name = integrity.replace(/[^\w]/g, "").slice(0, 40);
  return join(places.packages, fileNameOf(id), `dependencies-${name}.json`);
}

/** Says beside the versions of a package where it comes from, should the lock file be lost. */
export const SOURCE_FILE = "source.json";

/** Moves what was staged into its place; the lock file names it afterwards. */
export function moveIntoPlace(staged: StagedPackage, work: PackageWork): LockedVersion {
  const { places, env } = work;
  const { version, integrity, tree, folder, entries, asks, dependencies, id } = staged;
  if (tree !== null) {
    const target = join(places.packages, folder);
    fs.mkdirSync(join(target, ".."), { recursive: true, mode: 0o700 });
    fs.rmSync(target, { recursive: true, force: true });
    fs.renameSync(staged.root, target);
    writeObject(join(target, "..", SOURCE_FILE), { source: staged.source.text }, env);
    if (dependencies) writeObject(recordOf(work, id, integrity ?? ""), dependencies, env);
  }
  return { version, integrity, tree, folder, entries, asks };
}

/** Removes the folders of packages that no version needs any more. */
export function removeUnused(work: PackageWork, needed: ReadonlySet<string>): void {
  const { packages } = work.places;
  if (!fs.existsSync(packages)) return;
  const names = [...needed].map((folder) => folder.split("/")[0]);
  for (const name of fs.readdirSync(packages).filter((one) => !one.startsWith("."))) {
    if (!names.includes(name)) fs.rmSync(join(packages, name), { recursive: true, force: true });
    else removeVersions(join(packages, name), needed);
  }
}

function removeVersions(folder: string, needed: ReadonlySet<string>): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || needed.has(`${basename(folder)}/${entry.name}`)) continue;
    fs.rmSync(join(folder, entry.name), { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  return errorCode(error) ?? errorMessage(error);
}
