import type { Clock } from "./clock.ts";
import type { SandboxLimits } from "./limits.ts";

export type HealthState = "well" | "crashed" | "quarantined";

interface Record {
  faults: readonly number[];
  state: HealthState;
  /** Until when it starts in a host of its own. */
  soloUntil: number;
}

/** Faults of packages over a run: how long each rests, and which stay off (sandbox spec §2.6). */
export class PackageHealth {
  readonly #clock: Clock;
  readonly #limits: SandboxLimits;
  readonly #records = new Map<string, Record>();

  constructor(clock: Clock, limits: SandboxLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Notes a fault; gives milliseconds until the package starts again, `undefined` if it stays off. */
  fault(id: string): number | undefined {
    const { faultWindowMs, faults: most, packageDelays } = this.#limits;
    const record = this.#recordOf(id);
    const now = this.#clock.now();
    record.faults = [...record.faults.filter((time) => now - time < faultWindowMs), now];
    if (record.soloUntil > now) record.soloUntil = now + faultWindowMs;
    record.state = record.faults.length >= most ? "quarantined" : "crashed";
    return record.state === "quarantined" ? undefined : packageDelays[record.faults.length - 1];
  }

  /** A package of several that may have ended the host: it starts alone next. */
  suspect(id: string): void {
    this.#recordOf(id).soloUntil = this.#clock.now() + this.#limits.faultWindowMs;
  }

  startsAlone(id: string): boolean {
    return this.#recordOf(id).soloUntil > this.#clock.now();
  }

  stateOf(id: string): HealthState {
    return this.#recordOf(id).state;
  }

  started(id: string): void {
    const record = this.#recordOf(id);
    if (record.state === "crashed") record.state = "well";
  }

  #recordOf(id: string): Record {
    const known = this.#records.get(id);
    if (known) return known;
    const record: Record = { faults: [], state: "well", soloUntil: Number.NEGATIVE_INFINITY };
    this.#records.set(id, record);
    return record;
  }
}
