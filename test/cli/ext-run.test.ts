import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openScreen } from "../e2e/screen-world.ts";
import { world } from "./world.ts";

/** Tells in a note what it can reach. */
const CURIOUS = `import { readFileSync } from "node:fs";
export default (api) => {
  api.on("session_start", (_event, ctx) => {
    let file = "read";
    try { readFileSync("/etc/hostname"); } catch (error) { file = error.code; }
    ctx.ui.notify("PROCESS " + process.env.SECRET + " " + file);
  });
};`;

test("an extension of one run is contained: no file, no variable; nothing of it is stored", async () => {
  const there = world({ SECRET: "hunter2" });
  writeFileSync(join(there.project, "curious.ts"), CURIOUS);
  const { code, stdout, stderr } = await there.coppice(
    "-e",
    "./curious.ts",
    "--yes",
    "--model",
    "offline",
    "-p",
    "hello",
  );
  expect(stderr).toContain("PROCESS undefined NOT_SUPPORTED");
  expect(stderr + stdout).not.toContain("hunter2");
  expect(code).toBe(0);
  expect((await there.coppice("ext", "list")).stdout).toContain("no extensions are installed");
  expect(readdirSync(there.home)).not.toContain("extensions.lock.json");
});

test("on a terminal it is asked about, and one that is refused does not run", async () => {
  const there = world();
  const marker = join(there.project, "ran");
  const code = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, ""); export default () => {};`;
  writeFileSync(join(there.project, "stranger.ts"), code);
  const args = ["-e", "./stranger.ts", "--model", "offline", "-p", "hello"];
  const terminal = openScreen(there, args, { patience: 60_000 });
  await terminal.waitForText("Load for this run?");
  terminal.write("\r");
  await terminal.waitForText("no language model");
  expect((await terminal.exited).code).toBe(0);
  expect(existsSync(marker)).toBe(false);
});

test.each([
  [["--yes", "-p", "hello"], "--yes is for the extensions of -e"],
  [["--accept-all", "-p", "hello"], "--accept-all is for the extensions of -e"],
])("answers without a question are wrong usage: %j", async (args, problem) => {
  const { code, stderr } = await world().coppice(...args);
  expect(stderr).toContain(problem);
  expect(code).toBe(2);
});

test("what is no path is SOURCE_INVALID and says how to get it", async () => {
  const { code, stderr } = await world().coppice("-e", "npm:left-pad", "--yes", "-p", "hello");
  expect(stderr).toMatch(/^SOURCE_INVALID: .*coppice ext install/);
  expect(code).toBe(1);
});
