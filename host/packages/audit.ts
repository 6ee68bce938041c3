import fs from "node:fs";
import { dirname } from "node:path";
import { type Environment, errorCode, errorMessage } from "../../core/index.ts";
import { packageError } from "./errors.ts";
import type { Places } from "./places.ts";

/** Who decided (extensions spec §6.7). */
export type DecidedBy =
  | "default"
  | "gesture"
  | "answer"
  | "stored"
  | "no terminal"
  | "undeclared"
  | "command line";

/** One line of the audit log; never contents, keys or values of the environment. */
export interface AuditRecord {
  readonly event:
    | "permission"
    | "install"
    | "update"
    | "remove"
    | "trust"
    | "run trusted"
    | "switch";
  readonly session?: string;
  readonly extension?: string;
  readonly version?: string;
  readonly permission?: string;
  /** The concrete file, program, host or name; a path of a project. */
  readonly object?: string;
  readonly member?: string;
  readonly decision?: string;
  readonly by?: DecidedBy;
}

/** Three files, together this many bytes at most. */
const MAX_BYTES = 5_000_000;
const FILES = 3;

/** Adds a line to the audit log. Raises STATE_WRITE_FAILED. */
export function audit(places: Places, env: Environment, record: AuditRecord): void {
  const path = places.auditLog;
  const line = `${JSON.stringify({ time: new Date(env.now()).toISOString(), ...record })}\n`;
  try {
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0 && size + line.length > MAX_BYTES / FILES) rotate(path);
    fs.appendFileSync(path, line, { mode: 0o600 });
  } catch (error) {
    const reason = errorCode(error) ?? errorMessage(error);
    throw packageError("STATE_WRITE_FAILED", { path, reason }, error);
  }
}

function rotate(path: string): void {
  for (let i = FILES - 2; i >= 0; i--) {
    const from = i === 0 ? path : numbered(path, i);
    if (fs.existsSync(from)) fs.renameSync(from, numbered(path, i + 1));
  }
}

function numbered(path: string, number: number): string {
  return path.replace(/\.jsonl$/, `.${number}.jsonl`);
}

/** The lines about an extension, the oldest first; lines that cannot be read are left out. */
export function auditOf(places: Places, extension: string): readonly AuditRecord[] {
  const files = [2, 1, 0].map((i) => (i === 0 ? places.auditLog : numbered(places.auditLog, i)));
  return files
    .filter((file) => fs.existsSync(file))
    .flatMap((file) => fs.readFileSync(file, "utf8").split("\n"))
    .flatMap(recordOf)
    .filter((record) => record.extension === extension);
}

function recordOf(line: string): readonly AuditRecord[] {
  if (line === "") return [];
  try {
    return [JSON.parse(line) as AuditRecord];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [];
  }
}
