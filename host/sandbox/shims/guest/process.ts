import type { GuestSettings } from "../settings.ts";
import EventEmitter from "./events.ts";
import { complete, unsupportedMember } from "./unsupported.ts";

declare const settings: GuestSettings;

const started = settings.now();

/** Where `process.stdout` and `stderr` go: lines of the package's log, never the screen. */
class LogStream extends EventEmitter {
  readonly isTTY = false;
  readonly writable = true;
  readonly fd: number;
  readonly #level: "info" | "error";
  #rest = "";

  constructor(fd: number, level: "info" | "error") {
    super();
    this.fd = fd;
    this.#level = level;
  }

  get columns(): number {
    return settings.columns;
  }

  get rows(): number {
    return settings.rows;
  }

  write(data: unknown, ...rest: unknown[]): boolean {
    const lines = (this.#rest + String(data)).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) settings.log(this.#level, line);
    const done = rest.find((argument) => typeof argument === "function") as
      | (() => void)
      | undefined;
    if (done) queueMicrotask(done);
    return true;
  }

  end(data?: unknown): this {
    if (data !== undefined) this.write(data);
    return this;
  }

  getColorDepth(): number {
    return 1;
  }

  hasColors(): boolean {
    return false;
  }
}

function hrtime(before: readonly [number, number] = [0, 0]): [number, number] {
  const ms = settings.now() - started;
  const seconds = Math.floor(ms / 1000) - before[0];
  const nanoseconds = (ms % 1000) * 1e6 - before[1];
  return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
}
hrtime.bigint = () => BigInt(settings.now() - started) * 1_000_000n;

const refuse = (member: string) =>
  unsupportedMember(`process.${member}`) as (...args: unknown[]) => never;

/** Handlers of signals and of the end of the process are accepted and never called. */
class Process extends EventEmitter {
  readonly title = "coppice";
  readonly pid = 1;
  readonly ppid = 0;
  readonly argv = ["node", "coppice"];
  readonly argv0 = "node";
  readonly execArgv: readonly string[] = [];
  readonly execPath = "/node";
  readonly platform = settings.platform;
  readonly arch = settings.arch;
  readonly version = settings.nodeVersion;
  readonly versions = { node: settings.nodeVersion.slice(1), coppice: settings.coppiceVersion };
  readonly release = { name: "node" };
  readonly features = {};
  readonly config = { target_defaults: {}, variables: {} };
  readonly env = settings.env;
  readonly stdout = new LogStream(1, "info");
  readonly stderr = new LogStream(2, "error");
  readonly stdin = complete("process.stdin", { isTTY: false, fd: 0 });
  exitCode: number | undefined = undefined;
  readonly hrtime = hrtime;
  readonly exit = refuse("exit");
  readonly abort = refuse("abort");
  readonly chdir = refuse("chdir");
  readonly kill = refuse("kill");
  readonly dlopen = refuse("dlopen");

  cwd(): string {
    return settings.cwd;
  }

  nextTick(run: (...args: unknown[]) => void, ...args: unknown[]): void {
    queueMicrotask(() => run(...args));
  }

  uptime(): number {
    return (settings.now() - started) / 1000;
  }

  memoryUsage() {
    return { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 };
  }

  cpuUsage() {
    return { user: 0, system: 0 };
  }

  umask(): number {
    return 0o22;
  }

  getuid(): number {
    return 1000;
  }

  emitWarning(warning: unknown): void {
    settings.log("warn", String(warning));
  }
}

export default new Process();
