import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { errorMessage } from "../../core/index.ts";
import type { Clock } from "./clock.ts";
import { FramePump } from "./frame-pump.ts";
import type { SandboxLimits } from "./limits.ts";
import {
  type EnginePlace,
  encodeFrame,
  type FaultKind,
  type Frame,
  FrameReader,
  type FromChild,
  fromChild,
  type GuestFigures,
  type ToChild,
} from "./protocol.ts";

export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly engine: EnginePlace;
  /** Whether the permission model must be in force. */
  readonly walled: boolean;
  /** Whether `command` is the extension host itself, so that its pid tells its memory. */
  readonly isDirect: boolean;
}

export type Ready = Extract<FromChild, { t: "ready" }>;

/** Why an extension host is gone. */
export interface Death {
  /** What the supervisor ended it for; absent if it ended by itself. */
  readonly kind?: FaultKind;
  readonly reason: string;
  readonly figures: readonly GuestFigures[];
  readonly earlier: readonly GuestFigures[];
}

export interface HostEvents {
  frame(frame: Frame<FromChild>): void;
  died(death: Death): void;
}

export interface HostParts {
  readonly plan: LaunchPlan;
  readonly limits: SandboxLimits;
  readonly clock: Clock;
  readonly events: HostEvents;
}

const STDERR_BYTES = 4096;

/** One extension host process: its channel, its pulse and its end (sandbox spec §2.2, §2.4). */
export class HostProcess {
  readonly #parts: HostParts;
  readonly #child: ChildProcess;
  readonly #channel: Socket;
  readonly #pump: FramePump;
  readonly #reader = new FrameReader(fromChild);
  readonly #started: Promise<Ready>;
  #settleStart: (outcome: Ready | string) => void = () => undefined;
  #stderr = "";
  #kind: FaultKind | undefined;
  #reason = "";
  #isGone = false;
  #holds = 0;
  #pings = 0;
  #pongs = 0;
  #cancelPing: () => void = () => undefined;
  #cancelSilence: () => void = () => undefined;
  #figures: readonly GuestFigures[] = [];
  #earlier: readonly GuestFigures[] = [];

  constructor(parts: HostParts) {
    this.#parts = parts;
    const { plan, limits } = parts;
    this.#child = spawn(plan.command, [...plan.args], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    this.#channel = this.#child.stdio[3] as Socket;
    this.#pump = new FramePump({
      stretchMs: limits.stretchMs,
      handle: (frame) => parts.events.frame(frame),
      pause: (isPaused) => (isPaused ? this.#channel.pause() : this.#channel.resume()),
    });
    this.#started = new Promise((resolve, reject) => {
      this.#settleStart = (outcome) =>
        typeof outcome === "string" ? reject(new StartFailure(outcome)) : resolve(outcome);
    });
    void this.#started.catch(() => this.kill(undefined, "it did not start"));
    this.#listen();
    const { engine } = plan;
    this.send({ t: "hello", limits, engine });
    const late = parts.clock.after(limits.readyMs, () => this.#settleStart("selftest"));
    void this.#started.then(late, late);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** What the process says of itself. Rejects with a {@link StartFailure}. */
  get started(): Promise<Ready> {
    return this.#started;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Figures of the last pong. */
  get figures(): readonly GuestFigures[] {
    return this.#figures;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Bytes that the channel has not taken. */
  get unsent(): number {
    return this.#channel.writableLength;
  }

  send(header: ToChild, body: string | Uint8Array = ""): void {
    if (!this.#isGone) this.#channel.write(encodeFrame(header, body));
  }

  /** Something waits for this host: the program stays awake, and the pulse is quick. */
  hold(): void {
    if (this.#holds++ > 0 || this.#isGone) return;
    this.#child.ref();
    this.#channel.ref();
    this.#pulse(this.#parts.limits.pingMs);
  }

  release(): void {
    if (--this.#holds > 0) return;
    this.#letGo();
    // Timers may be left that the last pong did not tell: the next one says how quick the pulse is.
    if (!this.#isGone) this.#pulse(this.#parts.limits.pingMs);
  }

  /** Ends the process. There is nothing in it to be saved. */
  kill(kind: FaultKind | undefined, reason: string): void {
    if (this.#isGone) return;
    this.#kind ??= kind;
    this.#reason ||= reason;
    this.#child.kill("SIGKILL");
  }

  #listen(): void {
    const end = () => this.#ended();
    this.#child.on("error", (error) => {
      this.#reason ||= errorMessage(error);
      this.#settleStart(this.#parts.plan.isDirect ? "node" : "wrapper");
      end();
    });
    this.#child.on("close", end);
    this.#channel.on("data", (chunk: Buffer) => this.#received(chunk));
    // A broken channel is the end of the process, which is told by its exit.
    this.#channel.on("error", (error) => this.kill(undefined, errorMessage(error)));
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-STDERR_BYTES);
    });
    this.#letGo();
  }

  #letGo(): void {
    this.#child.unref();
    this.#channel.unref();
    (this.#child.stderr as Socket | null)?.unref();
    if (!this.#isGone) this.#pulse(this.#parts.limits.idlePingMs);
  }

  #received(chunk: Buffer): void {
    if (this.#isGone) return;
    try {
      for (const frame of this.#reader.push(chunk)) this.#take(frame);
    } catch (error) {
      this.kill("protocol", errorMessage(error));
    }
  }

  #take(frame: Frame<FromChild>): void {
    const { header } = frame;
    if (header.t === "pong") this.#pong(header);
    else if (header.t === "unready") this.#settleStart(header.missing);
    else if (header.t === "ready") this.#ready(header);
    else this.#pump.add(header.g, frame);
  }

  #ready(ready: Ready): void {
    const { walled } = this.#parts.plan;
    const isWell = ready.open === "" && (ready.walled || !walled);
    this.#settleStart(isWell ? ready : "selftest");
  }

  #pulse(ms: number): void {
    this.#cancelPing();
    this.#cancelPing = this.#parts.clock.after(ms, () => this.#ping());
  }

  #ping(): void {
    if (this.#isGone) return;
    this.#checkMemory();
    this.send({ t: "ping", n: ++this.#pings });
    this.#cancelSilence();
    const { silenceMs } = this.#parts.limits;
    const silent = () => this.kill("unresponsive", `no sign of life for ${silenceMs} ms`);
    this.#cancelSilence = this.#parts.clock.after(silenceMs, silent);
  }

  #pong({ n, rss, guests }: Extract<FromChild, { t: "pong" }>): void {
    if (n !== this.#pings || n === this.#pongs) return;
    this.#pongs = n;
    this.#cancelSilence();
    this.#earlier = this.#figures;
    this.#figures = guests;
    if (!this.#parts.plan.isDirect || process.platform !== "linux") this.#weigh(rss);
    const { pingMs, idlePingMs } = this.#parts.limits;
    const isBusy = this.#holds > 0 || guests.some(hasWork);
    this.#pulse(isBusy ? pingMs : idlePingMs);
  }

  #checkMemory(): void {
    const { isDirect } = this.#parts.plan;
    if (isDirect && process.platform === "linux") this.#weigh(residentBytes(this.pid));
  }

  #weigh(rss: number): void {
    const { hostMemoryMb } = this.#parts.limits;
    const mb = Math.round(rss / 1024 / 1024);
    if (mb > hostMemoryMb) this.kill("rss", `${mb} MB of memory, at most ${hostMemoryMb}`);
  }

  #ended(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cancelPing();
    this.#cancelSilence();
    this.#settleStart("selftest");
    const [kind, figures, earlier] = [this.#kind, this.#figures, this.#earlier];
    const { exitCode, signalCode } = this.#child;
    const reason = this.#reason || `it ended by itself (${signalCode ?? exitCode})`;
    // What it sent before its end is read first: a fault among it names the culprit.
    this.#pump.whenEmpty(() => {
      this.#channel.destroy();
      this.#parts.events.died({ reason, figures, earlier, ...(kind && { kind }) });
    });
  }
}

/** An extension host that could not be used; `missing` as of SANDBOX_UNAVAILABLE. */
export class StartFailure {
  readonly missing: string;

  constructor(missing: string) {
    this.missing = missing;
  }
}

function hasWork({ busy, queue, timers }: GuestFigures): boolean {
  return busy || queue > 0 || timers > 0;
}

/** Resident memory of a process in bytes, from the kernel; 0 if it is gone. */
function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  } catch (error) {
    void error;
    return 0;
  }
}
