import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUNDLES, type BundleName, bundled } from "./bundles.ts";

/**
 * Writes the scripts of the extension host into a folder, for a program that ships without its
 * sources. `folder` holds the sources of the sandbox.
 */
export async function writeBundles(folder: string, target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  for (const name of Object.keys(BUNDLES) as BundleName[]) {
    writeFileSync(join(target, name), await bundled(name, folder));
  }
}
