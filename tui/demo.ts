import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { coreError, errorCode, type SessionHeader } from "../core/index.ts";
import { coppiceHome, projectFolder, sessionFileName } from "../host/index.ts";

const SAMPLE = new URL("./demo/teahouse.jsonl", import.meta.url);

/**
 * The user's own copy of the sample session, made when it is first asked for and kept from then on;
 * gives its path. It belongs to a project of its own, `$COPPICE_HOME/demo`, so no other project lists
 * or continues it. Raises SESSION_WRITE_FAILED.
 */
export function demoSession(): string {
  const cwd = join(coppiceHome(), "demo");
  const [first = "", ...lines] = readFileSync(SAMPLE, "utf8").split("\n");
  const header = { ...(JSON.parse(first) as SessionHeader), cwd };
  try {
    mkdirSync(cwd, { recursive: true });
    const folder = projectFolder(cwd);
    const file = join(folder, sessionFileName(header));
    mkdirSync(folder, { recursive: true });
    copyOnce(file, [JSON.stringify(header), ...lines].join("\n"));
    return file;
  } catch (error) {
    const reason = errorCode(error);
    if (reason === undefined) throw error;
    throw coreError("SESSION_WRITE_FAILED", { path: cwd, reason }, error);
  }
}

/** One write, and none where a file is. */
function copyOnce(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
