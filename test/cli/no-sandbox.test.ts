import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "./world.ts";

/** A home in which the extension host cannot be started. */
function withoutSandbox() {
  const there = world();
  mkdirSync(there.home, { recursive: true });
  const settings = { "sandbox.wrapper": [join(there.project, "no-such-program")] };
  writeFileSync(join(there.home, "settings.json"), JSON.stringify(settings));
  return there;
}

test("without a sandbox packages stay off, and one line names them all, what is missing and what helps", async () => {
  const there = withoutSandbox();
  for (const name of ["one", "two"]) {
    writeFileSync(join(there.project, `${name}.ts`), "export default () => {};");
    const installed = await there.coppice("ext", "install", `./${name}.ts`, "--yes");
    expect(installed).toMatchObject({ code: 0 });
  }
  const { code, stdout, stderr } = await there.coppice("--model", "offline", "-p", "hello");
  const lines = stderr.split("\n").filter((line) => line.includes("SANDBOX_UNAVAILABLE"));
  expect(lines).toEqual([
    expect.stringMatching(/not run: one, two; .*sandbox\.wrapper.*remove it/),
  ]);
  expect(stdout).toContain("offline model");
  expect(code).toBe(0);
});
