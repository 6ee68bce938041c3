import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { type AgentSession, createAgentSession, type Report } from "coppice/host";
import { onTestFinished, vi } from "vitest";
import { errorCode } from "../../core/index.ts";
import type { Extension } from "../../host/extension.ts";
import { type Clock, systemClock } from "../../host/sandbox/clock.ts";
import { Settings } from "../../host/storage/settings.ts";
import { sandboxed } from "../contract/loaders.ts";
import { ScriptedUI } from "../contract/scripted-ui.ts";
import { fixedEnvironment, type TreeWorld, tree } from "../world.ts";
import type { Attack } from "./attack.ts";

/** Whether times are asserted in milliseconds, as `npm run redteam` does. */
export const isTimed = process.env.REDTEAM_TIMES === "1";
const jit = process.env.REDTEAM_JIT === "1";

/** A running host with the attacker's package and the canary's. */
export interface Arena {
  readonly session: AgentSession;
  readonly tree: TreeWorld;
  readonly ui: ScriptedUI;
  /** What the attacker has said, one line each. */
  readonly said: readonly string[];
  readonly reports: readonly Report[];
  readonly folder: string;
  /** What handlers of `input` have decided. */
  outcome: unknown;
  command(line: string): Promise<void>;
  input(): Promise<unknown>;
  /** The attacker's instance ends. */
  unload(): void;
  /** What waits for its time to start again is started. */
  elapse(): void;
  /** Milliseconds until the canary has answered, also if it had to be loaded again. */
  canary(): Promise<number>;
  /** The state that no attack may change. */
  state(): unknown;
  /** Longest time in milliseconds that the event loop stood since it was asked last. */
  stall(): number;
}

const CANARY = `export default (api) => {
  api.on("input", (event, ctx) => { ctx.ui.notify("C input"); });
  api.registerCommand("canary", { handler: (n, ctx) => ctx.ui.notify("C " + n) });
};`;

const BASE = ["commands", "session:read", "events", "ui", "tools", "log", "ui:notify"];

export async function arena(attack: Attack): Promise<Arena> {
  const folder = mkdtempSync(join(tmpdir(), "coppice-redteam-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const packages = [
    write(folder, "attacker", { "index.ts": sourceOf(attack), ...attack.files }),
    write(folder, "canary", { "index.ts": CANARY }),
  ];
  attack.prepare?.(join(folder, "attacker"));
  const { installed = [] } = sandboxed.options(attack.isLast ? packages.reverse() : packages);
  const { clock, elapse } = heldClock();
  const world = tree("u1 a1(u2 u3*)");
  const ui = new ScriptedUI();
  const session = await createAgentSession({
    sessionManager: world.session,
    settings: new Settings({
      cwd: folder,
      flags: { "extensions.handlerTimeoutMs": 2000, "sandbox.jit": jit },
    }),
    ui,
    env: fixedEnvironment(),
    builtins: [],
    installed: installed.map((one) => held(one, attack)),
    sandbox: { clock, limits: { sliceMs: 400, moduleSliceMs: 600, ...attack.limits } },
  });
  onTestFinished(() => session.close());
  return made({ session, tree: world, ui, folder, elapse });
}

type Parts = Pick<Arena, "session" | "tree" | "ui" | "folder" | "elapse">;

function made(parts: Parts): Arena {
  const { session, ui, folder } = parts;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  onTestFinished(() => {
    delay.disable();
  });
  let asked = 0;
  const input = (): Promise<unknown> =>
    session.runtime.hooks.transform("input", { type: "input", text: "x", source: "rpc" });
  return {
    ...parts,
    outcome: undefined,
    get said() {
      return ui.notes.filter((note) => note.startsWith("A "));
    },
    get reports() {
      return session.runtime.reports.all();
    },
    command: async (line) => {
      try {
        await session.runCommand(line);
      } catch (error) {
        if (errorCode(error) !== "EXTENSION_CRASHED") throw error;
        ui.notes.push("the command was ended");
      }
    },
    unload: () => {
      for (const instance of session.extensions.instances) {
        if (instance.extension.id === "attacker") instance.end();
      }
    },
    input,
    canary: async () => {
      const [start, word] = [performance.now(), `C ${++asked}`];
      const commands = () => session.runtime.commands.all().map(({ name }) => name);
      await vi.waitFor(() => {
        if (!commands().includes("canary")) throw new RangeError("the canary is not loaded");
      }, WAIT);
      await session.runCommand(`/canary ${asked}`);
      if (!ui.notes.includes(word)) throw new RangeError("the canary has not answered");
      return performance.now() - start;
    },
    state: () => ({
      leaf: session.sessionManager.getLeafId(),
      entries: session.sessionManager.getEntries().length,
      labels: session.sessionManager
        .getEntries()
        .map(({ id }) => session.sessionManager.getLabel(id)),
      name: session.sessionManager.getSessionName(),
      files: readdirSync(folder, { recursive: true }).sort(),
      prototypes: [Object, Array, Function, Map, Promise, String].map(
        ({ prototype }) => Reflect.ownKeys(prototype).length,
      ),
    }),
    stall: () => {
      const longest = delay.max / 1e6;
      delay.reset();
      return longest;
    },
  };
}

const WAIT = { timeout: 6_000, interval: 5 };

/** Waits until something holds; what it raised last is the failure. */
export const until = (holds: () => void): Promise<void> => vi.waitFor(holds, WAIT);

/** Delays of packages that rest are held until the test lets them pass. */
function heldClock(): { readonly clock: Clock; elapse(): void } {
  const waiting = new Set<() => void>();
  const clock: Clock = {
    now: systemClock.now,
    after(ms, run) {
      if (!RESTS.has(ms)) return systemClock.after(ms, run);
      waiting.add(run);
      return () => waiting.delete(run);
    },
  };
  const elapse = () => {
    const due = [...waiting];
    waiting.clear();
    for (const run of due) run();
  };
  return { clock, elapse };
}

const RESTS = new Set([1000, 5000]);

function held(extension: Extension, { permissions = [] }: Attack): Extension {
  const own = extension.id === "attacker" ? permissions : [];
  return { ...extension, permissions: new Set([...BASE, ...own]) };
}

function write(folder: string, name: string, files: Readonly<Record<string, string>>): string {
  const root = join(folder, name);
  const coppice = { extensions: ["./index.ts"] };
  const manifest = JSON.stringify({ name, version: "1.0.0", type: "module", coppice });
  for (const [path, text] of Object.entries({ "package.json": manifest, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function sourceOf({ module, top = "", command, input }: Attack): string {
  if (module !== undefined) return module;
  return `${top}
const told = async (look) => {
  try {
    const value = await look();
    return "= " + (typeof value === "string" ? value : JSON.stringify(value));
  } catch (error) {
    return "! " + error?.code + " " + error?.message;
  }
};
export default (api) => {
  ${
    command === undefined
      ? ""
      : `api.registerCommand("attack", { handler: async (args, ctx) => {
    const say = ctx.ui.notify;
    const text = await told(async () => { ${command} });
    say("A " + text);
  } });`
  }
  ${input === undefined ? "" : `api.on("input", async (event, ctx) => { ${input} });`}
};`;
}

/** Milliseconds of a fixed piece of work: the unit that stalls are counted in by `npm test`. */
export function controlMs(): number {
  const text = JSON.stringify(Array.from({ length: 60_000 }, (_, i) => ({ i, text: `${i}` })));
  const start = performance.now();
  for (let i = 0; i < 4; i++) JSON.parse(text);
  return performance.now() - start;
}
