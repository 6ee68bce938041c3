import { packageError } from "./errors.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import type { Source } from "./source.ts";
import { nameProblem, type PackageFile, type PackageLimits } from "./tar.ts";

type GitSource = Extract<Source, { readonly kind: "git" }>;

export interface FetchedCommit {
  readonly commit: string;
  readonly files: readonly PackageFile[];
  /** What was left out: submodules. */
  readonly left: readonly string[];
}

/**
 * Fetches one commit into a bare repository in an empty folder and reads its files as they are stored:
 * nothing is checked out, so no hook, filter, submodule or LFS has a part in it (extensions spec §5.3).
 * Raises SOURCE_NOT_FOUND, FETCH_FAILED, and PACKAGE_INVALID for links.
 */
export async function fetchCommit(
  source: GitSource,
  limits: PackageLimits,
  run: ProgramRun,
): Promise<FetchedCommit> {
  const git = (args: readonly string[], input?: string) => runGit(source, args, run, input);
  await git(["init", "--quiet", "--bare", "--template=", "."]);
  const fetch = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
  await git([...fetch, "--", source.url, source.ref ?? "HEAD"]);
  const commit = (await git(["rev-parse", "FETCH_HEAD^{commit}"])).toString("latin1").trim();
  const listing = (await git(["ls-tree", "-r", "-z", "--long", commit])).toString("utf8");
  const { blobs, left } = plannedBlobs(source, listing, limits);
  const names = blobs.map(({ hash }) => `${hash}\n`).join("");
  const contents = blobs.length === 0 ? Buffer.alloc(0) : await git(["cat-file", "--batch"], names);
  return { commit, files: filesFrom(contents, blobs), left };
}

interface Blob {
  readonly hash: string;
  readonly path: string;
  readonly isExecutable: boolean;
  /** Bytes. */
  readonly size: number;
}

function plannedBlobs(source: GitSource, listing: string, limits: PackageLimits) {
  const all = listing.split("\0").filter((line) => line !== "");
  const blobs = all.flatMap((line) => blobOf(line, source));
  const left = all.filter((line) => line.split(" ")[1] !== "blob").map(pathIn);
  if (blobs.length > limits.maxFiles) {
    throw invalid(source, `it holds more than ${limits.maxFiles} files`);
  }
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  if (bytes > limits.maxBytes) throw invalid(source, "it is too large (extensions.maxPackageMb)");
  return { blobs, left };
}

/** One line of `ls-tree`: mode, kind, hash and size, then a tab and the path. */
function blobOf(line: string, source: GitSource): readonly Blob[] {
  const [mode, kind, hash = "", size] = line.slice(0, line.indexOf("\t")).split(/ +/);
  const path = pathIn(line);
  const reason = nameProblem(path) ?? (mode === "120000" ? "it is a symbolic link" : undefined);
  if (reason !== undefined) throw invalid(source, reason, path);
  const isExecutable = mode === "100755";
  return kind === "blob" ? [{ hash, path, isExecutable, size: Number(size) }] : [];
}

function pathIn(line: string): string {
  return line.slice(line.indexOf("\t") + 1);
}

/** `cat-file --batch`: a line with hash, kind and size, the bytes, a line feed; in the order asked. */
function filesFrom(contents: Buffer, blobs: readonly Blob[]): readonly PackageFile[] {
  let at = 0;
  return blobs.map(({ path, isExecutable }) => {
    const end = contents.indexOf(10, at);
    const size = Number(contents.subarray(at, end).toString("latin1").split(" ")[2]);
    const content = contents.subarray(end + 1, end + 1 + size);
    at = end + 1 + size + 1;
    return { path, content, isExecutable };
  });
}

/** Nothing of the user's or the machine's set-up beyond what the connection needs. */
const SETTINGS = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
].flatMap(([key, value]) => ["-c", `${key}=${value}`]);

async function runGit(
  { text, url }: GitSource,
  args: readonly string[],
  run: ProgramRun,
  input?: string,
): Promise<Buffer> {
  const variables = {
    ...run.variables,
    GIT_DIR: run.cwd,
    GIT_ALLOW_PROTOCOL: "https:ssh",
    GIT_TERMINAL_PROMPT: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_ATTR_NOSYSTEM: "1",
    LC_ALL: "C",
  };
  const options = { ...run, variables, ...(input !== undefined && { input }) };
  const { code, stdout, stderr } = await runProgram("git", [...SETTINGS, ...args], options);
  if (code === 0) return stdout;
  if (code === undefined) {
    throw packageError("FETCH_FAILED", {
      source: text,
      reason: `git could not be run (${stderr})`,
    });
  }
  const reason = lastLine(stderr) || `git ended with ${code}`;
  const isMissing = /couldn't find remote ref|not our ref|not found|does not exist/i.test(stderr);
  throw packageError(isMissing ? "SOURCE_NOT_FOUND" : "FETCH_FAILED", {
    source: text,
    reason: `${reason} (${url})`,
  });
}

function lastLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => line.startsWith("fatal:")) ?? lines.at(-1) ?? "").slice(0, 300);
}

function invalid({ text }: GitSource, reason: string, entry?: string) {
  return packageError("PACKAGE_INVALID", {
    path: text,
    reason,
    ...(entry !== undefined && { entry }),
  });
}
