import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionManager } from "../core/index.ts";
import { openSession } from "../host/storage/sessions.ts";

const CASES = fileURLToPath(new URL("./cases/sessions/", import.meta.url));

/** What the specification makes of a case; see the README beside the cases. */
export type Expected = Readonly<Record<string, unknown>> & {
  readonly about: string;
  readonly opens: string;
};

export interface Case {
  readonly name: string;
  readonly expected: Expected;
  /** A fresh copy of the file in a folder of its own. */
  copy(): string;
}

/** All cases, by their folder. */
export function allCases(): readonly Case[] {
  return readdirSync(CASES)
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => caseNamed(file.slice(0, -".jsonl".length)));
}

export function caseNamed(name: string): Case {
  const expected = JSON.parse(readFileSync(join(CASES, `${name}.expected.json`), "utf8"));
  return { name, expected, copy: () => copyInto(name) };
}

export function namesOfExpectations(): readonly string[] {
  return readdirSync(CASES)
    .filter((file) => file.endsWith(".expected.json"))
    .map((file) => file.slice(0, -".expected.json".length));
}

/** Opens a fresh copy for reading, or for writing. */
export async function openCopy(
  one: Case,
  mode: "read" | "write" = "write",
): Promise<{ readonly path: string; readonly session: SessionManager }> {
  const path = one.copy();
  return { path, session: await openSession(path, { mode }) };
}

export function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function copyInto(name: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "coppice-case-")), `${name}.jsonl`);
  copyFileSync(join(CASES, `${name}.jsonl`), path);
  return path;
}
