import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const here = path.dirname(fileURLToPath(import.meta.url));
/** Where tarballs and their contents are kept, outside version control. */
export const cache = path.join(here, "../../node_modules/.cache/coppice-conformance");
export const { packages } = readJson(path.join(here, "extensions.lock.json"));

/** The extensions of a folder of examples: its files, and its folders that have an index. */
export function entriesIn(folder) {
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
