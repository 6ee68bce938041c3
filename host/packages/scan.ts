import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { errorCode, errorMessage } from "../../core/index.ts";
import { realPath } from "../storage/session-dir.ts";
import { packageError } from "./errors.ts";
import type { ImportedModule } from "./module-names.ts";
import { parsePermission } from "./permission.ts";
import type { ModuleScan } from "./scan-module.ts";

/** What the modules of a package show without being run (extensions spec §6.3). */
export interface PackageScan {
  /** Permissions as texts, in order of the alphabet. */
  readonly permissions: readonly string[];
  /** Entry → modules that it and its own files name. */
  readonly imports: ReadonlyMap<string, readonly ImportedModule[]>;
  /** Files that could not be read, one sentence each. */
  readonly problems: readonly string[];
}

const MAX_FILES = 5000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Scans entries, given relative to a folder, and the files of the package that they import. */
export async function scanPackage(root: string, entries: readonly string[]): Promise<PackageScan> {
  // The parser is loaded only where something is scanned.
  const { scanModule } = await import("./scan-module.ts");
  const scan = new Scan(root, scanModule);
  const imports = new Map(entries.map((entry) => [entry, scan.from(entry)]));
  return { permissions: [...scan.permissions].sort(), imports, problems: scan.problems };
}

class Scan {
  readonly permissions = new Set<string>();
  readonly problems: string[] = [];
  readonly #root: string;
  readonly #scanModule: (text: string, file: string) => ModuleScan;
  readonly #modules = new Map<string, ModuleScan | undefined>();

  constructor(root: string, scanModule: (text: string, file: string) => ModuleScan) {
    this.#root = realPath(root);
    this.#scanModule = scanModule;
  }

  /** All modules that an entry and its own files name. */
  from(entry: string): readonly ImportedModule[] {
    const seen = new Set<string>();
    const found: ImportedModule[] = [];
    const open = [join(this.#root, entry)];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      const path = this.#readable(file);
      if (path === undefined || seen.has(path) || seen.size >= MAX_FILES) continue;
      seen.add(path);
      const imports = this.#scan(path)?.imports ?? [];
      found.push(...imports.filter(({ source }) => !isRelative(source)));
      open.push(...relatives(imports).map((source) => join(dirname(path), source)));
    }
    return found;
  }

  /** The real path of the module that a path names, if it is a file of the package. */
  #readable(file: string): string | undefined {
    const candidates = candidatesOf(file);
    for (const candidate of candidates) {
      const real = realPath(candidate);
      const below = relative(this.#root, real);
      const isInside = below !== "" && below !== ".." && !below.startsWith(`..${sep}`);
      if (isInside && isFile(real)) return /\.[cm]?[jt]sx?$/.test(real) ? real : undefined;
    }
    return undefined;
  }

  #scan(path: string): ModuleScan | undefined {
    if (!this.#modules.has(path)) this.#modules.set(path, this.#scanFile(path));
    return this.#modules.get(path);
  }

  #scanFile(path: string): ModuleScan | undefined {
    try {
      const scan = this.#scanModule(readLimited(path), path);
      for (const text of scan.permissions) this.permissions.add(withFitScope(text));
      return scan;
    } catch (error) {
      const isExpected = error instanceof SyntaxError || errorCode(error) !== undefined;
      if (!isExpected) throw error;
      this.problems.push(`${relative(this.#root, path)}: ${errorMessage(error)}`);
      return undefined;
    }
  }
}

function isRelative(source: string): boolean {
  return source.startsWith(".");
}

function relatives(imports: readonly ImportedModule[]): readonly string[] {
  return imports.flatMap(({ source, isType }) => (isRelative(source) && !isType ? source : []));
}

/** A scope that no permission can have is as good as one that is not known. */
function withFitScope(text: string): string {
  if (parsePermission(text)) return text;
  const names = text.split(":");
  return names.slice(0, names[0] === "fs" ? 2 : 1).join(":");
}

const SUFFIXES = [".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"];

/** A path as imports write it: with the suffix of the compiled file, without one, a folder. */
function candidatesOf(path: string): readonly string[] {
  const source = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  const index = SUFFIXES.map((suffix) => join(path, `index${suffix}`));
  return [path, source, ...SUFFIXES.map((suffix) => path + suffix), ...index];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function readLimited(path: string): string {
  if (statSync(path).size > MAX_BYTES) {
    throw packageError("PACKAGE_INVALID", { path, reason: `larger than ${MAX_BYTES} bytes` });
  }
  return readFileSync(path, "utf8");
}
