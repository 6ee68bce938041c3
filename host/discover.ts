import { existsSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILTINS } from "./builtins.ts";
import { hostError } from "./errors.ts";
import type { Extension } from "./extension.ts";
import { type Manifest, readManifest } from "./manifest.ts";

const BUILTIN_FOLDER = fileURLToPath(new URL("../extensions/", import.meta.url));
/** First-party extensions come after all others (extensions spec §3.1). */
const FIRST_PARTY_RANK = 1_000_000;

/** First-party extensions by their folder names, read from their manifests; runs no code. */
export function discoverBuiltins(
  names: readonly string[] = BUILTINS,
  root: string = BUILTIN_FOLDER,
): readonly Extension[] {
  return names.flatMap((name, i) => {
    const folder = join(root, name);
    const manifest = readManifest(folder);
    return manifest.extensions.map((entry) => ({
      id: name,
      shortId: name,
      version: manifest.version,
      firstParty: true,
      permissions: new Set(manifest.permissions),
      entry: join(folder, entry),
      manifest,
      rank: FIRST_PARTY_RANK + i,
    }));
  });
}

/**
 * The entries of a folder or file that the user runs trusted, with all permissions (extensions spec
 * §4.2, §6.6). Raises EXTENSION_EMPTY naming what was looked for.
 */
export function discoverTrusted(path: string, cwd: string, rank: number): readonly Extension[] {
  const root = resolve(cwd, path);
  if (!existsSync(root))
    throw hostError("EXTENSION_EMPTY", { path: root, looked: "the path itself" });
  const isFile = statSync(root).isFile();
  const manifest = manifestAt(root, isFile);
  return entriesOf(root, isFile, manifest).map((entry, i) => ({
    id: manifest.name,
    shortId: shortId(manifest.name),
    version: manifest.version,
    firstParty: false,
    permissions: "all",
    entry,
    manifest,
    rank: rank + i / 1000,
  }));
}

function manifestAt(root: string, isFile: boolean): Manifest {
  if (!isFile && existsSync(join(root, "package.json"))) return readManifest(root);
  const name = isFile ? basename(root, extname(root)) : basename(root);
  const nothing: readonly string[] = [];
  const lists = { extensions: nothing, permissions: nothing, commands: nothing };
  return {
    name: name === "index" ? basename(dirname(root)) : name,
    version: "0.0.0",
    description: "",
    ...lists,
    verbs: {},
  };
}

const INDEX_FILES = ["index.ts", "index.js", "index.mjs"];

function entriesOf(root: string, isFile: boolean, manifest: Manifest): readonly string[] {
  if (isFile) return [root];
  if (manifest.extensions.length > 0) return manifest.extensions.map((entry) => join(root, entry));
  const found = INDEX_FILES.map((name) => join(root, name)).find((file) => existsSync(file));
  if (found) return [found];
  const looked = `extensions in package.json, ${INDEX_FILES.join(", ")}`;
  throw hostError("EXTENSION_EMPTY", { path: root, looked });
}

function shortId(id: string): string {
  return id.replace(/^@[^/]*\//, "").replace(/[^A-Za-z0-9._-]/g, "-");
}
