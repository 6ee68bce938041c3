import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  type Environment,
  errorCode,
  errorMessage,
  isJsonObject,
  type JsonObject,
} from "../../core/index.ts";
import { nodeDisk } from "../storage/disk.ts";
import { jsonProblem } from "../storage/json-position.ts";
import { realPath } from "../storage/session-dir.ts";
import { TemporaryFile } from "../storage/temporary-file.ts";
import { packageError } from "./errors.ts";

/**
 * The JSON object in a file; `undefined` if there is no file. Raises STATE_INVALID with line and
 * column for one that cannot be read.
 */
export function readObject(path: string, remedy = "it was not changed"): JsonObject | undefined {
  const text = readText(path, remedy);
  if (text === undefined) return undefined;
  const problem = jsonProblem(text);
  if (problem) {
    const reason = `line ${problem.line} column ${problem.column}: ${problem.reason}`;
    throw packageError("STATE_INVALID", { path, reason, remedy });
  }
  const value: unknown = JSON.parse(text);
  if (isJsonObject(value)) return value;
  throw packageError("STATE_INVALID", { path, reason: "it is no JSON object", remedy });
}

function readText(path: string, remedy: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw packageError("STATE_INVALID", { path, reason: code ?? errorMessage(error), remedy });
  }
}

/** Replaces a file by a JSON object: it is the old or the new one, whatever happens. */
export function writeObject(path: string, value: object, env: Environment): void {
  try {
    nodeDisk.makeFolder(dirname(path));
    const file = new TemporaryFile(nodeDisk, realPath(path), env);
    try {
      file.writeText(`${JSON.stringify(value, undefined, 2)}\n`);
      file.finish(true);
      file.takeName();
    } catch (error) {
      file.remove();
      throw error;
    }
  } catch (error) {
    const reason = errorCode(error) ?? errorMessage(error);
    throw packageError("STATE_WRITE_FAILED", { path, reason }, error);
  }
}
