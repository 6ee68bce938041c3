import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentMessage, Environment } from "../../../core/index.ts";
import { type Disk, nodeDisk } from "../../../host/storage/disk.ts";
import type { Variables } from "../../../host/storage/session-dir.ts";

/** A home folder of its own, and a project in it. */
export interface World {
  readonly root: string;
  readonly project: string;
  readonly variables: Variables;
  /** Writes a file below the root and gives its path; lists are lines with line feeds. */
  file(name: string, content: string | Uint8Array | readonly string[]): string;
}

export function world(): World {
  const root = mkdtempSync(join(tmpdir(), "coppice-storage-"));
  const project = join(root, "work", "app");
  mkdirSync(project, { recursive: true });
  return {
    root,
    project,
    variables: { HOME: root, COPPICE_HOME: join(root, ".coppice") },
    file: (name, content) => {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      const isLines = typeof content !== "string" && !(content instanceof Uint8Array);
      writeFileSync(path, isLines ? content.map((line) => `${line}\n`).join("") : content);
      return path;
    },
  };
}

/** A clock that ticks a second a look, and random bytes that count. */
export function countingEnvironment(): Environment {
  let ticks = 0;
  let count = 0;
  return {
    now: () => Date.UTC(2026, 2, 1, 9) + 1000 * ticks++,
    randomBytes: (length) => {
      count++;
      return Uint8Array.from({ length }, (_, i) => (count >> (8 * (length - 1 - i))) & 0xff);
    },
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
  };
}

/** The real disk with some operations replaced. */
export function diskWith(replaced: Partial<Disk>): Disk {
  return { ...nodeDisk, ...replaced };
}

export const HEADER = json({
  type: "session",
  version: 3,
  id: "s-1",
  timestamp: "2026-03-01T09:00:00.000Z",
  cwd: "/p",
});

const AT = { timestamp: "2026-03-01T09:00:01.000Z" };

export function user(id: string, parentId: string | null, content: string, more = {}): string {
  return json({ type: "message", id, parentId, ...AT, message: userMessage(content), ...more });
}

export function assistant(id: string, parentId: string | null, text: string): string {
  return json({ type: "message", id, parentId, ...AT, message: assistantMessage(text) });
}

export function userMessage(content: string): AgentMessage {
  return { role: "user", content, timestamp: 1 };
}

export function assistantMessage(text: string): AgentMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "x",
    provider: "acme",
    model: "m1",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost },
    stopReason: "stop",
    timestamp: 2,
  };
}

export function json(value: object): string {
  return JSON.stringify(value);
}

export function textOf(path: string): string {
  return readFileSync(path, "utf8");
}

export function linesIn(path: string): string[] {
  return textOf(path).split("\n").slice(0, -1);
}
