import fs from "node:fs";
import { audit } from "./audit.ts";
import { packageError } from "./errors.ts";
import { exclusively, store } from "./install.ts";
import { dataFolder } from "./places.ts";
import { removeProjectSources } from "./project-sources.ts";
import { readPackages, requirePackage } from "./state.ts";
import type { PackageWork } from "./work.ts";

export interface RemoveResult {
  readonly id: string;
  readonly version: string;
  readonly source: string;
  /** The folder of its data, where it was kept. */
  readonly keptData: string | null;
}

/**
 * Undoes an install: files, state and grants, and unless it is to be kept, its data. What a path
 * names is never touched; what lies in a folder of extensions is the user's own to remove.
 */
export function removePackage(
  id: string,
  { keepData }: { readonly keepData: boolean },
  work: PackageWork,
): Promise<RemoveResult> {
  return exclusively(work, async () => {
    const { key, version, source, ...found } = requirePackage(readPackages(work), id);
    if (key.kind === "found") {
      const reason = `it was not installed but lies in ${key.path}; remove it there, or disable it`;
      throw packageError("SOURCE_NOT_FOUND", { source: found.id, reason });
    }
    await store(key, undefined, work);
    if (key.kind === "project") await removeProjectSources((text) => text === source, work);
    const data = dataFolder(work.places.home, found.id);
    if (!keepData) fs.rmSync(data, { recursive: true, force: true });
    const { places, env } = work;
    audit(places, env, { event: "remove", extension: found.id, version, object: source });
    const keptData = fs.existsSync(data) ? data : null;
    return { id: found.id, version, source, keptData };
  });
}
