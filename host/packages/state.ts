import { packageError } from "./errors.ts";
import { type FoundPackage, findPackages } from "./found.ts";
import { type LockFile, readLock } from "./lock-file.ts";
import { shortIdOf } from "./places.ts";
import { type ProjectTrust, projectTrust } from "./trust.ts";
import type { PackageWork } from "./work.ts";

/** What the disk says of all packages at one moment. */
export interface PackagesState {
  readonly lock: LockFile;
  readonly trust: ProjectTrust;
  readonly found: readonly FoundPackage[];
  /** STATE_INVALID of the lock file and the trust record. */
  readonly problems: readonly unknown[];
}

export type StateWork = Pick<PackageWork, "places" | "cwd" | "settings"> & {
  readonly approve?: boolean | undefined;
};

/** Reads the state of all packages. Runs nothing and writes nothing but what is disposable. */
export function readPackages(work: StateWork, run: readonly string[] = []): PackagesState {
  const { places, cwd, settings, approve } = work;
  const { lock, problem } = readLock(places);
  const trust = projectTrust({ places, cwd, approve });
  const found = findPackages({ places, cwd, settings, lock, trust, run });
  const problems = [problem, trust.problem].filter((one) => one !== undefined);
  return { lock, trust, found, problems };
}

/**
 * The package of an id, or of a short id that only one has; one that is shadowed only if there is no
 * other. Raises EXTENSION_NOT_FOUND.
 */
export function requirePackage({ found }: PackagesState, id: string): FoundPackage {
  const exact = found.filter((one) => one.id === id);
  const short = found.filter((one) => shortIdOf(one.id) === id);
  const ids = new Set(short.map((one) => one.id));
  const fit = exact.length > 0 || ids.size !== 1 ? exact : short;
  const best = fit.find(({ state }) => state !== "shadowed") ?? fit[0];
  if (best) return best;
  const known = [...new Set(found.map((one) => one.id))];
  throw packageError("EXTENSION_NOT_FOUND", { id, known });
}
