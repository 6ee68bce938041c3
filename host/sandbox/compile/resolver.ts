import { dirname, isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import enhancedResolve from "enhanced-resolve";
import { absence, Refusal } from "./errors.ts";
import type { PackageFiles } from "./package-files.ts";

/** As the author wrote it: an `import`, or a `require`. */
export type ImportKind = "import" | "require";

const { ResolverFactory } = enhancedResolve;

type FileSystem = Parameters<typeof ResolverFactory.createResolver>[0]["fileSystem"];
type Resolver = ReturnType<typeof ResolverFactory.createResolver>;

/** In jiti's order, so that a package runs the same files trusted and contained. */
const SUFFIXES = [".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".jsx", ".json"];
/** TypeScript may be imported by the name of what it would be compiled to. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".js", ".ts", ".tsx"],
  ".jsx": [".jsx", ".tsx"],
  ".mjs": [".mjs", ".mts"],
  ".cjs": [".cjs", ".cts"],
};
const CONDITIONS: Readonly<Record<ImportKind, readonly string[]>> = {
  import: ["node", "import"],
  require: ["node", "require"],
};

/** Finds files of one package by Node's rules, seeing nothing outside it. */
export class PackageResolver {
  readonly #files: PackageFiles;
  readonly #resolvers: Readonly<Record<ImportKind, Resolver>>;
  readonly #bare = new Map<string, Promise<string | undefined>>();

  constructor(files: PackageFiles) {
    this.#files = files;
    const fileSystem = fileSystemOf(files);
    this.#resolvers = {
      import: resolverOf(fileSystem, "import"),
      require: resolverOf(fileSystem, "require"),
    };
  }

  /**
   * The real path of the file that an import names, or `undefined` if there is none. A refusal if it
   * leads out of the package.
   */
  async find(specifier: string, importer: string, kind: ImportKind): Promise<string | undefined> {
    const found = isPath(specifier)
      ? await this.#findPath(specifier, importer, kind)
      : await this.#findBare(specifier, importer, kind);
    return found === undefined ? undefined : await this.#files.real(found);
  }

  async #findPath(specifier: string, importer: string, kind: ImportKind) {
    const path = pathOf(specifier, importer);
    if (!this.#files.contains(path)) {
      throw new Refusal(`${JSON.stringify(specifier)} leads out of the package folder`);
    }
    return (await this.#findFile(path)) ?? (await this.#ask(path, importer, kind));
  }

  async #findFile(path: string): Promise<string | undefined> {
    if ((await this.#files.kind(path)) === "file") return path;
    for (const candidate of candidates(path)) {
      if ((await this.#files.kind(candidate)) === "file") return candidate;
    }
    return undefined;
  }

  #findBare(specifier: string, importer: string, kind: ImportKind) {
    const key = JSON.stringify([dirname(importer), specifier, kind]);
    let found = this.#bare.get(key);
    if (found === undefined) {
      found = this.#ask(specifier, importer, kind);
      this.#bare.set(key, found);
    }
    return found;
  }

  /** Packages that name a file for one kind of import only are found by the other one too. */
  async #ask(request: string, importer: string, kind: ImportKind): Promise<string | undefined> {
    const other = kind === "import" ? "require" : "import";
    return (
      (await ask(this.#resolvers[kind], request, importer)) ??
      (await ask(this.#resolvers[other], request, importer))
    );
  }
}

/** Whether a specifier names a file, not a package. */
export function isPath(specifier: string): boolean {
  return (
    /^\.{1,2}(?:\/|$)/.test(specifier) || isAbsolute(specifier) || specifier.startsWith("file:")
  );
}

function pathOf(specifier: string, importer: string): string {
  const path = specifier.startsWith("file:") ? fileURLToPath(specifier) : specifier;
  return resolve(dirname(importer), path);
}

function candidates(path: string): string[] {
  const withSuffix = SUFFIXES.map((suffix) => path + suffix);
  const suffix = /\.[cm]?jsx?$/.exec(path)?.[0];
  const sources = suffix === undefined ? [] : (SOURCES[suffix] ?? []);
  const stem = suffix === undefined ? path : path.slice(0, -suffix.length);
  return [...sources.slice(1).map((source) => stem + source), ...withSuffix];
}

function ask(resolver: Resolver, request: string, importer: string): Promise<string | undefined> {
  return new Promise((done, fail) => {
    resolver.resolve({}, dirname(importer), request, {}, (error, _result, found) => {
      // Not found and not exported are told alike; only a refusal is more than that.
      if (error instanceof Refusal) fail(error);
      else done(error === null && found ? found.path || undefined : undefined);
    });
  });
}

function resolverOf(fileSystem: FileSystem, kind: ImportKind): Resolver {
  return ResolverFactory.createResolver({
    fileSystem,
    conditionNames: [...CONDITIONS[kind]],
    extensions: [...SUFFIXES],
    extensionAlias: Object.fromEntries(
      Object.entries(SOURCES).map(([suffix, sources]) => [suffix, [...sources]]),
    ),
    mainFields: ["main"],
    symlinks: false,
  });
}

/** The package folder as the only part of the disk there is. */
function fileSystemOf(files: PackageFiles): FileSystem {
  const manifests = new Map<string, Promise<unknown>>();
  const readJson = (path: string) => {
    const known = manifests.get(path) ?? jsonOf(files, path);
    manifests.set(path, known);
    return known;
  };
  return {
    stat: asCallback((path) => statsOf(files, path)),
    readFile: asCallback((path) => contentsOf(files, path)),
    readJson: asCallback(readJson),
    readdir: asCallback(nothing),
    readlink: asCallback(nothing),
  } as unknown as FileSystem;
}

/** The promise of a path's answer in the form that Node's own file system has. */
function asCallback(answer: (path: string) => Promise<unknown>) {
  return (path: string, ...rest: unknown[]): void => {
    const callback = rest.at(-1) as (error: unknown, value?: unknown) => void;
    void answer(path).then((value) => callback(null, value), callback);
  };
}

async function statsOf(files: PackageFiles, path: string) {
  const kind = await files.kind(path);
  if (kind === undefined) throw absence(path);
  return { isFile: () => kind === "file", isDirectory: () => kind === "folder" };
}

async function contentsOf(files: PackageFiles, path: string): Promise<Buffer> {
  if ((await files.kind(path)) !== "file") throw absence(path);
  return await files.read(path);
}

async function jsonOf(files: PackageFiles, path: string): Promise<unknown> {
  return JSON.parse((await contentsOf(files, path)).toString("utf8"));
}

function nothing(path: string): Promise<never> {
  return Promise.reject(absence(path));
}
