import { posix } from "node:path";
import {
  type Loader,
  type OnLoadResult,
  type OnResolveArgs,
  type OnResolveResult,
  type Plugin,
  transform,
} from "esbuild";
import { isPeerScope } from "../shims/aliases.ts";
import { Refusal } from "./errors.ts";
import { hostName } from "./host-names.ts";
import { type BoundModule, bindModule, identifierOf, type ModuleValue } from "./module-values.ts";
import type { PackageFiles } from "./package-files.ts";
import { isPath, PackageResolver } from "./resolver.ts";

/** What stands behind a path that the compiler was given. */
export const PACKAGE = "package";
const HOST = "host";
const UNKNOWN = "unknown";
const ABSENT = "absent";
const NATIVE = "native";
/** The table of modules that computed imports reach; imported by the generated entry. */
export const REGISTRY = "registry";

const LOADERS: Readonly<Record<string, Loader>> = {
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".json": "json",
  ".md": "text",
  ".txt": "text",
  ".html": "text",
  ".css": "text",
  ".sh": "text",
  ".py": "text",
  ".yaml": "text",
  ".yml": "text",
};
const NATIVE_SUFFIXES: ReadonlySet<string> = new Set([".node", ".wasm"]);
/** Above this the compiler itself replaces a module's values: reading it here would hold up the screen. */
const PARSED_BYTES = 128 * 1024;

/** What a compilation has learned of the package while it ran. */
export interface Findings {
  /** Modules of the host that are named. */
  readonly hostModules: Set<string>;
  /** Names of the host without a module (extensions spec §1.4). */
  readonly unknownModules: Set<string>;
  /** Name of a module → its number and the values of its own that it uses. */
  readonly modules: Map<string, { readonly number: number; readonly uses: readonly ModuleValue[] }>;
  /** npm package as imported → its file. */
  readonly bareNames: Map<string, string>;
  /** Files asked of functions that `createRequire` made. */
  readonly required: Set<string>;
  isComputed: boolean;
}

export function newFindings(): Findings {
  return {
    hostModules: new Set(),
    unknownModules: new Set(),
    modules: new Map(),
    bareNames: new Map(),
    required: new Set(),
    isComputed: false,
  };
}

/** Gives the compiler the files of one package, the modules of the host, and nothing else. */
export function packagePlugin(files: PackageFiles, registry: string, findings: Findings): Plugin {
  const source = new PackageSource(files, findings);
  return {
    name: "coppice-package",
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => source.resolve(args));
      build.onLoad({ filter: /.*/, namespace: PACKAGE }, (args) =>
        source.load(args.path, args.with),
      );
      build.onLoad({ filter: /.*/, namespace: REGISTRY }, () => ({ contents: registry }));
      for (const [namespace, text] of Object.entries(STAND_INS)) {
        build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: text(path) }));
      }
    },
  };
}

/** Modules that are no files: CommonJS, so that a name they lack is no error of the build. */
const STAND_INS: Readonly<Record<string, (path: string) => string>> = {
  [HOST]: (name) =>
    name === "module"
      ? `module.exports = $package.withCreateRequire($require("module"));`
      : `module.exports = $require(${JSON.stringify(name)});`,
  [UNKNOWN]: (name) =>
    `module.exports = $require("coppice:unsupported").unknownModule(${JSON.stringify(name)});`,
  [NATIVE]: (name) =>
    `module.exports = $require("coppice:unsupported").nativeModule(${JSON.stringify(name)});`,
  [ABSENT]: (name) =>
    `module.exports = $require("coppice:unsupported").absent(${JSON.stringify(name)});`,
};

class PackageSource {
  readonly #files: PackageFiles;
  readonly #resolver: PackageResolver;
  readonly #findings: Findings;

  constructor(files: PackageFiles, findings: Findings) {
    this.#files = files;
    this.#resolver = new PackageResolver(files);
    this.#findings = findings;
  }

  async resolve(args: OnResolveArgs): Promise<OnResolveResult> {
    if (args.path === REGISTRY && args.namespace !== PACKAGE) {
      return { path: REGISTRY, namespace: REGISTRY };
    }
    return this.#resolveHost(args.path) ?? (await asResult(() => this.#resolveFile(args)));
  }

  async load(name: string, attributes: Record<string, string>): Promise<OnLoadResult> {
    return await asResult(async () => {
      checkAttributes(attributes);
      const loader = attributes.type === "json" ? "json" : LOADERS[posix.extname(name)];
      if (loader === undefined) throw new Refusal(`${name}: files of this kind cannot be imported`);
      const bytes = await this.#files.read(this.#files.pathOf(name));
      if (loader === "json" || loader === "text") return { contents: bytes, loader };
      return await this.#bind(name, bytes.toString("utf8"), loader);
    });
  }

  #resolveHost(specifier: string): OnResolveResult | undefined {
    const host = hostName(specifier);
    if (host === undefined) return undefined;
    if (host.kind === "module") this.#findings.hostModules.add(host.name);
    else this.#findings.unknownModules.add(host.name);
    return { path: host.name, namespace: host.kind === "module" ? HOST : UNKNOWN };
  }

  async #resolveFile({ path, importer, kind, namespace }: OnResolveArgs): Promise<OnResolveResult> {
    const isRequire = kind === "require-call" || kind === "require-resolve";
    const from = this.#files.pathOf(namespace === PACKAGE ? importer : "index.js");
    const found = await this.#resolver.find(path, from, isRequire ? "require" : "import");
    if (found === undefined) return this.#notFound(path, kind !== "import-statement");
    const name = this.#files.nameOf(found);
    if (!isPath(path)) this.#findings.bareNames.set(path, name);
    const isNative = NATIVE_SUFFIXES.has(posix.extname(name));
    return { path: name, namespace: isNative ? NATIVE : PACKAGE };
  }

  /** What is asked for only when it runs may be optional: it fails there. */
  #notFound(specifier: string, isLate: boolean): OnResolveResult {
    if (isPeerScope(specifier)) {
      this.#findings.unknownModules.add(specifier);
      return { path: specifier, namespace: UNKNOWN };
    }
    if (isLate) return { path: specifier, namespace: ABSENT };
    throw new Refusal(`cannot find ${JSON.stringify(specifier)}`);
  }

  async #bind(name: string, code: string, loader: Loader): Promise<OnLoadResult> {
    const number = this.#findings.modules.size;
    this.#findings.modules.set(name, { number, uses: [] });
    const bound =
      code.length > PARSED_BYTES
        ? await bindLarge(code, loader, number)
        : bindModule(code, loader.startsWith("ts"), number);
    this.#findings.modules.set(name, { number, uses: bound.uses });
    if (bound.isComputed) this.#findings.isComputed = true;
    await this.#noteRequired(name, bound.required);
    return { contents: bound.code, loader };
  }

  async #noteRequired(importer: string, specifiers: readonly string[]): Promise<void> {
    for (const specifier of specifiers) {
      if (this.#resolveHost(specifier) !== undefined) continue;
      const from = this.#files.pathOf(importer);
      const found = await this.#resolver.find(specifier, from, "require");
      if (found === undefined) continue;
      const name = this.#files.nameOf(found);
      this.#findings.required.add(name);
      if (!isPath(specifier)) this.#findings.bareNames.set(specifier, name);
    }
  }
}

const VALUES_IN_LARGE: Readonly<Record<string, ModuleValue>> = {
  "import.meta": "meta",
  __dirname: "dirname",
  __filename: "filename",
};

/** In text that the compiler has written anew: an `import()` of more than one string. */
const COMPUTED_IMPORT = /\bimport\((?!"[^"\n]*"\))/g;

async function bindLarge(code: string, loader: Loader, number: number): Promise<BoundModule> {
  const used = Object.entries(VALUES_IN_LARGE).filter(([text]) => code.includes(text));
  const isComputed = code.search(COMPUTED_IMPORT) >= 0;
  if (used.length === 0 && !isComputed) return { code, uses: [], required: [], isComputed };
  const result = await transform(code, {
    loader,
    target: "es2022",
    tsconfigRaw: TS_OPTIONS,
    sourcemap: "inline",
    sourcesContent: false,
    define: Object.fromEntries(used.map(([text, value]) => [text, identifierOf(value, number)])),
  });
  const importer = identifierOf("import", number);
  return {
    code: result.code.replace(COMPUTED_IMPORT, `${importer}(`),
    uses: [...used.map(([, value]) => value), ...(isComputed ? (["import"] as const) : [])],
    required: [],
    isComputed,
  };
}

/** The same for every package, whatever its own tsconfig says; as jiti compiles. */
export const TS_OPTIONS = {
  compilerOptions: { experimentalDecorators: true, useDefineForClassFields: true },
} as const;

function checkAttributes(attributes: Record<string, string>): void {
  const [other] = Object.entries(attributes).filter(
    ([key, value]) => key !== "type" || value !== "json",
  );
  if (other === undefined) return;
  throw new Refusal(
    `the import attribute ${other[0]}: ${JSON.stringify(other[1])} is not supported`,
  );
}

/** A refusal becomes an error at the import that asked. */
async function asResult<T extends object>(work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return { errors: [{ text: error.message }] };
    throw error;
  }
}
