import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The built program. */
export const BIN = fileURLToPath(new URL("../../dist/tui/main.js", import.meta.url));
const CASES = fileURLToPath(new URL("../cases/sessions/", import.meta.url));

type Variables = Readonly<Record<string, string | undefined>>;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Waits until stderr holds a text. */
  said(text: string): Promise<void>;
  /** Closes our end of its stdout. */
  hangUp(): void;
  readonly ended: Promise<Ended>;
}

/** A user with an empty home and a project folder; gone with the test. */
export interface World {
  readonly home: string;
  readonly project: string;
  /** Runs the program in the project. */
  coppice(...args: readonly string[]): Promise<Ended>;
  /** The same with more of an environment, to be waited for later. */
  start(args: readonly string[], env?: Variables): Running;
  /** A copy of a case of the session format, or of another file, in the project. */
  copyOf(nameOrPath: string): string;
  /** Every stored file by its hash, and every folder; what is disposable left out. */
  hashes(): Readonly<Record<string, string>>;
  /** The session files below the home. */
  sessions(): readonly string[];
}

export function world(env: Variables = {}): World {
  const root = mkdtempSync(join(tmpdir(), "coppice-cli-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, "home", ".coppice");
  const project = join(root, "project");
  mkdirSync(join(root, "home"));
  mkdirSync(project);
  const base = { PATH: process.env.PATH, HOME: dirname(home), COPPICE_HOME: home, TZ: "UTC" };
  const start = (args: readonly string[], more: Variables = {}): Running =>
    run(args, project, { ...base, ...env, ...more });
  return {
    home,
    project,
    start,
    coppice: (...args) => start(args).ended,
    copyOf(nameOrPath) {
      const isCase = existsSync(join(CASES, `${nameOrPath}.jsonl`));
      const source = isCase ? join(CASES, `${nameOrPath}.jsonl`) : nameOrPath;
      const copy = join(project, isCase ? `${nameOrPath}.jsonl` : "copy.jsonl");
      cpSync(source, copy);
      return copy;
    },
    hashes: () => hashesBelow(root),
    sessions: () => filesBelow(join(home, "sessions")).filter((file) => file.endsWith(".jsonl")),
  };
}

/** The records of a session file, the header first, as tests look into them freely. */
export function records(file: string) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function run(args: readonly string[], cwd: string, env: Variables): Running {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: { ...env } });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  child.stdin.end();
  return {
    pid: child.pid as number,
    kill: (signal) => void child.kill(signal),
    said: (text) =>
      new Promise((resolve) => {
        const look = () => texts.stderr.includes(text) && resolve();
        child.stderr.on("data", look);
        look();
      }),
    hangUp: () => void child.stdout.destroy(),
    ended: new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, ...texts }));
    }),
  };
}

function filesBelow(folder: string): readonly string[] {
  return Object.entries(hashesBelow(folder)).flatMap(([path, hash]) => (hash ? [path] : []));
}

function hashesBelow(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {};
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
    .filter(({ path }) => !path.includes(join(".coppice", "cache")) && !path.endsWith(".coppice"))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return Object.fromEntries(found.map(({ path, isFile }) => [path, isFile ? hash(path) : ""]));
}

function hash(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
