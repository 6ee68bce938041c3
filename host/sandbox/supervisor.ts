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
  #deaths: readonly number[] = [];
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

  /** Ends every host; none is started any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const hosts = await Promise.allSettled(this.#hosts.values());
    for (const host of hosts) {
      if (host.status === "fulfilled") host.value.kill(undefined, "the program ends");
    }
    this.#hosts.clear();
  }

  async #start(name: string, started: () => Promise<HostProcess>): Promise<HostProcess> {
    const { limits, clock } = this.#parts;
    await this.#rest();
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
    return host;
  }

  /** After deaths the next host waits; after too many there is none (sandbox spec §2.6). */
  async #rest(): Promise<void> {
    const { limits, clock } = this.#parts;
    const recent = this.#deaths.filter((time) => clock.now() - time < limits.faultWindowMs);
    this.#deaths = recent;
    if (recent.length >= limits.deaths) throw new StartFailure("deaths");
    const last = recent.at(-1);
    if (last === undefined) return;
    const delay = limits.hostDelays[recent.length - 1] ?? 0;
    const left = last + delay - clock.now();
    if (left > 0) await new Promise<void>((resolve) => clock.after(left, resolve));
  }

  #died(name: string, starting: Promise<HostProcess>, host: HostProcess, death: Death): void {
    if (this.#hosts.get(name) === starting) this.#hosts.delete(name);
    if (this.#isClosed) return;
    this.#deaths = [...this.#deaths, this.#parts.clock.now()];
    this.#parts.died(host, death);
  }
}
