import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../../core/index.ts";
import {
  type CompiledPackage,
  type CompileRequest,
  compilePackage,
  packageHash,
} from "./compile.ts";
import type { InputFile } from "./package-files.ts";

/** Which inputs belong to which entries of a package (sandbox spec §5.4). */
interface IndexEntry {
  readonly entries: readonly string[];
  readonly inputs: readonly InputFile[];
  readonly missing: readonly string[];
  readonly modules: readonly string[];
  readonly unknown: readonly string[];
  readonly hash: string;
  readonly codeHash: string;
  readonly mapHash: string;
}

/**
 * As `compilePackage`, from the cache in `folder` (`$COPPICE_HOME/cache/ext`) where nothing has
 * changed: files with the size and time of their last compilation count as the same, the others by
 * their content. What lies in the cache is used only with the hash it was stored under.
 */
export async function compileCached(
  request: CompileRequest,
  folder: string,
): Promise<CompiledPackage> {
  const root = await packageFolder(request.root);
  const indexFile = join(folder, `${sha256(JSON.stringify([root, request.entries]))}.json`);
  const known = await readIndex(indexFile);
  const found =
    known && (await isCurrent(root, known)) ? await readStored(folder, known) : undefined;
  if (found !== undefined) return found;
  const compiled = await compilePackage(request);
  await store(folder, indexFile, compiled);
  return compiled;
}

async function packageFolder(root: string): Promise<string> {
  const real = await realpath(root);
  return (await stat(real)).isDirectory() ? real : join(real, "..");
}

async function isCurrent(root: string, { inputs, missing, entries, hash }: IndexEntry) {
  const now = await Promise.all(inputs.map((input) => inputNow(root, input)));
  if (!now.every((input) => input !== undefined)) return false;
  if (packageHash(now, entries) !== hash) return false;
  const appeared = await Promise.all(missing.map((name) => isThere(join(root, name))));
  return !appeared.includes(true);
}

/** The file as it is now; its hash is known while size and time are the same. */
async function inputNow(root: string, input: InputFile): Promise<InputFile | undefined> {
  const path = join(root, input.path);
  try {
    const { size, mtimeMs } = await stat(path);
    if (size === input.bytes && mtimeMs === input.modified) return input;
    return { ...input, sha256: sha256(await readFile(path)) };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

async function readIndex(file: string): Promise<IndexEntry | undefined> {
  const text = await readOr(file);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as IndexEntry;
    return Array.isArray(value.inputs) && typeof value.hash === "string" ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function readStored(folder: string, known: IndexEntry): Promise<CompiledPackage | undefined> {
  const [code, map] = await Promise.all([
    readOr(join(folder, `${known.hash}.js`)),
    readOr(join(folder, `${known.hash}.map`)),
  ]);
  if (code === undefined || map === undefined) return undefined;
  if (sha256(code) !== known.codeHash || sha256(map) !== known.mapHash) return undefined;
  const { inputs, missing, modules, unknown, hash, entries } = known;
  return { code, map, inputs, missing, modules, unknown, hash, entries };
}

async function readOr(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** A cache that cannot be written is none: the package runs all the same. */
async function store(folder: string, indexFile: string, compiled: CompiledPackage): Promise<void> {
  const { code, map, ...rest } = compiled;
  const index: IndexEntry = { ...rest, codeHash: sha256(code), mapHash: sha256(map) };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(join(folder, `${compiled.hash}.js`), code);
    await writeWhole(join(folder, `${compiled.hash}.map`), map);
    await writeWhole(indexFile, JSON.stringify(index));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** Others that read at the same time see the whole file or none. */
async function writeWhole(path: string, text: string): Promise<void> {
  const half = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(half, text, { mode: 0o600 });
  await rename(half, path);
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
