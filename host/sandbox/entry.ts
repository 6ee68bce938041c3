import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";

/**
 * The file behind an entry that a manifest names, found by the rules of the loader of trusted
 * code and without loading anything; `undefined` if there is none (sandbox spec §5.1). `root` is the
 * package folder.
 */
export function findEntry(root: string, entry: string): string | undefined {
  const path = isAbsolute(entry) ? entry : join(root, entry);
  const jiti = createJiti(dirname(path), { fsCache: false, moduleCache: false });
  const url = jiti.esmResolve(path, { try: true });
  return url === undefined ? undefined : fileURLToPath(url);
}
