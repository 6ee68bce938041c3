import { createHash } from "node:crypto";
import fs from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Environment, errorCode, isJsonObject, type JsonObject } from "../../core/index.ts";
import { realPath } from "../storage/session-dir.ts";
import { holdLock } from "./hold-lock.ts";
import type { Places } from "./places.ts";
import { readObject, writeObject } from "./state-file.ts";

/** What a person decides about a project (extensions spec §5.6). */
export type TrustDecision = "version" | "folder" | "never";

/** How far what a project brings is heard. */
export interface ProjectTrust {
  /** Real path of the project. */
  readonly root: string;
  /** What it brings to be loaded, relative to it. */
  readonly brings: readonly string[];
  readonly isTrusted: boolean;
  readonly state: "nothing" | "unknown" | "changed" | "trusted" | "never" | "this run";
  /** Files that differ from what was trusted. */
  readonly changed: readonly string[];
  /** True if trusted while it is worked on: changes are announced, not asked. */
  readonly isFolder: boolean;
  /** STATE_INVALID where the user's record could not be read. */
  readonly problem?: unknown;
}

export interface TrustOptions {
  readonly places: Places;
  readonly cwd: string;
  /** `--approve`, `--no-approve`: for this run only. */
  readonly approve?: boolean | undefined;
}

type Hashes = Readonly<Record<string, string>>;

interface TrustRecord {
  readonly decision: TrustDecision;
  readonly hash: string;
  readonly files: Hashes;
  readonly time: number;
}

/** Reads whether a project is trusted. Runs nothing, asks nothing, writes nothing. */
export function projectTrust({ places, cwd, approve }: TrustOptions): ProjectTrust {
  const root = realPath(cwd);
  const brings = broughtBy(root, places);
  const base = { root, brings, changed: [], isFolder: false };
  if (brings.length === 0) return { ...base, isTrusted: false, state: "nothing" };
  if (approve !== undefined) return { ...base, isTrusted: approve, state: "this run" };
  const { records, problem } = readRecords(places);
  const record = records[root];
  const found = { ...base, ...(problem !== undefined && { problem }) };
  if (!record) return { ...found, isTrusted: false, state: "unknown" };
  if (record.decision === "never") return { ...found, isTrusted: false, state: "never" };
  const changed = differences(record.files, hashesOf(root));
  const isFolder = record.decision === "folder";
  const isTrusted = isFolder || changed.length === 0;
  return { ...found, isTrusted, isFolder, changed, state: isTrusted ? "trusted" : "changed" };
}

/** Stores a decision of the user, or with `undefined` forgets it. Raises STATE_WRITE_FAILED. */
export async function decideTrust(
  { places, cwd }: TrustOptions,
  decision: TrustDecision | undefined,
  env: Environment,
): Promise<void> {
  const root = realPath(cwd);
  const files = hashesOf(root);
  const hash = hashOf(files);
  await changeRecords(places, env, (records) => {
    const { [root]: _, ...others } = records;
    if (decision === undefined) return others;
    return { ...others, [root]: { decision, hash, files, time: env.now() } };
  });
}

/** What coppice itself has written in a trusted project is trusted with it (extensions spec §5.6). */
export async function keepTrust(options: TrustOptions, env: Environment): Promise<void> {
  const decision = readRecords(options.places).records[realPath(options.cwd)]?.decision;
  if (decision !== undefined) await decideTrust(options, decision, env);
}

/** Paths below a project that hold what it brings to be loaded. */
function broughtBy(root: string, places: Places): readonly string[] {
  // In the folder that holds it, the user's own state is nothing of a project.
  if (realPath(join(root, ".coppice")) === realPath(places.home)) return [];
  return [".coppice/settings.json", ".coppice/extensions"].filter((path) =>
    fs.existsSync(join(root, path)),
  );
}

/** The settings file of a project; one that cannot be read says nothing. */
function projectSettings(root: string): JsonObject {
  try {
    return readObject(join(root, ".coppice", "settings.json")) ?? {};
  } catch (error) {
    if (errorCode(error) !== "STATE_INVALID") throw error;
    return {};
  }
}

/** Packages and paths that a project's settings name. */
export function projectSources(root: string): readonly string[] {
  const { extensions } = projectSettings(root);
  if (!Array.isArray(extensions)) return [];
  return extensions.filter((source) => typeof source === "string");
}

/** Names and contents of all that counts as the version of a project (extensions spec §5.6). */
function hashesOf(root: string): Hashes {
  const paths = projectSources(root)
    .filter((source) => /^\.{0,2}\//.test(source))
    .map((source) => relative(root, resolve(root, source)));
  const all = [".coppice/settings.json", ".coppice/extensions", ...paths];
  return Object.fromEntries(all.flatMap((path) => hashesBelow(root, path)));
}

function hashesBelow(root: string, path: string): readonly (readonly [string, string])[] {
  const full = join(root, path);
  const stats = fs.lstatSync(full, { throwIfNoEntry: false });
  if (!stats) return [];
  if (stats.isDirectory()) {
    return fs
      .readdirSync(full)
      .sort()
      .flatMap((name) => hashesBelow(root, join(path, name)));
  }
  return [[path, stats.isSymbolicLink() ? linkHash(full) : fileHash(full, stats)]];
}

/** Where a link leads is part of the version, and what lies there too. */
function linkHash(path: string): string {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  const content = stats?.isFile() ? fileHash(path, stats) : "";
  return sha256(`${fs.readlinkSync(path)}\0${content}`);
}

function fileHash(path: string, stats: fs.Stats): string {
  return stats.isFile() ? sha256(fs.readFileSync(path)) : "no plain file";
}

function hashOf(files: Hashes): string {
  const lines = Object.entries(files).map(([path, hash]) => `${path}\0${hash}\n`);
  return sha256(lines.sort().join(""));
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function differences(before: Hashes, now: Hashes): readonly string[] {
  const all = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...all].filter((path) => before[path] !== now[path]).sort();
}

interface Records {
  readonly records: Readonly<Record<string, TrustRecord>>;
  readonly problem?: unknown;
}

function readRecords(places: Places): Records {
  try {
    const { projects } =
      readObject(places.trustFile, "no project is trusted until it is removed") ?? {};
    if (!isJsonObject(projects)) return { records: {} };
    const fit = Object.entries(projects).filter(([, record]) => isRecord(record));
    return { records: Object.fromEntries(fit) as Records["records"] };
  } catch (problem) {
    if (errorCode(problem) !== "STATE_INVALID") throw problem;
    return { records: {}, problem };
  }
}

function isRecord(value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(value.files)) return false;
  return ["version", "folder", "never"].includes(value.decision as string);
}

async function changeRecords(
  places: Places,
  env: Environment,
  change: (records: Records["records"]) => Records["records"],
): Promise<void> {
  const release = await holdLock(places.trustFile, env);
  try {
    const { records, problem } = readRecords(places);
    if (problem) throw problem;
    writeObject(places.trustFile, { version: 1, projects: change(records) }, env);
  } finally {
    release();
  }
}
