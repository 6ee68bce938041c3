import { spawn } from "node:child_process";
import { errorCode, errorMessage } from "../../core/index.ts";
import type { Variables } from "../storage/session-dir.ts";

export interface ProgramRun {
  readonly cwd: string;
  readonly variables: Variables;
  readonly signal?: AbortSignal | undefined;
  /** Bytes for its stdin. */
  readonly input?: string;
}

export interface ProgramEnd {
  /** `undefined` if the program could not be started. */
  readonly code: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Runs a program without a shell and waits for its end. Ends it, and raises the signal's reason, when
 * the signal is aborted.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, variables, signal, input }: ProgramRun,
): Promise<ProgramEnd> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    // A group of its own: what the program starts ends with it.
    const child = spawn(program, args, { cwd, env: { ...variables }, detached: true });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (bytes: Buffer) => stdout.push(bytes));
    child.stderr.on("data", (bytes: Buffer) => stderr.push(bytes));
    const abort = () => endGroup(child.pid);
    signal?.addEventListener("abort", abort, { once: true });
    const settle = (end: ProgramEnd) => {
      signal?.removeEventListener("abort", abort);
      if (signal?.aborted) reject(signal.reason);
      else resolve(end);
    };
    const texts = () => ({
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr).toString("utf8"),
    });
    child.on("error", (error) => {
      settle({ code: undefined, stdout: Buffer.alloc(0), stderr: errorMessage(error) });
    });
    child.on("close", (code) => settle({ code: code ?? 1, ...texts() }));
    // A program that does not read its input to the end has a reason of its own to fail.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGTERM");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
