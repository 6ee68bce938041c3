import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isJsonObject, type JsonObject } from "../../core/index.ts";
import { cleanLine } from "../text/index.ts";
import { packageError } from "./errors.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import type { Source } from "./source.ts";

export type NpmRun = ProgramRun;

/** One version of the registry. */
export interface RegistryVersion {
  readonly name: string;
  readonly version: string;
  /** The registry's sha512 of the tarball. */
  readonly integrity: string;
}

/** A fetched tarball. */
export interface Fetched {
  readonly bytes: Uint8Array;
  readonly integrity: string;
}

type NpmSource = Extract<Source, { readonly kind: "npm" }>;

const QUIET: readonly string[] = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--loglevel=error",
  "--json",
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=1000",
];

/**
 * The version of the registry that a source means now. Raises SOURCE_NOT_FOUND,
 * REGISTRY_UNREACHABLE, FETCH_FAILED; INTEGRITY_MISMATCH where the registry has no sha512.
 */
export async function resolveVersion(source: NpmSource, run: NpmRun): Promise<RegistryVersion> {
  const wanted = `${source.name}@${source.wanted}`;
  const fields = ["name", "version", "dist.integrity"];
  const answer = await npmJson(["view", wanted, ...fields], source.text, run);
  const found = (Array.isArray(answer) ? answer : [answer]).filter(isJsonObject).at(-1);
  const { name, version, "dist.integrity": integrity } = found ?? {};
  if (typeof name !== "string" || typeof version !== "string") {
    const reason = `the registry has no version ${source.wanted} of ${source.name}`;
    throw packageError("SOURCE_NOT_FOUND", { source: source.text, reason });
  }
  if (typeof integrity === "string" && integrity.includes("sha512-")) {
    return { name, version, integrity: sha512Of(integrity) };
  }
  throw packageError("INTEGRITY_MISMATCH", {
    package: `${name}@${version}`,
    expected: "a sha512 of the registry",
    found: "none",
    source: source.text,
  });
}

/**
 * Fetches a tarball with `npm pack` into an empty folder; its sha512 equals the registry's, else
 * INTEGRITY_MISMATCH.
 */
export async function fetchTarball(
  { name, version, integrity }: RegistryVersion,
  run: NpmRun,
): Promise<Fetched> {
  const label = `${name}@${version}`;
  await npmJson(["pack", label, "--pack-destination", run.cwd], label, run);
  const file = readdirSync(run.cwd).find((found) => found.endsWith(".tgz"));
  if (file === undefined) {
    throw packageError("FETCH_FAILED", { source: label, reason: "npm pack wrote no tarball" });
  }
  const bytes = readFileSync(join(run.cwd, file));
  const found = integrityOf(bytes);
  if (found === integrity) return { bytes, integrity };
  throw packageError("INTEGRITY_MISMATCH", {
    package: label,
    expected: integrity,
    found,
    source: `npm:${label}`,
  });
}

/** A package that a search found. */
export interface SearchHit {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

/** Keywords by which packages for this API are published (extensions spec §5.1). */
const KEYWORDS = ["pi-package", "coppice-extension"] as const;

/** Packages of the registry with one of the keywords. Raises REGISTRY_UNREACHABLE. */
export async function searchRegistry(
  words: readonly string[],
  run: NpmRun,
): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  for (const keyword of KEYWORDS) {
    const query = [`keywords:${keyword}`, ...words].join(" ");
    const answer = await searchJson(["search", query, "--searchlimit=50"], run);
    hits.push(...(Array.isArray(answer) ? answer : []).filter(isJsonObject).flatMap(hitOf));
  }
  return [...new Map(hits.map((hit) => [hit.name, hit])).values()];
}

async function searchJson(args: readonly string[], run: NpmRun): Promise<unknown> {
  const source = "the search";
  try {
    return await npmJson(args, source, run);
  } catch (error) {
    if (errorCode(error) !== "SOURCE_NOT_FOUND") throw error;
    const reason = "this registry answers no searches";
    throw packageError("FETCH_FAILED", { source, reason }, error);
  }
}

function hitOf({ name, version, description, keywords }: JsonObject): readonly SearchHit[] {
  const isOurs = Array.isArray(keywords) && KEYWORDS.some((keyword) => keywords.includes(keyword));
  if (!isOurs || typeof name !== "string" || typeof version !== "string") return [];
  return [{ name, version, description: typeof description === "string" ? description : "" }];
}

/** The sha512 of a tarball, as registries write it. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

function sha512Of(integrity: string): string {
  return integrity.split(/\s+/).find((one) => one.startsWith("sha512-")) ?? integrity;
}

/** Runs npm and gives what it prints; `undefined` for nothing. */
export async function npmJson(
  args: readonly string[],
  source: string,
  run: NpmRun,
): Promise<unknown> {
  const { code, stdout, stderr } = await runProgram("npm", [...args, ...QUIET], run);
  if (code === undefined) {
    throw packageError("FETCH_FAILED", { source, reason: `npm could not be run (${stderr})` });
  }
  const answer = jsonOf(stdout.toString("utf8"));
  if (code === 0) return answer;
  throw npmFailure(answer, stderr, source);
}

function jsonOf(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

const UNREACHABLE =
  /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EOFFLINE|ENOTCACHED|FETCH_ERROR)\b/;

function npmFailure(answer: unknown, stderr: string, source: string) {
  const said = isJsonObject(answer) && isJsonObject(answer.error) ? answer.error : {};
  const { code: given, summary, detail } = said as Readonly<Record<string, unknown>>;
  const code = typeof given === "string" ? given : (/\bcode (E\w+)/.exec(stderr)?.[1] ?? "");
  const all = [summary, stderr, detail].filter((text) => typeof text === "string").join(" ");
  const reason = reasonOf(typeof summary === "string" ? summary : stderr) || code || "npm failed";
  const unreachable = UNREACHABLE.exec(`${code} ${all}`)?.[0];
  if (unreachable !== undefined) {
    return packageError("REGISTRY_UNREACHABLE", { host: hostIn(all), reason: unreachable });
  }
  if (code === "EINTEGRITY") return integrityFailure(all, source);
  if (code === "E404" || code === "ETARGET") {
    return packageError("SOURCE_NOT_FOUND", { source, reason });
  }
  return packageError("FETCH_FAILED", { source, reason });
}

function integrityFailure(text: string, source: string) {
  const hashes = text.match(/sha512-[A-Za-z0-9+/=]+/g) ?? [];
  const [expected = "the registry's sha512", found = "another"] = hashes;
  return packageError("INTEGRITY_MISMATCH", { package: source, expected, found, source });
}

function hostIn(text: string): string {
  return /https?:\/\/([^/\s]+)/.exec(text)?.[1] ?? "npm is set up for";
}

function reasonOf(text: string): string {
  const [line = ""] = text
    .split("\n")
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*(?:code \w+)?/, "").trim())
    .filter((line) => line !== "");
  return cleanLine(line).slice(0, 300);
}
