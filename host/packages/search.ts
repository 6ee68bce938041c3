import { tmpdir } from "node:os";
import { type SearchHit, searchRegistry } from "./npm.ts";
import type { PackageWork } from "./work.ts";

/** Packages of the registry for this API that fit some words. Raises REGISTRY_UNREACHABLE. */
export function searchPackages(
  words: readonly string[],
  { variables, signal }: PackageWork,
): Promise<readonly SearchHit[]> {
  // Away from the project: what its .npmrc says is not asked for here.
  return searchRegistry(words, { cwd: tmpdir(), variables, signal });
}
