import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, errorMessage } from "../../core/index.ts";
import { nodeEnvironment } from "../environment.ts";
import { packageError } from "./errors.ts";
import type { Places } from "./places.ts";
import { readObject, writeObject } from "./state-file.ts";
import type { PackageFile } from "./tar.ts";

/** A file of an unpacked package as the file system describes it. */
interface TreeFile {
  /** Relative to the package, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** Writes files below a folder that is ours alone and empty. Raises errors of the file system. */
export function writeFiles(folder: string, files: readonly PackageFile[]): void {
  for (const { path, content, isExecutable } of files) {
    const target = join(folder, path);
    fs.mkdirSync(dirname(target), { recursive: true });
    fs.writeFileSync(target, content, { flag: "wx", mode: isExecutable ? 0o755 : 0o644 });
  }
}

/**
 * Hash over the names and contents of all files below a folder, dependencies included: `sha256-…`.
 * Raises PACKAGE_INVALID for anything but plain files and folders.
 */
export function treeHash(folder: string): string {
  return hashOf(folder, listTree(folder));
}

/**
 * The hash of a folder or a single file; for a folder that holds links, devices or the like a text that
 * no hash equals.
 */
export function contentHash(path: string): string {
  if (fs.statSync(path).isFile()) {
    return `sha256-${createHash("sha256").update(fs.readFileSync(path)).digest("base64")}`;
  }
  try {
    return treeHash(path);
  } catch (error) {
    if (errorCode(error) !== "PACKAGE_INVALID") throw error;
    return errorMessage(error);
  }
}

/**
 * Compares a folder with the hash it should have, by sizes and times where these were compared
 * before, else by content (extensions spec §5.5). Gives the hash that it has.
 */
export function checkedTreeHash(folder: string, expected: string, places: Places): string {
  const files = listTree(folder);
  const note = join(places.trees, `${nodeEnvironment.sha256(folder).slice(0, 32)}.json`);
  const facts = files.map(({ path, size, modified }) => [path, size, modified]);
  if (isKnown(note, expected, facts)) return expected;
  const found = hashOf(folder, files);
  if (found === expected) noteFacts(note, expected, facts);
  return found;
}

/** All files below a folder in a fixed order; links are not followed, and refused. */
function listTree(folder: string): readonly TreeFile[] {
  const files: TreeFile[] = [];
  const visit = (below: string) => {
    const entries = fs.readdirSync(join(folder, below), { withFileTypes: true });
    for (const entry of entries) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) files.push(factsOf(folder, path));
      else refuse(folder, path);
    }
  };
  visit("");
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function factsOf(folder: string, path: string): TreeFile {
  const { size, mtimeMs } = fs.statSync(join(folder, path));
  return { path, size, modified: mtimeMs };
}

function refuse(path: string, entry: string): never {
  throw packageError("PACKAGE_INVALID", {
    path,
    entry,
    reason: "it is neither a plain file nor a folder",
  });
}

function hashOf(folder: string, files: readonly TreeFile[]): string {
  const all = createHash("sha256");
  for (const { path } of files) {
    const content = createHash("sha256").update(fs.readFileSync(join(folder, path)));
    all.update(`${path}\0${content.digest("hex")}\n`);
  }
  return `sha256-${all.digest("base64")}`;
}

function isKnown(note: string, tree: string, facts: readonly unknown[]): boolean {
  const known = readNote(note);
  return known?.tree === tree && JSON.stringify(known.files) === JSON.stringify(facts);
}

/** A cache that cannot be read counts as none. */
function readNote(note: string) {
  try {
    return readObject(note);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** What cannot be noted is compared by content again. */
function noteFacts(note: string, tree: string, files: readonly unknown[]): void {
  try {
    writeObject(note, { tree, files }, nodeEnvironment);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
