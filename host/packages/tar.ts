import { gunzipSync } from "node:zlib";
import { errorCode, errorMessage } from "../../core/index.ts";
import { packageError } from "./errors.ts";

/** A plain file of a package; paths have `/` between names and are relative to the package. */
export interface PackageFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

export interface PackageLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

const BLOCK = 512;

interface Header {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  readonly type: string;
}

/** What the headers before an entry say about it: long names of GNU, records of pax. */
interface Announced {
  readonly name?: string;
  readonly size?: number;
}

/**
 * The files of a tarball, the first folder of each name left out as npm does. Plain files and folders
 * only (extensions spec §5.3): raises PACKAGE_INVALID for absolute names, `..`, links, devices, names
 * that are a file and a folder, damaged archives, and what is over the limits. Later files of a name win.
 */
export function readTarball(
  bytes: Uint8Array,
  label: string,
  limits: PackageLimits,
): readonly PackageFile[] {
  const archive = unzip(bytes, label, limits);
  const files = new FileSet(label, limits);
  let announced: Announced = {};
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const block = archive.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const plain = readHeader(block, label);
    const header = isEntry(plain.type) ? { ...plain, ...announced } : plain;
    if (!(header.size >= 0)) throw damaged(label, "a size cannot be read");
    const start = at + BLOCK;
    const end = start + header.size;
    if (end > archive.length) throw damaged(label, "the archive ends too early");
    const body = archive.subarray(start, end);
    announced = announcedBy(plain, body, announced, label);
    if (isEntry(plain.type)) files.add(header, body);
    at = start + Math.ceil(header.size / BLOCK) * BLOCK;
  }
  return files.all();
}

function unzip(bytes: Uint8Array, label: string, { maxBytes, maxFiles }: PackageLimits): Buffer {
  // Headers and padding of the entries come on top of what they hold.
  const maxOutputLength = maxBytes + (maxFiles + 2) * 4 * BLOCK;
  try {
    return gunzipSync(bytes, { maxOutputLength });
  } catch (error) {
    if (errorCode(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge(label, maxBytes);
    throw damaged(label, `it is no gzip archive (${errorMessage(error)})`);
  }
}

function readHeader(block: Buffer, label: string): Header {
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (numberAt(block, 148, 8) !== sum) throw damaged(label, "the sum of a header is wrong");
  const isUstar = text(block, 257, 5) === "ustar";
  const prefix = isUstar ? text(block, 345, 155) : "";
  const name = text(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size: numberAt(block, 124, 12),
    mode: numberAt(block, 100, 8),
    type: String.fromCharCode(block[156] ?? 0),
  };
}

function text(block: Buffer, offset: number, length: number): string {
  const field = block.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString("utf8");
}

/** Octal digits, or with the high bit set a big-endian number; NaN for anything else. */
function numberAt(block: Buffer, offset: number, length: number): number {
  const field = block.subarray(offset, offset + length);
  if ((field[0] ?? 0) & 0x80) {
    return field.reduce((value, byte, i) => value * 256 + (i === 0 ? byte & 0x7f : byte), 0);
  }
  const digits = text(block, offset, length).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : Number.NaN;
}

/** Files, and whatever a package must not hold; not the headers that speak of the next entry. */
function isEntry(type: string): boolean {
  return !["x", "g", "L", "K"].includes(type);
}

function announcedBy({ type }: Header, body: Buffer, before: Announced, label: string): Announced {
  if (type === "L") return { ...before, name: body.toString("utf8").replace(/\0+$/, "") };
  if (type === "x") return { ...before, ...paxRecords(body, label) };
  return isEntry(type) ? {} : before;
}

function paxRecords(body: Buffer, label: string): Announced {
  const found: { name?: string; size?: number } = {};
  for (let at = 0; at < body.length; ) {
    const blank = body.indexOf(0x20, at);
    const length = Number(body.subarray(at, blank).toString("latin1"));
    if (blank < 0 || !Number.isInteger(length) || length < 5 || at + length > body.length) {
      throw damaged(label, "a pax header cannot be read");
    }
    const record = body.subarray(blank + 1, at + length - 1).toString("utf8");
    const equals = record.indexOf("=");
    const value = record.slice(equals + 1);
    if (record.startsWith("path=")) found.name = value;
    if (record.startsWith("size=")) found.size = Number(value);
    at += length;
  }
  return found;
}

/** The files that were read so far, within the limits. */
class FileSet {
  readonly #label: string;
  readonly #limits: PackageLimits;
  readonly #files = new Map<string, PackageFile>();
  readonly #folders = new Set<string>();
  #bytes = 0;
  #entries = 0;

  constructor(label: string, limits: PackageLimits) {
    this.#label = label;
    this.#limits = limits;
  }

  all(): readonly PackageFile[] {
    return [...this.#files.values()];
  }

  add({ name, mode, type }: Header, content: Uint8Array): void {
    this.#count(content.length);
    const isFolder = type === "5" || (isPlainFile(type) && name.endsWith("/"));
    if (!isFolder && !isPlainFile(type)) throw this.#refused(name, kindWords(type));
    const path = this.#inside(name);
    if (path === "") return;
    for (const folder of foldersOf(isFolder ? `${path}/` : path)) {
      if (this.#files.has(folder)) throw this.#refused(name, "it is a file and a folder");
      this.#folders.add(folder);
    }
    if (isFolder) return;
    if (this.#folders.has(path)) throw this.#refused(name, "it is a file and a folder");
    this.#files.set(path, { path, content, isExecutable: (mode & 0o111) !== 0 });
  }

  #count(bytes: number): void {
    const { maxBytes, maxFiles } = this.#limits;
    this.#entries++;
    this.#bytes += bytes;
    if (this.#bytes > maxBytes) throw tooLarge(this.#label, maxBytes);
    if (this.#entries <= maxFiles) return;
    throw damaged(this.#label, `it holds more than ${maxFiles} files`);
  }

  #inside(name: string): string {
    const reason = nameProblem(name);
    if (reason !== undefined) throw this.#refused(name, reason);
    const names = name.split("/").filter((part) => part !== "" && part !== ".");
    return names.slice(1).join("/");
  }

  #refused(entry: string, reason: string) {
    return packageError("PACKAGE_INVALID", { path: this.#label, entry, reason });
  }
}

/** Why a name of a package may not be written; `undefined` if it may. */
export function nameProblem(name: string): string | undefined {
  if (/[\0-\x1f\x7f]/.test(name)) return "its name holds control characters";
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name)) return "its name is absolute";
  if (name.includes("\\")) return "its name holds a backslash";
  if (name.split("/").includes("..")) return "its name leads out of the package";
  return undefined;
}

function foldersOf(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, i) => names.slice(0, i + 1).join("/"));
}

function isPlainFile(type: string): boolean {
  return type === "0" || type === "\0" || type === "7";
}

function kindWords(type: string): string {
  const words: Readonly<Record<string, string>> = {
    "1": "it is a hard link",
    "2": "it is a symbolic link",
    "3": "it is a device",
    "4": "it is a device",
    "6": "it is a pipe",
  };
  return words[type] ?? `it is of the unknown kind ${JSON.stringify(type)}`;
}

function damaged(path: string, reason: string) {
  return packageError("PACKAGE_INVALID", { path, reason });
}

function tooLarge(path: string, maxBytes: number) {
  const megabytes = Math.floor(maxBytes / 1_000_000);
  const reason = `it is larger than ${megabytes} MB (extensions.maxPackageMb)`;
  return packageError("PACKAGE_INVALID", { path, reason });
}
