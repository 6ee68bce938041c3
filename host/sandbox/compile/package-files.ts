import { createHash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../../../core/index.ts";
import { Refusal } from "./errors.ts";
import type { CompileLimits } from "./limits.ts";

/** A file as the compiler got it. */
export interface InputFile {
  /** Real path relative to the package folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
  readonly sha256: string;
}

const JSON_FOLDERS = 1000;
const JSON_FILES = 100;

type Kind = "file" | "folder";

/**
 * The files of one package, and nothing else: a path counts by the real path of what was opened, and
 * only regular files inside the package folder are given out (sandbox spec §5.2).
 */
export class PackageFiles {
  /** Real path of the package folder, or of the folder of a package that is one file. */
  readonly root: string;
  readonly #only: string | undefined;
  readonly #limits: CompileLimits;
  readonly #inputs = new Map<string, InputFile>();
  readonly #missing = new Set<string>();
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, Kind>>>();
  readonly #reals = new Map<string, Promise<string>>();
  readonly #counted = new Set<string>();
  #bytes = 0;

  private constructor(root: string, only: string | undefined, limits: CompileLimits) {
    this.root = root;
    this.#only = only;
    this.#limits = limits;
  }

  /** `path` is the package folder, or the file of a package that is one file. */
  static async at(path: string, limits: CompileLimits): Promise<PackageFiles> {
    const real = await realpath(path);
    const isFile = (await lstat(real)).isFile();
    return isFile
      ? new PackageFiles(dirname(real), real, limits)
      : new PackageFiles(real, undefined, limits);
  }

  /** Every file that was read, by path. */
  get inputs(): readonly InputFile[] {
    return [...this.#inputs.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Paths of the package's own files that were looked for in vain. */
  get missing(): readonly string[] {
    return [...this.#missing].sort();
  }

  /** The path relative to the package folder, with `/`. */
  nameOf(path: string): string {
    return relative(this.root, path).split(sep).join("/");
  }

  pathOf(name: string): string {
    return join(this.root, name);
  }

  contains(path: string): boolean {
    if (this.#only !== undefined) return path === this.#only;
    return (
      path === this.root || path.startsWith(this.root.endsWith(sep) ? this.root : this.root + sep)
    );
  }

  /** What a path inside the package is, through links; `undefined` outside and where nothing is. */
  async kind(path: string): Promise<Kind | undefined> {
    if (!this.contains(path)) return undefined;
    if (path === this.root) return "folder";
    const kind = (await this.#folder(dirname(path))).get(basename(path));
    if (kind === undefined) this.#noteMissing(path);
    return kind;
  }

  /** The real path of a file that `kind` has found; a refusal if a link leads out of the package. */
  async real(path: string): Promise<string> {
    const known = this.#reals.get(path) ?? realpath(path);
    this.#reals.set(path, known);
    const real = await known;
    if (this.contains(real)) return real;
    throw new Refusal(`${this.nameOf(path)} is a link that leads out of the package folder`);
  }

  /** The bytes of a file. A refusal for what is no regular file of the package, or is too large. */
  async read(path: string): Promise<Buffer> {
    const handle = await this.#open(path);
    try {
      return await this.#readOpened(handle, path);
    } finally {
      await handle.close();
    }
  }

  /**
   * Paths of the package's own JSON files, without those of npm packages and hidden folders: at most
   * 100, found in the first 1000 folders.
   */
  async ownJson(): Promise<readonly string[]> {
    const found: string[] = [];
    const folders = this.#only === undefined ? [this.root] : [];
    for (let i = 0; i < Math.min(folders.length, JSON_FOLDERS); i += 1) {
      const entries = (await readFolder(folders[i] ?? this.root)).filter(isOwn);
      folders.push(...entries.filter((entry) => entry.isDirectory()).map(pathOfEntry));
      const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".json"));
      found.push(...files.map((entry) => this.nameOf(pathOfEntry(entry))));
    }
    return found.slice(0, JSON_FILES);
  }

  async #open(path: string): Promise<FileHandle> {
    if (!this.contains(resolve(path))) throw new Refusal(leadsOut(path));
    // Never waits: the other end of a named pipe may be the attacker.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  }

  async #readOpened(handle: FileHandle, path: string): Promise<Buffer> {
    const before = await handle.stat();
    if (!before.isFile()) throw new Refusal(`${this.nameOf(path)} is no regular file`);
    const real = await realPathOf(handle, path, before);
    if (!this.contains(real)) throw new Refusal(leadsOut(this.nameOf(path)));
    const name = this.nameOf(real);
    this.#account(name, before.size);
    const contents = await handle.readFile();
    if (contents.length > this.#limits.fileBytes) throw new Refusal(tooLarge(name, this.#limits));
    this.#inputs.set(name, {
      path: name,
      bytes: contents.length,
      modified: before.mtimeMs,
      sha256: createHash("sha256").update(contents).digest("hex"),
    });
    return contents;
  }

  #account(name: string, bytes: number): void {
    const { files, fileBytes, inputBytes } = this.#limits;
    if (bytes > fileBytes) throw new Refusal(tooLarge(name, this.#limits));
    if (this.#counted.has(name)) return;
    this.#counted.add(name);
    this.#bytes += bytes;
    if (this.#counted.size > files) throw new Refusal(`more than ${files} files are imported`);
    if (this.#bytes > inputBytes) {
      throw new Refusal(`more than ${inputBytes} bytes of files are imported`);
    }
  }

  #noteMissing(path: string): void {
    const name = this.nameOf(path);
    if (!name.split("/").includes("node_modules")) this.#missing.add(name);
  }

  #folder(path: string): Promise<ReadonlyMap<string, Kind>> {
    let listing = this.#folders.get(path);
    if (listing === undefined) {
      listing = list(path);
      this.#folders.set(path, listing);
    }
    return listing;
  }
}

async function list(folder: string): Promise<ReadonlyMap<string, Kind>> {
  const kinds = new Map<string, Kind>();
  for (const entry of await readFolder(folder)) {
    if (entry.isFile()) kinds.set(entry.name, "file");
    else if (entry.isDirectory()) kinds.set(entry.name, "folder");
    else if (entry.isSymbolicLink()) {
      const kind = await linkedKind(join(folder, entry.name));
      if (kind !== undefined) kinds.set(entry.name, kind);
    }
  }
  return kinds;
}

function isOwn({ name }: Dirent): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}

function pathOfEntry({ parentPath, name }: Dirent): string {
  return join(parentPath, name);
}

async function readFolder(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function linkedKind(path: string): Promise<Kind | undefined> {
  try {
    const stats = await lstat(await realpath(path));
    return stats.isDirectory() ? "folder" : stats.isFile() ? "file" : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(errorCode(error) ?? "");
}

/** Where an open file really lies. Not the path's: a link may have been swapped in since. */
async function realPathOf(
  handle: FileHandle,
  path: string,
  opened: { dev: number; ino: number },
): Promise<string> {
  if (process.platform === "linux") return await readlink(`/proc/self/fd/${handle.fd}`);
  const real = await realpath(path);
  const found = await lstat(real);
  if (found.dev === opened.dev && found.ino === opened.ino) return real;
  throw new Refusal(`${path} was replaced while it was read`);
}

function leadsOut(path: string): string {
  return `${path} leads out of the package folder`;
}

function tooLarge(name: string, { fileBytes }: CompileLimits): string {
  return `${name} is larger than ${fileBytes} bytes`;
}
