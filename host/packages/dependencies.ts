import fs from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../core/index.ts";
import { errorCode, errorMessage, isJsonObject } from "../../core/index.ts";
import type { PackageManifest } from "../manifest.ts";
import { packageError } from "./errors.ts";
import { isHostPackage } from "./host-modules.ts";
import { type NpmRun, npmJson } from "./npm.ts";
import { readObject, writeObject } from "./state-file.ts";

type Wanted = Pick<PackageManifest, "name" | "dependencies" | "optionalDependencies">;

/** Versions, ranges, tags and aliases: what the registry has, and nothing that is built here. */
const FROM_REGISTRY = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?[\w.^~<>=*|+ -]*$/;

/** What npm is asked to leave alone: scripts, links, and whatever is no package of the registry. */
const INSTALL = [
  "--omit=dev",
  "--omit=peer",
  "--no-bin-links",
  "--package-lock",
  "--allow-git=none",
  "--allow-remote=none",
  "--allow-file=none",
  "--allow-directory=none",
];

/** The dependencies that the host does not resolve itself. */
export function ownDependencies(manifest: Wanted): Readonly<Record<string, string>> {
  const all = { ...manifest.optionalDependencies, ...manifest.dependencies };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !isHostPackage(name)));
}

/**
 * Puts the dependencies of a package into its `node_modules`, in an empty folder first, and gives the
 * tree that npm recorded. With a tree recorded before, exactly that one is put there again. No script
 * runs (extensions spec §5.3). Raises DEPENDENCIES_FAILED, REGISTRY_UNREACHABLE.
 */
export async function installDependencies(
  root: string,
  manifest: Wanted,
  recorded: object | undefined,
  { env, ...run }: NpmRun & { readonly env: Environment },
): Promise<object | undefined> {
  const wanted = Object.entries(ownDependencies(manifest)).filter(
    ([name]) => !fs.existsSync(join(root, "node_modules", name, "package.json")),
  );
  if (wanted.length === 0) return undefined;
  for (const [name, range] of wanted) requireRegistry(manifest.name, name, range);
  const optional = wanted.filter(([name]) => Object.hasOwn(manifest.optionalDependencies, name));
  const dependencies = wanted.filter((one) => !optional.includes(one));
  writeObject(
    join(run.cwd, "package.json"),
    {
      name: "dependencies",
      version: "0.0.0",
      private: true,
      dependencies: Object.fromEntries(dependencies),
      optionalDependencies: Object.fromEntries(optional),
    },
    env,
  );
  const lock = join(run.cwd, "package-lock.json");
  if (recorded) writeObject(lock, recorded, env);
  // git is never what brings a dependency: it could run what the repository says.
  const noGit = `--git=${join(run.cwd, "no-git")}`;
  await npmInstall(manifest.name, [recorded ? "ci" : "install", ...INSTALL, noGit], run);
  const tree = recorded ?? readObject(lock);
  requirePlain(manifest.name, tree);
  moveModules(join(run.cwd, "node_modules"), join(root, "node_modules"));
  return tree;
}

function requireRegistry(owner: string, name: string, range: string): void {
  if (FROM_REGISTRY.test(range) && !range.startsWith("-")) return;
  const reason = `${name} is wanted from ${JSON.stringify(range)}, not from the registry`;
  throw packageError("DEPENDENCIES_FAILED", { package: owner, reason });
}

async function npmInstall(owner: string, args: readonly string[], run: NpmRun): Promise<void> {
  try {
    await npmJson(args, owner, run);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "FETCH_FAILED" && code !== "SOURCE_NOT_FOUND") throw error;
    const { reason } = (error as { details?: { reason?: string } }).details ?? {};
    throw packageError(
      "DEPENDENCIES_FAILED",
      { package: owner, reason: reason ?? errorMessage(error) },
      error,
    );
  }
}

/** Every package of the tree came from a registry, with a hash. */
function requirePlain(owner: string, tree: object | undefined): void {
  const { packages } = (tree ?? {}) as { readonly packages?: unknown };
  if (!isJsonObject(packages)) return;
  for (const [path, found] of Object.entries(packages)) {
    if (path === "" || !isJsonObject(found) || found.inBundle === true) continue;
    const isPlain = found.link !== true && /^https?:/.test(String(found.resolved ?? "https:"));
    if (isPlain) continue;
    const reason = `${path} is no package of the registry`;
    throw packageError("DEPENDENCIES_FAILED", { package: owner, reason });
  }
}

/** What a package brings itself stays. */
function moveModules(from: string, to: string): void {
  if (!fs.existsSync(from)) return;
  for (const name of topLevel(from)) {
    const target = join(to, name);
    if (fs.existsSync(target)) continue;
    fs.mkdirSync(join(target, ".."), { recursive: true });
    fs.renameSync(join(from, name), target);
  }
}

function topLevel(folder: string): readonly string[] {
  return fs.readdirSync(folder).flatMap((name) => {
    if (name.startsWith(".")) return [];
    if (!name.startsWith("@")) return [name];
    return fs.readdirSync(join(folder, name)).map((inner) => join(name, inner));
  });
}
