import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode, type SessionHeader } from "../../core/index.ts";

/** Variables of the environment; a test gives its own. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Where a session comes from: its folder says so. */
export type SessionOrigin = "coppice" | "pi" | "omp";

export interface SessionFolder {
  readonly origin: SessionOrigin;
  readonly path: string;
}

/** `$COPPICE_HOME`, else `~/.coppice`. */
export function coppiceHome(variables: Variables = process.env): string {
  return resolve(variables.COPPICE_HOME || join(home(variables), ".coppice"));
}

/** The folder below which every project has a folder of sessions. */
export function sessionsRoot(variables: Variables = process.env): string {
  return join(coppiceHome(variables), "sessions");
}

/** File name of a new session (session tree §2.7). */
export function sessionFileName({ id, timestamp }: SessionHeader): string {
  const safeId = id.replace(/[/\\\0]/g, "_");
  return `${timestamp.replace(/[:.]/g, "-")}_${safeId}.jsonl`;
}

/**
 * Name of a project's session folder (session tree §2.7). Different projects have different names; a
 * symbolic link to a project has the project's.
 */
export function projectFolderName(cwd: string): string {
  const path = realPath(cwd);
  const hash = createHash("sha256").update(path, "utf8").digest("hex").slice(0, 16);
  const base = basename(path)
    .replace(/[^A-Za-z0-9._]/gu, "_")
    .replace(/^[._]+/, "")
    .slice(0, 40);
  return `${base || "root"}-${hash}`;
}

/** The session folder of a project. */
export function projectFolder(cwd: string, variables: Variables = process.env): string {
  return join(sessionsRoot(variables), projectFolderName(cwd));
}

/** All folders that may hold sessions of a project: its own, then those of pi and omp. */
export function foldersOf(cwd: string, variables: Variables = process.env): SessionFolder[] {
  const own = { origin: "coppice", path: projectFolder(cwd, variables) } as const;
  return [own, ...piFolders(cwd, variables), ...ompFolders(cwd, variables)];
}

/** pi: the path with its separators turned into dashes. */
function piFolders(cwd: string, variables: Variables): SessionFolder[] {
  const root = join(agentFolder(".pi", variables), "sessions");
  const names = new Set([cwd, realPath(cwd)].map((path) => dashedPath(resolve(path))));
  return [...names].map((name) => ({ origin: "pi", path: join(root, name) }));
}

/** omp: relative to the home or temporary folder if below it, else as pi; older files lie as pi's. */
function ompFolders(cwd: string, variables: Variables): SessionFolder[] {
  const root = join(agentFolder(".omp", variables), "sessions");
  const path = realPath(cwd);
  const names = new Set([
    relativeName("-", home(variables), path) ??
      relativeName("-tmp", tmpdir(), path) ??
      dashedPath(path),
    dashedPath(path),
  ]);
  return [...names].map((name) => ({ origin: "omp", path: join(root, name) }));
}

function agentFolder(name: ".pi" | ".omp", variables: Variables): string {
  return variables.PI_CODING_AGENT_DIR || join(home(variables), name, "agent");
}

function dashedPath(path: string): string {
  return `--${path.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}

function relativeName(prefix: string, root: string, path: string): string | undefined {
  const below = relative(realPath(root), path);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) return undefined;
  const name = below.replace(/[/\\:]/g, "-");
  if (name === "") return prefix;
  return prefix.endsWith("-") ? `${prefix}${name}` : `${prefix}-${name}`;
}

function home(variables: Variables): string {
  return variables.HOME || homedir();
}

/** The path as the system reports it, without symbolic links; as it is if there is nothing. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return resolve(path);
  }
}
