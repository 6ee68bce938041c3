import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { errorMessage, isJsonObject, type JsonObject } from "../core/index.ts";
import { hostError } from "./errors.ts";

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

/** Reads the manifest of a package folder. Raises MANIFEST_INVALID with file and field. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, "package.json");
  return manifestOf(parse(file), file, basename(folder));
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw hostError("MANIFEST_INVALID", { path: file, reason: errorMessage(error) }, error);
  }
}

function manifestOf(json: unknown, file: string, fallbackName: string): Manifest {
  if (!isJsonObject(json)) {
    throw hostError("MANIFEST_INVALID", { path: file, reason: "it is no JSON object" });
  }
  const keys = ["coppice", "pi", "omp"].map((key) => json[key]).filter(isJsonObject);
  const list = (field: string) => {
    const owner = keys.find((key) => key[field] !== undefined);
    return owner ? strings(owner, field, file) : [];
  };
  return {
    name: text(json.name) ?? fallbackName,
    version: text(json.version) ?? "0.0.0",
    description: text(json.description) ?? "",
    extensions: list("extensions"),
    permissions: list("permissions"),
    commands: list("commands"),
    verbs: textsByName(keys.find((key) => key.verbs !== undefined)?.verbs, file),
  };
}

function textsByName(value: unknown, file: string): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  const isFit = isJsonObject(value) && Object.values(value).every((item) => text(item));
  if (isFit) return value as Readonly<Record<string, string>>;
  const reason = "verbs must be an object of descriptions by name";
  throw hostError("MANIFEST_INVALID", { path: file, reason });
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function strings(owner: JsonObject, field: string, file: string): readonly string[] {
  const value = owner[field];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw hostError("MANIFEST_INVALID", { path: file, reason: `${field} must be a list of strings` });
}
