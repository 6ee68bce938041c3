import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Whether Node's permission model is in force in this process. */
export function isWalled(): boolean {
  return (process as { permission?: unknown }).permission !== undefined;
}

/** What the permission model lets through that it must not, in words; empty if it holds. */
export function openDoors(): string {
  if (!isWalled()) return "";
  const open: string[] = [];
  for (const [name, attempt] of ATTEMPTS) if (!isDenied(attempt)) open.push(name);
  return open.join(", ");
}

const ATTEMPTS: readonly (readonly [string, () => unknown])[] = [
  ["files", () => readFileSync("/etc/passwd")],
  ["child processes", () => spawnSync(process.execPath, ["-e", "0"])],
  ["workers", () => new Worker("0", { eval: true })],
];

function isDenied(attempt: () => unknown): boolean {
  try {
    attempt();
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === "ERR_ACCESS_DENIED";
  }
}
