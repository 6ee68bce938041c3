import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readManifest } from "../../dist/host/manifest.js";
import { resourcesOf } from "../../dist/host/packages/entries.js";

export const here = path.dirname(fileURLToPath(import.meta.url));
/** Where tarballs and their contents are kept, outside version control. */
export const cache = path.join(here, "../../node_modules/.cache/coppice-conformance");
export const { packages } = readJson(path.join(here, "extensions.lock.json"));

/** The entries of a fetched tarball: of its folder of examples, or those of its manifest. */
export function entriesOf({ folder }, root) {
  if (folder !== undefined) return entriesIn(path.join(root, folder));
  const { extensions } = resourcesOf(root, readManifest(root), { isInstalled: true });
  return extensions.map((name) => ({ name, root, file: path.join(root, name) }));
}

/** The extensions of a folder of examples: its files, and its folders that have an index. */
function entriesIn(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const place = path.join(folder, name);
      if (!statSync(place).isDirectory()) {
        return name.endsWith(".ts") ? [{ name: name.slice(0, -3), root: place, file: place }] : [];
      }
      const file = ["index.ts", "src/index.ts"]
        .map((one) => path.join(place, one))
        .find(existsSync);
      return file === undefined ? [] : [{ name, root: place, file }];
    });
}

export function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
