import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type CoppiceError,
  coreError,
  type Environment,
  errorCode,
  errorMessage,
  isJsonObject,
  type JsonObject,
} from "../../core/index.ts";
import { nodeEnvironment } from "../environment.ts";
import { hostError } from "../errors.ts";
import { systemReason } from "./append-log.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { jsonProblem } from "./json-position.ts";
import { coppiceHome, realPath, type Variables } from "./session-dir.ts";
import { type SettingKind, settingRow, variableOf } from "./settings-table.ts";
import { TemporaryFile } from "./temporary-file.ts";

export interface SettingsOptions {
  /** Working folder of the session: the project. */
  readonly cwd: string;
  /** Settings of the command line, by key. */
  readonly flags?: JsonObject;
  /** True once the user trusts the project; until then its settings are not read. */
  readonly isTrusted?: boolean;
  readonly variables?: Variables;
  readonly disk?: Disk;
  readonly env?: Environment;
}

/** Where a value comes from, the strongest first. */
export type SettingSource = "flag" | "environment" | "project" | "user" | "default";

interface Layer {
  readonly source: SettingSource;
  /** For messages: a file, or what kind of place it is. */
  readonly name: string;
  read(key: string, kind: SettingKind | undefined): unknown;
}

/** Reads the settings of a run: flag > environment > trusted project > user > default. */
export async function loadSettings(options: SettingsOptions): Promise<Settings> {
  return new Settings(options);
}

/**
 * The settings of a run. A value of the wrong kind counts as the default and is a warning; a broken
 * file is SETTINGS_INVALID in `problems`, counts as empty and is never written.
 */
export class Settings {
  /** Broken files, one error each. */
  readonly problems: readonly CoppiceError[];
  readonly #options: SettingsOptions;
  readonly #userFile: string;
  readonly #warnings = new Map<string, string>();
  #layers: readonly Layer[];

  constructor(options: SettingsOptions) {
    const { cwd, flags = {}, isTrusted = false, variables = process.env } = options;
    const problems: CoppiceError[] = [];
    this.#options = options;
    this.#userFile = join(coppiceHome(variables), "settings.json");
    const project = join(cwd, ".coppice", "settings.json");
    this.#layers = [
      { source: "flag", name: "the command line", read: (key) => ownValue(flags, key) },
      { source: "environment", name: "the environment", read: fromVariables(variables) },
      ...(isTrusted ? [fileLayer("project", project, problems)] : []),
      fileLayer("user", this.#userFile, problems),
    ];
    this.problems = problems;
  }

  /** What was set but could not be used, one sentence each; grows as settings are asked for. */
  get warnings(): readonly string[] {
    return [...this.#warnings.values()];
  }

  /** The value in force; `undefined` if unset and without default. */
  get(key: string): unknown {
    return this.#find(key).value;
  }

  source(key: string): SettingSource {
    return this.#find(key).source;
  }

  /**
   * Sets a value in the user's file, or with `undefined` removes it; the rest of the file stays.
   * Raises INVALID_ARGUMENT, SETTINGS_INVALID, SETTINGS_WRITE_FAILED.
   */
  set(key: string, value: unknown): void {
    const row = settingRow(key);
    if (row && value !== undefined && !row.kind.accepts(value)) {
      throw coreError("INVALID_ARGUMENT", { argument: key, reason: `must be ${row.kind.words}` });
    }
    const values = withValue(readObject(this.#userFile), key, value);
    writeObject(this.#userFile, values, this.#options);
    const changed = objectLayer("user", this.#userFile, values);
    this.#layers = this.#layers.map((layer) => (layer.source === "user" ? changed : layer));
  }

  #find(key: string): { readonly value: unknown; readonly source: SettingSource } {
    const row = settingRow(key);
    for (const { source, name, read } of this.#layers) {
      if (source === "project" && (row?.userOnly || key.startsWith("sandbox."))) continue;
      const value = read(key, row?.kind);
      if (value === undefined) continue;
      if (!row || row.kind.accepts(value)) return { value, source };
      const warning = `setting ${key} of ${name} must be ${row.kind.words}; the default is used`;
      this.#warnings.set(`${key} ${source}`, warning);
      break;
    }
    return { value: row?.default, source: "default" };
  }
}

function fromVariables(variables: Variables): Layer["read"] {
  return (key, kind) => {
    const text = variables[variableOf(key)];
    if (text === undefined || text === "" || !kind) return undefined;
    return kind.fromText(text) ?? null;
  };
}

function fileLayer(source: SettingSource, path: string, problems: CoppiceError[]): Layer {
  try {
    return objectLayer(source, path, readObject(path));
  } catch (error) {
    if (errorCode(error) !== "SETTINGS_INVALID") throw error;
    problems.push(error as CoppiceError);
    return objectLayer(source, path, {});
  }
}

/** A key stands as it is, `"tree.layout"`, or as an object in an object, `"tree": {"layout"}`. */
function objectLayer(source: SettingSource, name: string, values: JsonObject): Layer {
  const nested = (key: string) => key.split(".").reduce<unknown>(ownValue, values);
  return { source, name, read: (key) => ownValue(values, key) ?? nested(key) };
}

function ownValue(values: unknown, key: string): unknown {
  return isJsonObject(values) && Object.hasOwn(values, key) ? values[key] : undefined;
}

function readObject(path: string): JsonObject {
  const text = readText(path);
  if (text.trim() === "") return {};
  const problem = jsonProblem(text);
  if (problem) throw hostError("SETTINGS_INVALID", { path, ...problem });
  const value: unknown = JSON.parse(text);
  if (isJsonObject(value)) return value;
  throw hostError("SETTINGS_INVALID", { path, line: 1, column: 1, reason: "it is no JSON object" });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return "";
    const reason = errorCode(error) ?? errorMessage(error);
    throw hostError("SETTINGS_INVALID", { path, line: 1, column: 1, reason }, error);
  }
}

function withValue(values: JsonObject, key: string, value: unknown): JsonObject {
  const [first = "", ...rest] = key.split(".");
  const inner = values[first];
  if (rest.length > 0 && !Object.hasOwn(values, key) && isJsonObject(inner)) {
    return { ...values, [first]: withValue(inner, rest.join("."), value) };
  }
  const { [key]: _, ...others } = values;
  return value === undefined ? others : { ...values, [key]: value };
}

function writeObject(path: string, values: JsonObject, options: SettingsOptions): void {
  const { disk = nodeDisk, env = nodeEnvironment } = options;
  try {
    disk.makeFolder(dirname(path));
    const file = new TemporaryFile(disk, realPath(path), env);
    try {
      file.writeText(`${JSON.stringify(values, undefined, 2)}\n`);
      file.finish(true);
      file.takeName();
    } catch (error) {
      file.remove();
      throw error;
    }
  } catch (error) {
    throw hostError("SETTINGS_WRITE_FAILED", { path, reason: systemReason(error) }, error);
  }
}
