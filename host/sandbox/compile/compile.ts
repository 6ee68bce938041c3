import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import { type BuildContext, type BuildResult, context, type Message, version } from "esbuild";
import { hostError } from "../../errors.ts";
import { withCompiler } from "../compiler.ts";
import { COMPILE_LIMITS, type CompileLimits } from "./limits.ts";
import { type InputFile, PackageFiles } from "./package-files.ts";
import { type Findings, newFindings, packagePlugin, TS_OPTIONS } from "./plugin.ts";
import { entrySource, registrySource, shiftMap, wrap } from "./script.ts";

export interface CompileRequest {
  /** Id of the package, for what is said of it. */
  readonly id: string;
  /** The package folder, or the file of a package that is one file. */
  readonly root: string;
  /** Paths of the entry files, absolute or relative to the package folder, in the order of the manifest. */
  readonly entries: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<CompileLimits> | undefined;
}

/** One package as one script (sandbox spec §5.3). */
export interface CompiledPackage {
  /**
   * Evaluates to an async function `(require, root) => namespaces`: `require` gives the module of the
   * host by a name of `modules`, `root` is the real path of the package folder. It resolves with the
   * namespaces of the entries, in their order.
   */
  readonly code: string;
  /** The source map as JSON; its files are relative to the package folder. */
  readonly map: string;
  /** The entries, relative to the package folder. */
  readonly entries: readonly string[];
  readonly inputs: readonly InputFile[];
  /** Paths inside the package that were looked for in vain: one that appears may change the result. */
  readonly missing: readonly string[];
  /** Modules of the host and builtins that the package names, for `moduleTexts`. */
  readonly modules: readonly string[];
  /** Names of the host without a module, to be reported as IMPORT_UNKNOWN. */
  readonly unknown: readonly string[];
  /** SHA-256 over all inputs, the compiler and its options. */
  readonly hash: string;
}

/** Form of the script; raised when it changes, so that no cache gives an older one. */
const FORM = "1";

/**
 * Compiles a package without running any of its code. Raises EXTENSION_LOAD_FAILED with file, line and
 * column of what is wrong, or with the limit that was passed; the signal's reason when that fires.
 */
export async function compilePackage(request: CompileRequest): Promise<CompiledPackage> {
  const limits = { ...COMPILE_LIMITS, ...request.limits };
  const files = await PackageFiles.at(request.root, limits);
  const compilation = new Compilation(request, files, limits);
  return await withCompiler(() => compilation.run());
}

class Compilation {
  readonly #request: CompileRequest;
  readonly #files: PackageFiles;
  readonly #limits: CompileLimits;

  constructor(request: CompileRequest, files: PackageFiles, limits: CompileLimits) {
    this.#request = request;
    this.#files = files;
    this.#limits = limits;
  }

  async run(): Promise<CompiledPackage> {
    const first = await this.#build("");
    const { findings, output } = first.findings.isComputed
      ? await this.#buildComputed(first)
      : first;
    const { code, modules, lines } = wrap(output.code, findings);
    if (Buffer.byteLength(code) > this.#limits.outputBytes) {
      throw this.#failed(`its compiled code is larger than ${this.#limits.outputBytes} bytes`);
    }
    const { inputs, missing } = this.#files;
    const entries = this.#entries;
    const hash = packageHash(inputs, entries);
    const unknown = [...findings.unknownModules].sort();
    return {
      code,
      map: shiftMap(output.map, lines),
      inputs,
      missing,
      modules,
      unknown,
      hash,
      entries,
    };
  }

  /** Again with a table of the modules that computed imports may name. */
  async #buildComputed({ findings }: Built): Promise<Built> {
    const assets = await this.#files.ownJson();
    for (const path of assets) findings.required.add(path);
    try {
      return await this.#build(registrySource(findings, { isEsmRequired: true }));
    } catch (error) {
      // A module that awaits at its top cannot be required: then such modules are only imported.
      if (!String(error).includes("top-level await")) throw error;
      return await this.#build(registrySource(findings, { isEsmRequired: false }));
    }
  }

  get #entries(): readonly string[] {
    return this.#request.entries.map((entry) => {
      const { root } = this.#files;
      return this.#files.nameOf(entry.startsWith(sep) ? entry : join(root, entry));
    });
  }

  async #build(registry: string): Promise<Built> {
    const findings = newFindings();
    const build = await context({
      stdin: { contents: entrySource(this.#entries, registry !== ""), loader: "js" },
      bundle: true,
      write: false,
      outfile: "package.js",
      format: "esm",
      platform: "neutral",
      target: "es2022",
      charset: "utf8",
      legalComments: "none",
      sourcemap: "external",
      sourcesContent: false,
      tsconfigRaw: TS_OPTIONS,
      nodePaths: [],
      logLevel: "silent",
      logLimit: 20,
      plugins: [packagePlugin(this.#files, registry, findings)],
    });
    try {
      const result = await this.#within(build);
      return { findings, output: outputOf(result) };
    } finally {
      await build.dispose();
    }
  }

  async #within(build: BuildContext): Promise<BuildResult> {
    const { signal } = this.#request;
    signal?.throwIfAborted();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      void build.cancel();
    }, this.#limits.timeMs);
    const abort = () => void build.cancel();
    signal?.addEventListener("abort", abort);
    try {
      return await build.rebuild();
    } catch (error) {
      signal?.throwIfAborted();
      if (isLate) throw this.#failed(`it did not compile within ${this.#limits.timeMs} ms`);
      throw this.#buildError(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  #buildError(error: unknown): unknown {
    const messages = (error as { errors?: readonly Message[] }).errors;
    const [first, ...others] = messages ?? [];
    if (first === undefined) return error;
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    return this.#failed(`${placeOf(first)}${first.text}${more}`);
  }

  #failed(reason: string) {
    const { id, entries } = this.#request;
    const entry = entries[0] ?? "no entry";
    return hostError("EXTENSION_LOAD_FAILED", { extension: id, entry, reason });
  }
}

interface Built {
  readonly findings: Findings;
  readonly output: { readonly code: string; readonly map: string };
}

function outputOf({ outputFiles = [] }: BuildResult): Built["output"] {
  const textOf = (suffix: string) =>
    outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? "";
  return { code: textOf(".js"), map: textOf(".map") };
}

function placeOf({ location }: Message): string {
  if (location === null) return "";
  const { file, line, lineText, column } = location;
  const before = Buffer.from(lineText).subarray(0, column).toString("utf8");
  return `${file.replace(/^[a-z]+:/, "")}:${line}:${before.length + 1}: `;
}

/** What the compiled code depends on beside the files: a cache must not outlive it. */
export function packageHash(inputs: readonly InputFile[], entries: readonly string[]): string {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([FORM, version, TS_OPTIONS, entries]));
  for (const { path, sha256 } of inputs) hash.update(JSON.stringify([path, sha256]));
  return hash.digest("hex");
}
