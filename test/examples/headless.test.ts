import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { askAtTheStart } from "../../examples/headless.ts";

const SAMPLE = fileURLToPath(new URL("../../tui/demo/teahouse.jsonl", import.meta.url));

test("headless goes to the start, leaves a summary, asks there and reads the tree", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coppice-headless-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv("COPPICE_HOME", join(folder, "home"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const file = join(folder, "session.jsonl");
  cpSync(SAMPLE, file);
  const before = readFileSync(file, "utf8");

  const lines = await askAtTheStart(file, "Which package measures width?");

  expect(readFileSync(file, "utf8").startsWith(before)).toBe(true);
  expect(lines.slice(-3)).toEqual([
    expect.stringMatching(/^ {4}branch_summary$/),
    expect.stringMatching(/^ {4}user: Which package measures width\?$/),
    expect.stringMatching(/^\* {3}assistant: /),
  ]);
  expect(lines.filter((line) => line.startsWith("*"))).toHaveLength(1);
});
