import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join, relative, resolve, sep } from "node:path";
import { build, type OnResolveArgs, type OnResolveResult, type Plugin } from "esbuild";
import { SOURCES, type TextSource } from "./names.ts";

/** npm packages that others ask for and a text of ours stands for. */
const STAND_INS: Readonly<Record<string, string>> = {
  "safe-buffer": "buffer",
  "abort-controller": "coppice:globals",
  qs: "querystring",
};
/** What npm packages find as `process` and `Buffer`. */
const NPM_GLOBALS = "host/sandbox/shims/guest/npm-globals.ts";
/** The component library: in an isolate its parts that drive a terminal are not supported. */
const COMPONENTS = "@mariozechner/pi-tui";
const TERMINAL_PARTS =
  /pi-tui\/dist\/(?:terminal|native-platform|tui-alt-screen|tui-main-screen)\.js$/;
const TERMINAL = "terminal";
const CORE_ERRORS = "core/errors.ts";
const CORE = "core/index.ts";

/** The text of one module, and the npm packages that went into it. */
export interface BundledText {
  readonly text: string;
  readonly packages: readonly string[];
  /** Files that went into it, from the program's folder. */
  readonly inputs: readonly string[];
}

/**
 * Bundles the text of a module of `SOURCES` from the program's sources: a function
 * `(require, settings) => exports` that asks `require` for other texts only.
 */
export async function bundleText(name: string, folder: string): Promise<BundledText> {
  const source = SOURCES[name] as TextSource;
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, source.file)],
    absWorkingDir: folder,
    bundle: true,
    write: false,
    metafile: true,
    format: "cjs",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    minifyWhitespace: true,
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    inject: [join(folder, NPM_GLOBALS)],
    define: { global: "globalThis" },
    banner: { js: `(function (require, settings) {"use strict";const module = { exports: {} };` },
    footer: { js: `return ${RESULTS[source.form](name)};})` },
    plugins: [textsPlugin(folder, source)],
  });
  return {
    text: outputFiles[0]?.text ?? "",
    inputs: inputsOf(Object.keys(metafile.inputs)),
    packages: packagesOf(Object.keys(metafile.inputs)),
  };
}

const RESULTS: Readonly<Record<TextSource["form"], (name: string) => string>> = {
  builtin: (name) => completed(`node:${name}`, "module.exports.default"),
  module: (name) => completed(name, "module.exports"),
  internal: () => "module.exports",
};

function completed(name: string, exports: string): string {
  return `require("coppice:unsupported").complete(${JSON.stringify(name)}, ${exports})`;
}

/** Packages that take for granted, as they start, what no guest has (sandbox spec §6.1). */
const LACKING = /node_modules\/(?:webidl-conversions|node-inspect-extracted)\/.*\.js$/;

function withoutLacked(text: string): string {
  return text
    .replace(/"Atomics",/g, "")
    .replace(
      /Object\.getOwnPropertyDescriptor\((\w*ArrayBuffer)\.prototype, ("\w+")\)\.get;/g,
      "Object.getOwnPropertyDescriptor(globalThis.$1?.prototype ?? {}, $2)?.get;",
    );
}

/** Leaves to `require` what has a text of its own. */
function textsPlugin(folder: string, source: TextSource): Plugin {
  return {
    name: "coppice-texts",
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => externalOf(args, folder, source));
      build.onLoad({ filter: LACKING }, async ({ path }) => ({
        contents: withoutLacked(await readFile(path, "utf8")),
      }));
      build.onLoad({ filter: /.*/, namespace: TERMINAL }, () => ({
        contents: `module.exports = require("coppice:unsupported").unknownModule("coppice/tui");`,
      }));
    },
  };
}

function externalOf(
  { path, importer, kind, resolveDir }: OnResolveArgs,
  folder: string,
  source: TextSource,
): OnResolveResult | undefined {
  if (kind === "entry-point" || importer === "") return undefined;
  if (path.startsWith("coppice:")) return { path, external: true };
  if (TERMINAL_PARTS.test(join(resolveDir, path))) return { path, namespace: TERMINAL };
  if (path === "process/") return { path: join(folder, NPM_GLOBALS) };
  const text = path === COMPONENTS ? "coppice/tui" : path;
  if (Object.hasOwn(SOURCES, text) && SOURCES[text] !== source) {
    return { path: text, external: true, sideEffects: false };
  }
  const name =
    builtinOf(path) ?? STAND_INS[path] ?? ownText(resolve(resolveDir, path), folder, source);
  return name === undefined ? undefined : { path: name, external: true, sideEffects: false };
}

function builtinOf(path: string): string | undefined {
  const name = path.replace(/^node:/, "");
  return builtinModules.includes(name) ? name : undefined;
}

/** Files that must exist once in an isolate: the error class, the core, what is unsupported. */
function ownText(path: string, folder: string, { file, form }: TextSource): string | undefined {
  const name = relative(folder, path).split(sep).join("/");
  if (name === file) return undefined;
  if (name === CORE_ERRORS) return "coppice:errors";
  if (name === CORE) return form === "module" ? "coppice/core" : undefined;
  const guest = Object.entries(SOURCES).find(([, other]) => other.file === name);
  return guest?.[1].form === "internal" ? guest[0] : undefined;
}

function inputsOf(inputs: readonly string[]): string[] {
  return inputs.filter((input) => !input.startsWith(`${TERMINAL}:`));
}

function packagesOf(inputs: readonly string[]): string[] {
  const names = inputs.flatMap((input) => {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    return match?.[1] === undefined ? [] : [match[1]];
  });
  return [...new Set(names)].sort();
}
