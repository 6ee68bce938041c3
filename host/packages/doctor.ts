import fs from "node:fs";
import { join } from "node:path";
import { type CoppiceError, errorCode, errorMessage } from "../../core/index.ts";
import { readManifest } from "../manifest.ts";
import { ownDependencies } from "./dependencies.ts";
import type { FoundPackage } from "./found.ts";
import { isHostPackage } from "./host-modules.ts";
import { fileNameOf } from "./places.ts";
import { repair } from "./repair.ts";
import { type PackagesState, readPackages, requirePackage } from "./state.ts";
import type { PackageWork } from "./work.ts";

/** One thing that is not as it should be, and what helps. */
export interface Finding {
  /** Id of a package, or what else it is about. */
  readonly about: string;
  readonly code: string;
  readonly problem: string;
  readonly remedy: string;
  /** Nothing is broken: good to know. */
  readonly isRemark?: true;
}

/** What is missing for the sandbox; `undefined` if it works. */
export type SandboxCheck = () => string | undefined | Promise<string | undefined>;

export interface DoctorOptions {
  readonly id?: string | undefined;
  /** Repairs the lock file from the packages on disk, without grants, and clears leftovers. */
  readonly fix: boolean;
  readonly sandbox?: SandboxCheck | undefined;
}

/** Looks for what is wrong with packages and their state; runs no code of theirs (extensions spec §5.1). */
export async function doctor(
  options: DoctorOptions,
  work: PackageWork,
): Promise<readonly Finding[]> {
  const fixed = options.fix ? (await repair(work)).map(repaired) : [];
  const state = readPackages(work);
  const chosen = options.id === undefined ? state.found : [requirePackage(state, options.id)];
  const general = options.id === undefined ? ofState(state, work) : [];
  return [
    ...fixed,
    ...general,
    ...(await ofSandbox(state, options.sandbox)),
    ...chosen.flatMap((found) => ofPackage(found)),
  ];
}

function repaired(id: string): Finding {
  return {
    about: id,
    code: "REPAIRED",
    problem: "it stands in the lock file again, without grants",
    remedy: `coppice ext enable ${id}`,
    isRemark: true,
  };
}

function ofState({ problems, trust }: PackagesState, work: PackageWork): readonly Finding[] {
  return [
    ...problems.map((problem) => ({
      about: "state",
      code: errorCode(problem) ?? "STATE_INVALID",
      problem: errorMessage(problem),
      remedy: "coppice ext doctor --fix",
    })),
    ...(fs.existsSync(`${work.places.lockFile}.broken`) ? [brokenAside(work)] : []),
    ...(trust.brings.length > 0 && !trust.isTrusted ? [untrusted(trust.root, trust.brings)] : []),
    ...orphanedData(work),
  ];
}

function brokenAside({ places }: PackageWork): Finding {
  return {
    about: "state",
    code: "STATE_INVALID",
    problem: `${places.lockFile}.broken is what was left of an unreadable lock file`,
    remedy: "coppice ext doctor --fix, which then removes it",
  };
}

function untrusted(path: string, brings: readonly string[]): Finding {
  return {
    about: path,
    code: "PROJECT_NOT_TRUSTED",
    problem: `what it brings (${brings.join(", ")}) has no effect`,
    remedy: "start coppice here on a terminal to decide, or --approve for one run",
    isRemark: true,
  };
}

/** Data of packages that are not there any more. */
function orphanedData({ places, cwd, settings }: PackageWork): readonly Finding[] {
  const folder = join(places.home, "data");
  if (!fs.existsSync(folder)) return [];
  const known = new Set(
    readPackages({ places, cwd, settings }).found.map(({ id }) => fileNameOf(id)),
  );
  return fs
    .readdirSync(folder)
    .filter((name) => !known.has(name))
    .map((name) => ({
      about: name,
      code: "ORPHANED_DATA",
      problem: `no package keeps data in ${join(folder, name)}`,
      remedy: "remove the folder if nothing needs it",
      isRemark: true,
    }));
}

async function ofSandbox(
  { found }: PackagesState,
  sandbox: SandboxCheck | undefined,
): Promise<readonly Finding[]> {
  const missing = await sandbox?.();
  const affected = found.filter(({ isLoaded }) => isLoaded).map(({ id }) => id);
  if (missing === undefined || affected.length === 0) return [];
  return [
    {
      about: affected.join(", "),
      code: "SANDBOX_UNAVAILABLE",
      problem: `they are installed and off: ${missing}`,
      remedy: "npm rebuild isolated-vm, or see the installation notes of the README",
    },
  ];
}

function ofPackage(found: FoundPackage): readonly Finding[] {
  const { id, problem, facts, state, source } = found;
  if (problem) return [ofProblem(id, problem, source)];
  if (state === "needs-consent" || state === "update-pending") return [waiting(found)];
  return facts && !facts.isFile ? ofFiles(id, facts.root) : [];
}

function ofProblem(about: string, { code, message }: CoppiceError, source: string): Finding {
  const isFetched = /^(?:npm|git):/.test(source);
  const remedy = isFetched ? `coppice ext install ${source}` : `repair what lies at ${source}`;
  return { about, code, problem: message, remedy };
}

function waiting({ id, state }: FoundPackage): Finding {
  const verb = state === "needs-consent" ? "enable" : "update";
  return {
    about: id,
    code: "CONSENT_REQUIRED",
    problem: state === "needs-consent" ? "it waits for consent" : "an update waits for consent",
    remedy: `coppice ext ${verb} ${id}`,
    isRemark: true,
  };
}

function ofFiles(id: string, root: string): readonly Finding[] {
  if (!fs.existsSync(join(root, "package.json"))) return [];
  const manifest = readManifest(root);
  const isThere = (name: string) => fs.existsSync(join(root, "node_modules", name, "package.json"));
  const missing = Object.keys(ownDependencies(manifest)).filter(
    (name) => !Object.hasOwn(manifest.optionalDependencies, name) && !isThere(name),
  );
  const copies = Object.keys(manifest.dependencies).filter(isHostPackage);
  return [
    ...missing.map((name) => ({
      about: id,
      code: "DEPENDENCY_MISSING",
      problem: `its dependency ${name} is not installed`,
      remedy: `npm install in ${root}, or install the package anew`,
    })),
    ...copies.map((name) => ({
      about: id,
      code: "HOST_MODULE",
      problem: `it lists ${name} as a dependency, which the host supplies itself`,
      remedy: "nothing to do; its author can make it a peer dependency",
      isRemark: true as const,
    })),
    ...nativeParts(root).map((path) => ({
      about: id,
      code: "NATIVE_PART",
      problem: `${path} is native code, which the sandbox does not run`,
      remedy: "use it without what needs this part",
      isRemark: true as const,
    })),
  ];
}

function nativeParts(root: string): readonly string[] {
  return fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".node") || /(?:^|[\\/])binding\.gyp$/.test(path))
    .slice(0, 5);
}
