/** What the extension host keeps to by itself (sandbox spec §9). Times in milliseconds. */
export interface ChildLimits {
  readonly sliceMs: number;
  readonly moduleSliceMs: number;
  readonly syncSliceMs: number;
  /** From the end of a slice to the disposal, and from there to the end of the process. */
  readonly settleMs: number;
  readonly wedgeMs: number;
  /** Messages, bytes, log lines and waits of one turn. */
  readonly turnMessages: number;
  readonly turnBytes: number;
  readonly turnLogLines: number;
  readonly turnWaits: number;
  readonly messageBytes: number;
  readonly resultBytes: number;
  readonly callsInFlight: number;
  readonly callsPerSecond: number;
  readonly callsBurst: number;
  readonly timers: number;
  readonly shortestTimerMs: number;
  readonly turnsWaiting: number;
  /** Turns waiting above which timers pause. */
  readonly timersPauseAt: number;
  /** Bytes the socket has not taken: no turns beyond, `flood` beyond. */
  readonly unsentPause: number;
  readonly unsentFlood: number;
  /** Cores that timers may use in the long run, and milliseconds they may save up. */
  readonly cpuShare: number;
  readonly cpuBucketMs: number;
}

export interface SandboxLimits extends ChildLimits {
  readonly memoryMb: number;
  readonly memoryWithSessionMb: number;
  readonly hostMemoryMb: number;
  readonly silenceMs: number;
  readonly pingMs: number;
  readonly idlePingMs: number;
  readonly readyMs: number;
  readonly mirrorBytes: number;
  readonly mirrorEntries: number;
  readonly nesting: number;
  readonly registrations: Readonly<Record<string, number>>;
  readonly handlers: number;
  /** Faults of one package, and deaths of the host, within `faultWindowMs`. */
  readonly faults: number;
  readonly deaths: number;
  readonly faultWindowMs: number;
  /** Milliseconds before a crashed package, or the host, starts again. */
  readonly packageDelays: readonly number[];
  readonly hostDelays: readonly number[];
  /** Main process: at a stretch on frames of guests; bytes unsent above which events are dropped. */
  readonly stretchMs: number;
  readonly unsentLag: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

const LIMITS: SandboxLimits = {
  sliceMs: 1000,
  moduleSliceMs: 2000,
  syncSliceMs: 100,
  settleMs: 300,
  wedgeMs: 500,
  turnMessages: 2000,
  turnBytes: 4 * MIB,
  turnLogLines: 200,
  turnWaits: 20_000,
  messageBytes: 4 * MIB,
  resultBytes: 12 * MIB,
  callsInFlight: 256,
  callsPerSecond: 2000,
  callsBurst: 4000,
  timers: 200,
  shortestTimerMs: 10,
  turnsWaiting: 5000,
  timersPauseAt: 50,
  unsentPause: 8 * MIB,
  unsentFlood: 16 * MIB,
  cpuShare: 0.5,
  cpuBucketMs: 10_000,
  memoryMb: 64,
  memoryWithSessionMb: 96,
  hostMemoryMb: 700,
  silenceMs: 3000,
  pingMs: 200,
  idlePingMs: 30_000,
  readyMs: 5000,
  mirrorBytes: 16 * MIB,
  mirrorEntries: 100_000,
  nesting: 5,
  registrations: {
    command: 100,
    tool: 100,
    shortcut: 50,
    flag: 50,
    provider: 50,
    contribution: 50,
  },
  handlers: 200,
  faults: 3,
  deaths: 5,
  faultWindowMs: 5 * 60_000,
  packageDelays: [1000, 5000, 30_000],
  hostDelays: [0, 1000, 5000, 30_000],
  stretchMs: 5,
  unsentLag: 4 * MIB,
};

/** The limits of the settings `sandbox.*`; what is out of range takes the nearest value in it. */
export function limitsOf(get: (key: string) => unknown, machineBytes: number): SandboxLimits {
  const number = (key: string, fallback: number, least: number, most: number) => {
    const value = get(`sandbox.${key}`);
    return typeof value === "number" ? Math.min(most, Math.max(least, value)) : fallback;
  };
  const memoryMb = number("memoryMb", LIMITS.memoryMb, 16, 512);
  const quarter = Math.max(128, Math.floor(machineBytes / MIB / 4));
  return {
    ...LIMITS,
    sliceMs: number("sliceMs", LIMITS.sliceMs, 100, 10_000),
    syncSliceMs: number("syncSliceMs", LIMITS.syncSliceMs, 16, 1000),
    silenceMs: number("silenceMs", LIMITS.silenceMs, 1000, 60_000),
    callsPerSecond: number("callsPerSecond", LIMITS.callsPerSecond, 100, 20_000),
    cpuShare: number("cpuShare", LIMITS.cpuShare, 0.05, 4),
    mirrorBytes: number("mirrorMb", LIMITS.mirrorBytes / MIB, 1, 128) * MIB,
    hostMemoryMb: number("hostMemoryMb", Math.min(LIMITS.hostMemoryMb, quarter), 128, 8192),
    memoryMb,
    memoryWithSessionMb:
      get("sandbox.memoryMb") === undefined ? LIMITS.memoryWithSessionMb : memoryMb,
  };
}
