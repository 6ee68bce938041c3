import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { BIN, world } from "./world.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

it("a full disk behind stdout is one line and a failure", () => {
  const at = world();
  const path = at.copyOf("select-tree-t");
  const command = `exec "${process.execPath}" "${BIN}" tree "${path}" --json > /dev/full`;
  const ended = spawnSync("sh", ["-c", command], { encoding: "utf8", env: { HOME: at.home } });
  expect(ended.stderr).toMatch(/^OUTPUT_FAILED: [^\n]*ENOSPC[^\n]*\n$/);
  expect(ended.status).toBe(1);
});

it("a verb whose extension does not load says so, and everything else runs", () => {
  const at = world();
  const path = at.copyOf("select-tree-t");
  const program = programCopy();
  writeFileSync(
    join(program, "dist/extensions/tree-selector/index.js"),
    "throw new Error('no leaf');",
  );
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(program, "dist/tui/main.js"), ...args], {
      encoding: "utf8",
      env: { HOME: at.home },
    });
  const ended = run("tree", path);
  expect(ended.stderr).toMatch(
    /^EXTENSION_LOAD_FAILED: [^\n]*no leaf[^\n]*\nVERB_MISSING: [^\n]*tree-selector[^\n]*\n$/,
  );
  expect(ended.status).toBe(1);
  expect(run("context", path).status).toBe(0);
});

/** The built program in a folder of its own, where parts of it can be broken. */
function programCopy(): string {
  const program = mkdtempSync(join(tmpdir(), "coppice-broken-"));
  onTestFinished(() => rmSync(program, { recursive: true, force: true }));
  cpSync(join(ROOT, "dist"), join(program, "dist"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(program, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(program, "node_modules"));
  return program;
}
