import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { errorCode } from "../../core/index.ts";

/** A process as others on this host see it. */
export interface ProcessState {
  readonly isAlive: boolean;
  /** When it started, as the system tells it; `undefined` where that cannot be found out. */
  readonly start?: string | undefined;
}

/** This host and its present boot. */
export interface HostIdentity {
  readonly host: string;
  /** Time of the boot, milliseconds since the epoch; exact to seconds. */
  readonly boot: number;
  /** What the system calls this boot, where it does. */
  readonly bootId?: string | undefined;
  /** Processes of different spaces (containers) cannot see each other's ids; Linux only. */
  readonly space?: string | undefined;
}

/** Whether a process exists and when it started. A process that has ended but was not collected is not alive. */
export function processState(pid: number): ProcessState {
  if (!exists(pid)) return { isAlive: false };
  if (process.platform === "linux") return linuxState(pid);
  if (process.platform === "win32") return { isAlive: true };
  const { status, stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
  });
  return { isAlive: true, start: status === 0 ? stdout.trim() || undefined : undefined };
}

export function hostIdentity(now: number): HostIdentity {
  const boot = Math.round(now / 1000 - uptime()) * 1000;
  const isLinux = process.platform === "linux";
  return {
    host: hostname(),
    boot,
    bootId: isLinux ? readIfThere("/proc/sys/kernel/random/boot_id")?.trim() : undefined,
    space: isLinux ? ifThere(() => readlinkSync("/proc/self/ns/pid")) : undefined,
  };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

/** Fields 3 (state) and 22 (start in clock ticks since the boot) of `/proc/<pid>/stat`. */
function linuxState(pid: number): ProcessState {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return { isAlive: true };
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = ""] = fields;
  return { isAlive: !"ZX".includes(state), start: fields[19] };
}

function readIfThere(path: string): string | undefined {
  return ifThere(() => readFileSync(path, "utf8"));
}

function ifThere(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
