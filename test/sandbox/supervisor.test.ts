import { describe, expect, it } from "vitest";
import { verdictOn } from "../../host/sandbox/attribution.ts";
import type { Clock } from "../../host/sandbox/clock.ts";
import { flagsFor } from "../../host/sandbox/flags.ts";
import type { LaunchPlan } from "../../host/sandbox/host-process.ts";
import { limitsOf } from "../../host/sandbox/limits.ts";
import { PackageHealth } from "../../host/sandbox/package-health.ts";
import { Supervisor } from "../../host/sandbox/supervisor.ts";

const GIB = 1024 ** 3;
const limits = limitsOf(() => undefined, 16 * GIB);

/** Time that stands still until it is moved; tells how long it was asked to wait. */
function stoppedClock() {
  let now = 0;
  const waits: number[] = [];
  const clock: Clock = {
    now: () => now,
    after(ms, run) {
      waits.push(ms);
      // Only back-off goes by; watching never falls due.
      if (limits.hostDelays.includes(ms)) {
        now += ms;
        queueMicrotask(run);
      }
      return () => undefined;
    },
  };
  return { clock, waits, pass: (ms: number) => (now += ms) };
}

describe("an extension host that ends while it starts", () => {
  /** A supervisor whose hosts end at once, in real processes. */
  function failing() {
    const time = stoppedClock();
    const deaths: string[] = [];
    let died: () => void = () => undefined;
    const plan: LaunchPlan = {
      command: process.execPath,
      args: ["-e", "process.exit(3)"],
      engine: { module: "", manifest: "", version: "" },
      walled: false,
      isDirect: true,
    };
    const supervisor = new Supervisor({
      limits: { ...limits, pingMs: 7, idlePingMs: 11, readyMs: 13, silenceMs: 17 },
      clock: time.clock,
      launch: async () => plan,
      frame: () => undefined,
      died: (_host, death) => {
        deaths.push(death.reason);
        died();
      },
    });
    const fail = async (alone?: string) => {
      const ended = new Promise<void>((resolve) => {
        died = resolve;
      });
      const error = await supervisor.host(alone).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      await ended;
      return error;
    };
    const backOff = () => time.waits.filter((ms) => [1000, 5000, 30_000].includes(ms));
    return { ...time, supervisor, deaths, fail, backOff };
  }

  it("is followed by others after 0, 1, 5 and 30 s, and by none after five", async () => {
    const { fail, backOff, supervisor, deaths } = failing();
    for (let i = 0; i < 5; i++) expect(await fail()).toMatchObject({ missing: "selftest" });
    expect(deaths).toHaveLength(5);
    expect(backOff()).toEqual([1000, 5000, 30_000]);
    await expect(supervisor.host()).rejects.toMatchObject({ missing: "deaths" });
  });

  it("counts for itself only, until five minutes are over or a reset", async () => {
    const { fail, supervisor, pass } = failing();
    for (let i = 0; i < 5; i++) await fail("alone");
    await expect(supervisor.host("alone")).rejects.toMatchObject({ missing: "deaths" });
    expect(await fail()).toMatchObject({ missing: "selftest" });
    supervisor.reset();
    expect(await fail("alone")).toMatchObject({ missing: "selftest" });
    for (let i = 0; i < 4; i++) await fail("alone");
    await expect(supervisor.host("alone")).rejects.toMatchObject({ missing: "deaths" });
    pass(limits.faultWindowMs);
    expect(await fail("alone")).toMatchObject({ missing: "selftest" });
  });
});

describe("faults of a package", () => {
  it("let it rest 1 and 5 s, the third within five minutes turns it off", () => {
    const { clock } = stoppedClock();
    const health = new PackageHealth(clock, limits);
    expect([health.fault("a"), health.fault("a")]).toEqual([1000, 5000]);
    expect(health.stateOf("a")).toBe("crashed");
    expect(health.fault("a")).toBeUndefined();
    expect(health.stateOf("a")).toBe("quarantined");
    expect(health.stateOf("b")).toBe("well");
  });

  it("further apart than five minutes do not add up", () => {
    const { clock, pass } = stoppedClock();
    const health = new PackageHealth(clock, limits);
    for (let i = 0; i < 4; i++) {
      expect(health.fault("a")).toBe(1000);
      pass(limits.faultWindowMs);
    }
  });

  it("keep a suspect alone until five minutes have gone by without one", () => {
    const { clock, pass } = stoppedClock();
    const health = new PackageHealth(clock, limits);
    health.suspect("a");
    pass(limits.faultWindowMs - 1);
    health.fault("a");
    pass(limits.faultWindowMs - 1);
    expect(health.startsAlone("a")).toBe(true);
    pass(1);
    expect(health.startsAlone("a")).toBe(false);
  });
});

describe("the death of a host is blamed on", () => {
  const figures = (g: number, cpu: number, busy = false) => ({
    g,
    cpu,
    busy,
    wall: 0,
    queue: 0,
    timers: 0,
    heap: 0,
  });
  const idle = (g: number) => ({ g, isLoading: false, isAsked: false });
  const death = {
    reason: "",
    figures: [figures(1, 5), figures(2, 9)],
    earlier: [figures(1, 5), figures(2, 4)],
  };

  it("the one that a fault has named, whoever else was busy", () => {
    const guests = [{ ...idle(1), isAsked: true }, idle(2)];
    expect(verdictOn(death, guests, 2)).toEqual({ culprit: 2, suspects: [] });
  });

  it("the only one that was loading, asked or computing", () => {
    expect(verdictOn(death, [{ ...idle(1), isLoading: true }, idle(2)], undefined).culprit).toBe(1);
    expect(verdictOn(death, [{ ...idle(1), isAsked: true }, idle(2)], undefined).culprit).toBe(1);
    const busy = { ...death, figures: [figures(1, 5, true)] };
    expect(verdictOn(busy, [idle(1), idle(2)], undefined).culprit).toBe(1);
  });

  it("for memory, the only one whose processor time has grown", () => {
    expect(verdictOn({ ...death, kind: "rss" }, [idle(1), idle(2)], undefined).culprit).toBe(2);
    expect(verdictOn(death, [idle(1), idle(2)], undefined)).toEqual({ suspects: [] });
  });

  it("none of several", () => {
    const guests = [{ ...idle(1), isAsked: true }, { ...idle(2), isLoading: true }, idle(3)];
    expect(verdictOn(death, guests, undefined)).toEqual({ suspects: [1, 2] });
  });
});

describe("flags of the extension host", () => {
  const all = ["--disable-proto=throw", "--jitless", "--no-node-snapshot", "--no-warnings"];
  const wall = [
    "--allow-addons",
    "--allow-fs-read=/c.cjs",
    "--allow-fs-read=/e/*",
    "--allow-fs-read=/etc/alpine-release",
  ];
  const [rab, wasm] = ["--no-harmony-rab-gsab", "--no-expose-wasm"];
  it.each([
    ["20.0.0", [rab, wasm]],
    ["20.12.0", [rab, wasm, "--experimental-permission", ...wall]],
    ["22.0.0", [wasm, "--experimental-permission", ...wall]],
    ["22.13.0", [wasm, "--permission", ...wall]],
    ["24.0.0", ["--permission", ...wall]],
  ])("are those that Node %s takes", (node, more) => {
    const options = { node, script: "/c.cjs", engineFolders: ["/e"] };
    expect([...flagsFor({ ...options, jit: false })].sort()).toEqual([...all, ...more].sort());
    expect(flagsFor({ ...options, jit: true })).not.toContain("--jitless");
  });
});
