import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { inSandbox, type LoadWorld, type World } from "../contract/world.ts";

const CANARIES = ["canary-1", "canary-2", "canary-3", "canary-4"];

/** A package that answers a command of its own name. */
const canary = (name: string) => `export default (api) => {
  api.registerCommand("${name}", { handler: (_args, ctx) => ctx.ui.notify("${name} lives") });
};`;

/** A package whose command does harm. */
const bad = (harm: string) => `export default (api) => {
  api.registerCommand("harm", { async handler(_args, ctx) { ${harm} } });
};`;

const limits = { sliceMs: 100 };

async function load(loadWorld: LoadWorld, harm: string): Promise<World> {
  const canaries = Object.fromEntries(CANARIES.map((name) => [name, canary(name)]));
  return loadWorld({
    extensions: { bad: bad(harm), ...canaries },
    options: { sandbox: { limits } },
  });
}

/** Asks every canary until it answers; gives what they said. */
async function askAll(world: World): Promise<void> {
  for (const name of CANARIES) {
    const before = world.said.length;
    await expect
      .poll(
        async () => {
          await world.command(`/${name}`).catch(() => undefined);
          return world.said.slice(before);
        },
        { timeout: 10_000 },
      )
      .toContain(`${name} lives`);
  }
}

const crashes = (world: World) => world.reports.filter(({ code }) => code === "EXTENSION_CRASHED");

/** The extension host processes of this one. */
function hosts(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        const isHost = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("child.cjs");
        return isHost && Number(parent) === process.pid ? [Number(pid)] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

inSandbox("the others go on, and the person sees one line", (loadWorld) => {
  it.each([
    ["computes for ever", "for (;;);"],
    ["computes for ever after it has waited", "await ctx.waitForIdle(); for (;;);"],
    ["fills a huge list", "Array(1e9).fill(0);"],
    ["keeps all memory", "const all = []; for (;;) all.push(new Array(1e5).fill({}));"],
  ])("when one %s", async (_how, harm) => {
    const world = await load(loadWorld, harm);
    await expect(world.command("/harm")).rejects.toMatchObject({ code: "EXTENSION_CRASHED" });
    await askAll(world);
    expect(crashes(world).map(({ extension }) => extension)).toContain("bad");
    expect(crashes(world).filter(({ extension }) => extension === "bad")).toHaveLength(1);
    for (const { message } of crashes(world)) expect(message).not.toMatch(/\n| at /);
  });

  it("when one calls ten thousand times a second", async () => {
    const world = await load(
      loadWorld,
      `let left = 10000;
      const caller = async () => { while (left-- > 0) await ctx.waitForIdle(); };
      await Promise.all(Array.from({ length: 200 }, caller));
      ctx.ui.notify("all answered");`,
    );
    const harming = world.command("/harm");
    await askAll(world);
    expect(world.said).not.toContain("all answered");
    await harming;
    expect(world.said).toContain("all answered");
    expect(crashes(world)).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("when the process they run in is killed", async () => {
    const start = performance.now();
    const world = await load(loadWorld, "");
    const started = performance.now() - start;
    const [pid = 0] = hosts();
    process.kill(pid, "SIGKILL");
    const killed = performance.now();
    await expect.poll(() => crashes(world).length, { timeout: 10_000 }).toBe(5);
    await askAll(world);
    expect((performance.now() - killed) / started).toBeLessThan(4);
    expect(hosts()).not.toContain(pid);
  });
});
