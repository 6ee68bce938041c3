import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { errorCode, errorMessage, isJsonObject, type JsonObject } from "../core/index.ts";
import { hostError } from "./errors.ts";
import { jsonProblem } from "./storage/json-position.ts";

/** The kinds of things a package can hold besides code (extensions spec §4.1). */
export const RESOURCE_KINDS = ["extensions", "skills", "prompts", "themes"] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** Keys of `package.json` that speak to hosts, in the order in which they are heard. */
export const HOST_KEYS = ["coppice", "pi", "omp"] as const;
export type HostKey = (typeof HOST_KEYS)[number];

/** What `package.json` says to this host (extensions spec §4.1). Reading it runs no code. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Entries relative to the package. */
  readonly extensions: readonly string[];
  readonly permissions: readonly string[];
  /** Names of commands it registers, so that a disabled extension's command can be named. */
  readonly commands: readonly string[];
  /** Verbs of the command line it contributes, with their descriptions; first-party only. */
  readonly verbs: Readonly<Record<string, string>>;
}

/** The same with what only packages of others say. */
export interface PackageManifest extends Manifest {
  readonly skills: readonly string[];
  readonly prompts: readonly string[];
  readonly themes: readonly string[];
  /** The key that names the resources; absent where none does. */
  readonly resourceKey: HostKey | undefined;
  /** omp's features: name → its lists, and whether it is on by itself. */
  readonly features: readonly Feature[];
  /** True if it lists permissions, so that it is held to them (extensions spec §6.3). */
  readonly isDeclaring: boolean;
  readonly optionalPermissions: readonly string[];
  /** Permission → the author's reason. */
  readonly permissionReasons: Readonly<Record<string, string>>;
  /** Range of the extension API. */
  readonly api: string | undefined;
  /** Package → wanted version, peers and development left out. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  /** The module of the package itself, by `exports` or `main`. */
  readonly main: string | undefined;
  /** What is said of other hosts: shown, never enforced. */
  readonly engines: Readonly<Record<string, string>>;
  readonly peers: Readonly<Record<string, string>>;
  /** Fields that this host does not heed, such as `omp.tools`. */
  readonly unsupported: readonly string[];
}

export interface Feature {
  readonly name: string;
  readonly isDefault: boolean;
  readonly extensions: readonly string[];
}

/** Reads the manifest of a package folder. Raises MANIFEST_INVALID with file and field. */
export function readManifest(folder: string): PackageManifest {
  const file = join(folder, "package.json");
  return manifestOf(parse(file), file, basename(folder));
}

/** The manifest of a package that has none. */
export function emptyManifest(name: string): PackageManifest {
  return manifestOf({ name }, name, name);
}

function parse(file: string): unknown {
  const text = readText(file);
  const problem = jsonProblem(text);
  if (!problem) return JSON.parse(text);
  const reason = `line ${problem.line} column ${problem.column}: ${problem.reason}`;
  throw hostError("MANIFEST_INVALID", { path: file, reason });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const reason = errorCode(error) ?? errorMessage(error);
    throw hostError("MANIFEST_INVALID", { path: file, reason }, error);
  }
}

function manifestOf(json: unknown, file: string, fallbackName: string): PackageManifest {
  if (!isJsonObject(json)) {
    throw hostError("MANIFEST_INVALID", { path: file, reason: "line 1 column 1: no JSON object" });
  }
  const first = (...fields: readonly string[]) => ownerOf(json, fields);
  const list = (owner: HostKey | undefined, field: string) =>
    owner === undefined ? [] : strings(json[owner] as JsonObject, field, file);
  const resourceKey = first(...RESOURCE_KINDS);
  const value = (field: string) => fieldOf(json, first(field), field);
  return {
    name: text(json.name) ?? fallbackName,
    version: text(json.version) ?? "0.0.0",
    description: text(json.description) ?? "",
    extensions: list(resourceKey, "extensions"),
    skills: list(resourceKey, "skills"),
    prompts: list(resourceKey, "prompts"),
    themes: list(resourceKey, "themes"),
    resourceKey,
    features: featuresOf(json.omp, file),
    isDeclaring: first("permissions", "optionalPermissions") !== undefined,
    permissions: list(first("permissions"), "permissions"),
    optionalPermissions: list(first("optionalPermissions"), "optionalPermissions"),
    permissionReasons: textsByName(value("permissionReasons"), "permissionReasons", file),
    api: text(value("api")),
    commands: isJsonObject(json.coppice) ? list("coppice", "commands") : [],
    verbs: textsByName(fieldOf(json, "coppice", "verbs"), "verbs", file),
    dependencies: versions(json.dependencies),
    optionalDependencies: versions(json.optionalDependencies),
    main: mainOf(json),
    engines: versions(json.engines),
    peers: versions(json.peerDependencies),
    unsupported: unsupportedFields(json),
  };
}

/** The first host key that has one of the fields. */
function ownerOf(json: JsonObject, fields: readonly string[]): HostKey | undefined {
  return HOST_KEYS.find((key) => {
    const owner = json[key];
    return isJsonObject(owner) && fields.some((field) => owner[field] !== undefined);
  });
}

function fieldOf(json: JsonObject, key: HostKey | undefined, field: string): unknown {
  const owner = key && json[key];
  return isJsonObject(owner) ? owner[field] : undefined;
}

/** omp's own `commands` names files of prompts, not commands. */
const UNSUPPORTED = ["tools", "hooks", "commands", "settings", "image", "video", "changelogPath"];

function unsupportedFields({ pi, omp }: JsonObject): readonly string[] {
  const under = (key: string, owner: unknown) =>
    UNSUPPORTED.filter((field) => isJsonObject(owner) && owner[field] !== undefined).map(
      (field) => `${key}.${field}`,
    );
  return [...under("pi", pi), ...under("omp", omp)];
}

function featuresOf(omp: unknown, file: string): readonly Feature[] {
  if (!isJsonObject(omp) || !isJsonObject(omp.features)) return [];
  return Object.entries(omp.features).flatMap(([name, feature]) => {
    if (!isJsonObject(feature)) return [];
    const extensions = strings(feature, "extensions", file);
    return [{ name, isDefault: feature.default === true, extensions }];
  });
}

function mainOf({ exports, main }: JsonObject): string | undefined {
  return exportTarget(exports) ?? text(main);
}

/** The target of `.` by the conditions under which extensions are loaded. */
function exportTarget(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return undefined;
  const own = value["."] ?? value.import ?? value.node ?? value.default ?? value.require;
  return exportTarget(own);
}

function versions(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  const fit = Object.entries(value).filter(([, version]) => typeof version === "string");
  return Object.fromEntries(fit) as Readonly<Record<string, string>>;
}

function textsByName(value: unknown, field: string, file: string) {
  if (value === undefined) return {};
  const isFit = isJsonObject(value) && Object.values(value).every((item) => text(item));
  if (isFit) return value as Readonly<Record<string, string>>;
  const reason = `${field} must be an object of texts by name`;
  throw hostError("MANIFEST_INVALID", { path: file, reason });
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function strings(owner: JsonObject, field: string, file: string): readonly string[] {
  const value = owner[field] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw hostError("MANIFEST_INVALID", { path: file, reason: `${field} must be a list of strings` });
}
