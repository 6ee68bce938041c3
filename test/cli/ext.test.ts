import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { world } from "./world.ts";

it("an installed package is listed, none of it runs, and that is said", async () => {
  const at = world();
  const marker = join(at.project, "ran");
  const file = join(at.project, "stranger.ts");
  const code = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");`;
  writeFileSync(file, `${code}\nexport default () => {};\n`);
  const installed = await at.coppice("ext", "install", "./stranger.ts", "--accept-all");
  expect(installed.code).toBe(0);
  expect(installed.stderr).toMatch(
    /^SANDBOX_UNAVAILABLE: [^\n]*runs no installed package[^\n]*\n$/,
  );
  const listed = await at.coppice("ext", "list");
  expect(listed.stdout).toContain("stranger");
  for (const args of [
    ["ext", "info", "stranger"],
    ["--help"],
    ["-p", "hi", "--model", "offline"],
  ]) {
    await at.coppice(...args);
  }
  expect(existsSync(marker)).toBe(false);
});
