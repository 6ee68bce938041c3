import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { engineStatus } from "../tooling/engine-status.mjs";

type Names = Readonly<Record<string, readonly string[]>>;

interface Locked {
  readonly name: string;
  readonly integrity: string;
  readonly entries: number;
  readonly expectedFailures: Readonly<Record<string, string>>;
  readonly expectedLoadFailures: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as T;
}

const { packages } = read<{ readonly packages: readonly Locked[] }>("extensions.lock.json");
const facts = read<Readonly<Record<string, Readonly<Record<string, Names>>>>>("facts.json");
const REASON = /^(?:dependency|server|native|bun|T4 [\w.]+)$/;

describe("what is expected of packages of others", () => {
  it.each(packages)("$name has a hash, and facts for every entry", (locked) => {
    expect(locked.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(Object.keys(facts[locked.name] ?? {})).toHaveLength(locked.entries);
  });

  it.each(packages)(
    "$name fails only for reasons of the list, in entries that there are",
    (one) => {
      const loads = Object.values(one.expectedLoadFailures).flatMap((cells) =>
        Object.values(cells),
      );
      for (const reason of [...Object.values(one.expectedFailures), ...loads]) {
        expect(reason).toMatch(REASON);
      }
      const named = Object.keys({ ...one.expectedFailures, ...one.expectedLoadFailures });
      expect(Object.keys(facts[one.name] ?? {})).toEqual(expect.arrayContaining(named));
    },
  );
});

describe("one package from the registry", () => {
  it("loads in the sandbox and registers what the real peer registers", (test) => {
    const engine = engineStatus();
    test.skip(!engine.present, "the engine of the sandbox is not installed");
    const run = fileURLToPath(new URL("run.mjs", import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [run, "pi-aliases"], {
      encoding: "utf8",
    });
    const isRequired = process.env.CONFORMANCE_REQUIRED === "1";
    const isUnreachable = stdout.includes("1 skipped: registry unreachable");
    test.skip(isUnreachable && !isRequired, "the registry cannot be reached");
    expect(`${stdout}${stderr}`).toContain("| pass | pass | pass | pass | pass |");
  }, 120_000);
});
