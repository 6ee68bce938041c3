import type { Clock } from "./clock.ts";
import { type Death, HostProcess, type LaunchPlan, StartFailure } from "./host-process.ts";
import type { SandboxLimits } from "./limits.ts";
import type { Frame, FromChild } from "./protocol.ts";

export interface SupervisorParts {
  readonly limits: SandboxLimits;
  readonly clock: Clock;
  launch(): Promise<LaunchPlan>;
  frame(frame: Frame<FromChild>): void;
  died(host: HostProcess, death: Death): void;
}

/**
 * Starts extension hosts when the first package needs one, and ends them: the common one, and one for
 * each package that must run alone (sandbox spec §2.1, §2.6).
 */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #hosts = new Map<string, Promise<HostProcess>>();
  /** Hosts of one package each, by its id. */
  readonly #alone = new Map<string, HostProcess>();
  /** When the common host and each other one has died, by the name of the host. */
  readonly #deaths = new Map<string, readonly number[]>();
  readonly #ended = new WeakSet<HostProcess>();
  readonly #resting = new Set<() => void>();
  #isClosed = false;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  /** A running host; `alone` names the package that has it for itself. Rejects with StartFailure. */
  host(alone?: string): Promise<HostProcess> {
    const name = alone ?? "";
    const known = this.#hosts.get(name);
    if (known) return known;
    const starting: Promise<HostProcess> = this.#start(name, () => starting);
    this.#hosts.set(name, starting);
    starting.catch(() => {
      if (this.#hosts.get(name) === starting) this.#hosts.delete(name);
    });
    return starting;
  }

  /** The running host that a package has for itself. */
  alone(id: string): HostProcess | undefined {
    return this.#alone.get(id);
  }

  /** Ends the host that a package has for itself: nobody needs it, and it is no death. */
  endAlone(id: string): void {
    const host = this.#alone.get(id);
    if (!host) return;
    this.#alone.delete(id);
    this.#hosts.delete(id);
    this.#ended.add(host);
    host.kill(undefined, "its package has ended");
  }

  /** Forgets earlier deaths: hosts start again, and at once. */
  reset(): void {
    this.#deaths.clear();
  }

  /** Ends every host; none is started any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#resting) wake();
    const hosts = await Promise.allSettled(this.#hosts.values());
    for (const host of hosts) {
      if (host.status === "fulfilled") host.value.kill(undefined, "the program ends");
    }
    this.#hosts.clear();
  }

  async #start(name: string, started: () => Promise<HostProcess>): Promise<HostProcess> {
    const { limits, clock } = this.#parts;
    await this.#rest(name);
    if (this.#isClosed) throw new StartFailure("closed");
    const plan = await this.#parts.launch();
    if (this.#isClosed) throw new StartFailure("closed");
    const host: HostProcess = new HostProcess({
      plan,
      limits,
      clock,
      events: {
        frame: (frame) => this.#parts.frame(frame),
        died: (death) => this.#died(name, started(), host, death),
      },
    });
    host.hold();
    try {
      await host.started;
    } finally {
      host.release();
    }
    if (name !== "" && !host.isGone) this.#alone.set(name, host);
    return host;
  }

  /** After deaths the next host waits; after too many there is none (sandbox spec §2.6). */
  async #rest(name: string): Promise<void> {
    const { limits, clock } = this.#parts;
    const known = this.#deaths.get(name) ?? [];
    const recent = known.filter((time) => clock.now() - time < limits.faultWindowMs);
    this.#deaths.set(name, recent);
    if (recent.length >= limits.deaths) throw new StartFailure("deaths");
    const last = recent.at(-1);
    if (last === undefined) return;
    const delay = limits.hostDelays[recent.length - 1] ?? 0;
    const left = last + delay - clock.now();
    if (left > 0) await this.#pause(left);
  }

  /** Waits, but not beyond the end of the program. */
  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.after(ms, () => wake());
      const wake = () => {
        this.#resting.delete(wake);
        cancel();
        resolve();
      };
      this.#resting.add(wake);
    });
  }

  #died(name: string, starting: Promise<HostProcess>, host: HostProcess, death: Death): void {
    if (this.#hosts.get(name) === starting) this.#hosts.delete(name);
    if (this.#alone.get(name) === host) this.#alone.delete(name);
    if (this.#isClosed) return;
    if (!this.#ended.has(host)) {
      this.#deaths.set(name, [...(this.#deaths.get(name) ?? []), this.#parts.clock.now()]);
    }
    this.#parts.died(host, death);
  }
}
