import { totalmem } from "node:os";
import { join } from "node:path";
import { hostError } from "../errors.ts";
import type { Extension, Instance } from "../extension.ts";
import type { Runtime } from "../runtime.ts";
import { coppiceHome } from "../storage/session-dir.ts";
import { verdictOn } from "./attribution.ts";
import { type Clock, systemClock } from "./clock.ts";
import { mapStack } from "./compile/index.ts";
import { sandboxError } from "./errors.ts";
import { GuestCalls } from "./guest-calls.ts";
import { GuestLink } from "./guest-link.ts";
import { type Death, type HostProcess, type LaunchPlan, StartFailure } from "./host-process.ts";
import { launchPlan } from "./launch.ts";
import { limitsOf, type SandboxLimits } from "./limits.ts";
import { compileGuest, type GuestPlan, runGuest, sendLoad } from "./load-guest.ts";
import { PackageLogs } from "./logs.ts";
import { MirrorSource } from "./mirror-source.ts";
import { PackageHealth } from "./package-health.ts";
import type { Frame, FromChild } from "./protocol.ts";
import { Settling } from "./settling.ts";
import { Supervisor } from "./supervisor.ts";
import { failureLine } from "./wire-errors.ts";

export interface SandboxOptions {
  readonly runtime: Runtime;
  /** Loads an extension again after a fault; its session goes on. */
  restart(extension: Extension): Promise<void>;
  readonly clock?: Clock;
  readonly limits?: Partial<SandboxLimits>;
  launch?(): Promise<LaunchPlan>;
}

/** A guest that is there, with all that belongs to this load of its package. */
interface Guest {
  readonly link: GuestLink;
  readonly calls: GuestCalls;
  readonly host: HostProcess;
  isLoading: boolean;
  /** Settles when the isolate is there. */
  readonly start: Settling;
}

/** Milliseconds that an isolate is kept for a command that is still running (extensions spec §1.5). */
const KEPT_MS = 30_000;

/** Runs the packages of third parties in isolates, as instances like any other. */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #source: MirrorSource;
  readonly #supervisor: Supervisor;
  readonly #health: PackageHealth;
  readonly logs = new PackageLogs();
  readonly #guests = new Map<number, Guest>();
  readonly #resting = new Map<string, () => void>();
  /** The guest that a fault has named before the death of its host. */
  readonly #named = new Map<HostProcess, number>();
  /** Guests that are gone by a fault; their host may tell more of them before it ends. */
  readonly #faulted = new Map<number, Guest>();
  #last = 0;
  #isClosed = false;

  constructor(options: SandboxOptions) {
    const { runtime, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    const known = limitsOf((key) => runtime.settings.get(key), totalmem());
    this.#limits = { ...known, ...options.limits };
    this.#source = new MirrorSource(runtime, this.#limits);
    this.#health = new PackageHealth(clock, this.#limits);
    this.#supervisor = new Supervisor({
      limits: this.#limits,
      clock,
      launch: options.launch ?? (() => this.#launchPlan()),
      frame: (frame) => this.#frame(frame),
      died: (host, death) => this.#died(host, death),
    });
  }

  /**
   * Compiles a package and makes its isolate; gives what runs it there. What it registers is held in
   * the instance until that is committed. Raises SANDBOX_UNAVAILABLE, EXTENSION_LOAD_FAILED,
   * EXTENSION_CRASHED.
   */
  async prepare(extension: Extension, instance: Instance): Promise<() => Promise<void>> {
    const { id } = extension;
    this.#resting.get(id)?.();
    this.#resting.delete(id);
    if (this.#health.stateOf(id) === "quarantined") throw crashed(id, "quarantined");
    const cache = join(coppiceHome(), "cache", "ext");
    const [compiled, host] = await Promise.all([compileGuest(extension, cache), this.#host(id)]);
    await this.#source.prepare();
    const cwd = this.#options.runtime.session.sessionManager.getCwd();
    const plan: GuestPlan = { extension, compiled, limits: this.#limits, cwd };
    const guest = this.#guest(plan, host, instance);
    await this.#open(guest, plan);
    return () => this.#run(guest, plan);
  }

  /** Ends all guests and their processes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#resting.values()) cancel();
    await this.#supervisor.close();
  }

  /** Something has happened in the session: guests learn of it without being asked anything. */
  changed(): void {
    this.#source.changed();
    for (const { link, isLoading } of this.#guests.values()) if (!isLoading) link.flush();
  }

  async #launchPlan(): Promise<LaunchPlan> {
    const { settings } = this.#options.runtime;
    if (settings.get("sandbox.enabled") === false) throw new StartFailure("disabled");
    const wrapper = settings.get("sandbox.wrapper");
    return launchPlan({
      jit: settings.get("sandbox.jit") === true,
      wrapper: Array.isArray(wrapper) ? (wrapper as readonly string[]) : [],
      platform: process.platform,
    });
  }

  async #host(id: string): Promise<HostProcess> {
    try {
      return await this.#supervisor.host(this.#isAlone(id) ? id : undefined);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      throw hostError("SANDBOX_UNAVAILABLE", { extension: id, missing: error.missing });
    }
  }

  /** Suspects, and packages that the user wants alone (setting `sandbox.solo`). */
  #isAlone(id: string): boolean {
    const solo = this.#options.runtime.settings.get("sandbox.solo");
    return this.#health.startsAlone(id) || (Array.isArray(solo) && solo.includes(id));
  }

  #guest({ extension, compiled }: GuestPlan, host: HostProcess, instance: Instance): Guest {
    const g = ++this.#last;
    const { runtime } = this.#options;
    const fileName = `ext:${extension.id}`;
    const link = new GuestLink({
      g,
      host,
      instance,
      runtime,
      limits: this.#limits,
      source: this.#source,
      mapStack: (stack) => mapStack(stack, { fileName, map: compiled.map }),
    });
    const calls = new GuestCalls(link);
    const guest: Guest = { link, calls, host, isLoading: true, start: new Settling() };
    this.#guests.set(g, guest);
    instance.scope.add(() => this.#end(guest));
    return guest;
  }

  async #open({ link, host, start }: Guest, plan: GuestPlan): Promise<void> {
    host.hold();
    try {
      await sendLoad(link, plan);
      await start.promise;
    } finally {
      host.release();
    }
  }

  async #run(guest: Guest, plan: GuestPlan): Promise<void> {
    const { link } = guest;
    try {
      await runGuest(link, plan);
    } finally {
      guest.isLoading = false;
    }
    this.#health.started(plan.extension.id);
    link.parts.instance.register(() => {
      link.activate();
      return () => undefined;
    });
  }

  /** The instance has ended; its isolate goes, unless a command of it is still running. */
  #end(guest: Guest): void {
    const { link } = guest;
    if (link.isGone) return;
    link.closeKeys(link.parts.instance);
    if (!isNeeded(guest)) {
      this.#dispose(guest, ended(guest));
      return;
    }
    const late = this.#clock.after(KEPT_MS, () => this.#dispose(guest, ended(guest)));
    link.onSettled = () => {
      if (isNeeded(guest)) return;
      late();
      this.#dispose(guest, ended(guest));
    };
  }

  #dispose(guest: Guest, error: Error): void {
    const { link } = guest;
    const { g } = link.parts;
    link.send({ t: "dispose", g });
    this.#guests.delete(g);
    link.close(error);
    guest.start.reject(error);
  }

  #frame({ header, body }: Frame<FromChild>): void {
    if (header.t === "fault") this.#name(header);
    const guest = "g" in header ? this.#guests.get(header.g) : undefined;
    if (!guest) return;
    switch (header.t) {
      case "started":
        guest.start.resolve();
        break;
      case "loadfail":
        guest.start.reject(this.#loadFailure(guest, body));
        break;
      case "post":
        if (header.kind === "log") this.#log(guest, String(header.a), body);
        else guest.calls.post(header, body);
        break;
      case "wait":
        guest.link.send({ t: "answer", g: header.g, id: header.id }, NOT_SERVED);
        break;
      case "uncaught":
        this.#log(guest, "error", body);
        break;
      case "fault":
        this.#fault(guest, header);
        break;
      default:
    }
  }

  /** What ends the whole host is told of a guest that may be gone already. */
  #name({ g, kind }: Extract<FromChild, { t: "fault" }>): void {
    const guest = this.#guests.get(g) ?? this.#faulted.get(g);
    if (guest && (kind === "wedged" || kind === "catastrophic")) this.#named.set(guest.host, g);
  }

  #fault(guest: Guest, { g, kind, limit }: Extract<FromChild, { t: "fault" }>): void {
    const { id } = guest.link.parts.instance.extension;
    this.#faulted.set(g, guest);
    this.#crash(guest, crashed(id, kind, limitWords(kind, limit)));
  }

  /** A guest is gone by its own fault: its instance ends, and it rests before it starts again. */
  #crash(guest: Guest, error: Error): void {
    const { extension } = guest.link.parts.instance;
    const delay = this.#health.fault(extension.id);
    this.#lose(guest, error, delay === undefined ? "it stays off" : `again in ${delay / 1000} s`);
    if (delay === undefined || this.#isClosed) return;
    const restart = () => {
      this.#resting.delete(extension.id);
      void this.#options.restart(extension);
    };
    this.#resting.set(extension.id, this.#clock.after(delay, restart));
  }

  #lose(guest: Guest, error: Error, next: string): void {
    const { instance, g } = guest.link.parts;
    const { id: extension, version } = instance.extension;
    const { isLoading } = guest;
    this.#guests.delete(g);
    guest.link.close(error);
    guest.start.reject(error);
    instance.end();
    if (isLoading) return;
    const message = `${failureLine(error)}; ${next}`;
    const where = "sandbox";
    this.#options.runtime.reports.add({
      code: "EXTENSION_CRASHED",
      extension,
      version,
      where,
      message,
    });
  }

  /** A host is gone, with every guest in it (sandbox spec §2.6). */
  #died(host: HostProcess, death: Death): void {
    const lost = [...this.#guests.values()].filter((guest) => guest.host === host);
    const named = this.#named.get(host);
    this.#named.delete(host);
    for (const [g, guest] of this.#faulted) if (guest.host === host) this.#faulted.delete(g);
    const standings = lost.map(({ link, isLoading }) => ({
      g: link.parts.g,
      isLoading,
      isAsked: link.invocations.size > 0,
    }));
    const { culprit, suspects } = verdictOn(death, standings, named);
    for (const guest of lost) {
      const { g, instance } = guest.link.parts;
      const { extension } = instance;
      const error = crashed(extension.id, death.kind ?? "host ended", death.reason);
      if (g === culprit) this.#crash(guest, error);
      else {
        if (suspects.includes(g)) this.#health.suspect(extension.id);
        this.#lose(guest, error, "again at once");
        void this.#options.restart(extension);
      }
    }
  }

  #loadFailure(guest: Guest, body: Uint8Array): Error {
    const { id: extension, entry } = guest.link.parts.instance.extension;
    const reason = failureLine(Buffer.from(body).toString("utf8"));
    return hostError("EXTENSION_LOAD_FAILED", { extension, entry, reason });
  }

  #log(guest: Guest, level: string, body: Uint8Array): void {
    const { id } = guest.link.parts.instance.extension;
    this.logs.add(id, level, Buffer.from(body).toString("utf8"));
  }
}

/** No member waits for the host yet. */
const NOT_SERVED = `!${JSON.stringify({ code: "NOT_SUPPORTED", message: "not served" })}`;

function isNeeded({ link, calls }: Guest): boolean {
  return link.hasCommand || calls.isBusy;
}

function ended(guest: Guest): Error {
  return hostError("STALE_CONTEXT", { member: guest.link.parts.instance.extension.id });
}

function crashed(extension: string, kind: string, limit?: string): Error {
  return sandboxError("EXTENSION_CRASHED", { extension, kind, ...(limit && { limit }) });
}

function limitWords(kind: string, limit: number): string {
  const units: Readonly<Record<string, string>> = {
    timeout: `computed for more than ${limit} ms`,
    stuck: `did not stop within ${limit} ms`,
    wedged: `did not stop within ${limit} ms`,
    oom: `more than ${limit} MB of memory`,
    catastrophic: `more than ${limit} MB of memory`,
    backlog: `more than ${limit} turns waiting`,
    flood: "sent more than it may",
  };
  return units[kind] ?? "";
}
