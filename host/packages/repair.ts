import fs from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, errorMessage } from "../../core/index.ts";
import { examine, packageFacts } from "./examine.ts";
import { exclusively } from "./install.ts";
import { changeLock, type LockedPackage, type LockFile, withLocked } from "./lock-file.ts";
import { SOURCE_FILE } from "./stage.ts";
import { readObject } from "./state-file.ts";
import { treeHash } from "./tree.ts";
import type { PackageWork } from "./work.ts";

/**
 * Makes a new lock file from the packages on disk where the old one could not be read, without grants,
 * and clears what interrupted installs left (extensions spec §5.5). Gives the ids.
 */
export function repair(work: PackageWork): Promise<readonly string[]> {
  const { places, env } = work;
  return exclusively(work, async () => {
    fs.rmSync(places.staging, { recursive: true, force: true });
    const broken = `${places.lockFile}.broken`;
    // Reading it once puts a broken file aside.
    await changeLock(places, env, (lock) => lock);
    if (!fs.existsSync(broken)) return [];
    const rebuilt = await packagesOnDisk(work);
    await changeLock(places, env, (lock) =>
      rebuilt.reduce<LockFile>(
        (all, [id, locked]) =>
          Object.hasOwn(all.packages, id) ? all : withLocked(all, { kind: "package", id }, locked),
        lock,
      ),
    );
    fs.rmSync(broken);
    return rebuilt.map(([id]) => id);
  });
}

async function packagesOnDisk(
  work: PackageWork,
): Promise<readonly (readonly [string, LockedPackage])[]> {
  const { places } = work;
  const found: (readonly [string, LockedPackage])[] = [];
  for (const path of versionFolders(places.packages)) {
    const locked = await lockedFromDisk(path, work).catch((error) => {
      if (errorCode(error) === undefined) throw error;
      work.note(`${path} was left alone: ${errorMessage(error)}`);
      return undefined;
    });
    if (locked) found.push(locked);
  }
  return found;
}

function versionFolders(packages: string): readonly string[] {
  if (!fs.existsSync(packages)) return [];
  const folders = (path: string) =>
    fs
      .readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => join(path, entry.name));
  return folders(packages).flatMap((path) => folders(path).slice(-1));
}

/** The source that was noted beside the package when it was installed. */
function sourceOf(path: string): string | undefined {
  const source = readObject(join(dirname(path), SOURCE_FILE))?.source;
  return typeof source === "string" ? source : undefined;
}

async function lockedFromDisk(path: string, { places, env }: PackageWork) {
  const examined = await examine(packageFacts(path, { isInstalled: true }));
  const { id, version, entries, asks } = examined;
  const locked: LockedPackage = {
    version,
    integrity: null,
    tree: treeHash(path),
    folder: path.slice(places.packages.length + 1),
    entries,
    asks,
    source: sourceOf(path) ?? `npm:${id}`,
    scope: "user",
    installed: env.now(),
    enabled: false,
    consented: false,
    trusted: null,
    features: null,
    permissions: { granted: [], denied: [] },
    registers: null,
    pending: null,
    lastError: null,
  };
  return [id, locked] as const;
}
