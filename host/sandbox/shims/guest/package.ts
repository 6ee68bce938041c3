import { type HostName, hostAlias } from "../aliases.ts";
import { moduleNotFound, nodeError } from "./errors.ts";
import { complete, unknownModule } from "./unsupported.ts";

/** How a computed import reaches a module of the bundle. */
interface Row {
  import(): Promise<unknown>;
  require?(): unknown;
}

type Require = ((specifier: string) => unknown) & { resolve(specifier: string): string };

declare const require: (name: string) => unknown;

const SUFFIXES = [".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".jsx", ".json"];
const FORMS = [...SUFFIXES, ...SUFFIXES.map((suffix) => `/index${suffix}`)];

/** What the modules of the package at `root` have of their own (sandbox spec §5.3). */
export function open(root: string) {
  let table: Readonly<Record<string, Row>> = {};
  let bareNames: Readonly<Record<string, string>> = {};
  const at = (name: string) => `${root}/${name}`;

  const find = (specifier: string, importer: string): string | undefined => {
    const name = nameOf(specifier, importer, root);
    if (name === undefined)
      return Object.hasOwn(bareNames, specifier) ? bareNames[specifier] : undefined;
    const sources = name.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
    return [name, sources, ...FORMS.map((form) => name + form)].find((form) =>
      Object.hasOwn(table, form),
    );
  };

  const importFrom = (importer: string) => async (specifier: string) => {
    const text = String(specifier);
    const name = find(text, importer);
    if (name !== undefined) return await table[name]?.import();
    return asNamespace(hostModule(text, importer));
  };

  const requireFrom = (importer: string): Require =>
    Object.assign(
      (specifier: string): unknown => {
        const name = find(specifier, importer);
        if (name === undefined) return hostModule(specifier, importer);
        const row = table[name];
        if (row?.require === undefined) throw isEsm(name);
        return row.require();
      },
      {
        resolve: (specifier: string) => resolveFrom(specifier, importer),
        cache: {},
        main: undefined,
      },
    );

  const resolveFrom = (specifier: string, importer: string): string => {
    const name = find(specifier, importer) ?? nameOf(specifier, importer, root);
    if (name !== undefined) return at(name);
    hostModule(specifier, importer);
    return specifier;
  };

  const createRequire = (place: unknown): Require => {
    const name = nameOf(String(place), "", root);
    if (name === undefined)
      throw nodeError("ERR_INVALID_ARG_VALUE", `${place} is no file of this package`);
    return requireFrom(name);
  };

  return {
    register(rows: Record<string, Row>, names: Record<string, string>): void {
      table = rows;
      bareNames = names;
    },
    meta: (name: string) => ({
      dirname: at(parentOf(name)).replace(/\/$/, ""),
      filename: at(name),
      url: urlOf(at(name)),
      resolve(specifier: string): string {
        const path = resolveFrom(specifier, name);
        return path.startsWith("/") ? urlOf(path) : path;
      },
    }),
    dirname: (name: string) => at(parentOf(name)).replace(/\/$/, ""),
    filename: at,
    import: importFrom,
    require: requireFrom,
    withCreateRequire: (builtin: object) =>
      complete("node:module", Object.assign({}, builtin, { createRequire })),
  };
}

/** A module that no file of the package is. */
function hostModule(specifier: string, importer: string): unknown {
  const alias: HostName = hostAlias(specifier) ?? {
    kind: "module",
    name: specifier.replace(/^node:/, ""),
  };
  if (alias.kind === "unknown") return unknownModule(alias.name);
  try {
    return require(alias.name);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw error;
    throw moduleNotFound(specifier, importer);
  }
}

/** The path relative to the root of what is named by path or URL; `undefined` for a bare name. */
function nameOf(specifier: string, importer: string, root: string): string | undefined {
  const path = specifier.startsWith("file://")
    ? decodeURIComponent(specifier.slice("file://".length))
    : specifier;
  if (path.startsWith("/"))
    return path.startsWith(`${root}/`) ? normal(path.slice(root.length)) : undefined;
  return /^\.{1,2}(?:\/|$)/.test(path) ? normal(`${parentOf(importer)}/${path}`) : undefined;
}

function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function parentOf(name: string): string {
  return name.slice(0, Math.max(name.lastIndexOf("/"), 0));
}

function urlOf(path: string): string {
  return `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`;
}

function asNamespace(exports: unknown): unknown {
  if (typeof exports !== "object" || exports === null) return { default: exports };
  if ((exports as { __esModule?: unknown }).__esModule) return exports;
  return Object.assign(Object.create(Object.getPrototypeOf(exports)), exports, {
    default: exports,
  });
}

function isEsm(name: string): Error {
  return nodeError("ERR_REQUIRE_ESM", `${name} awaits at its top and can only be imported`, Error);
}
