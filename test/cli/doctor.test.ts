import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { world } from "./world.ts";

describe("coppice doctor", () => {
  test("says that a sound file is sound, with exit code 0, and changes nothing", async () => {
    const there = world();
    const file = there.copyOf("context-two-compactions");
    const before = there.hashes();
    const { code, stdout, stderr } = await there.coppice("doctor", file);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${file}: sound, 19 entries\n`,
      stderr: "",
    });
    expect(there.hashes()).toEqual(before);
  });

  test("tells every damage with its place and what would be done, with exit code 1", async () => {
    const there = world();
    const file = there.copyOf("damage-torn-tail");
    const { code, stdout } = await there.coppice("doctor", file);
    expect(code).toBe(1);
    expect(stdout).toMatch(/damaged in 1 place, .*\n {2}TORN_TAIL \(byte \d+\): line \d+: .*\n/);
    expect(stdout).toContain("    repair: the piece of a line is left out\n");
    expect(stdout).toContain("--repair writes a repaired copy");
  });

  test("--repair --json writes a new file that is sound", async () => {
    const there = world();
    const file = there.copyOf("damage-glued");
    const ran = await there.coppice("doctor", file, "--repair", "--json");
    expect(ran.code).toBe(1);
    const { isDamaged, findings, repaired } = JSON.parse(ran.stdout);
    expect(isDamaged).toBe(true);
    expect(findings[0]).toMatchObject({ line: expect.any(Number), remedy: expect.any(String) });
    expect(repaired.file).toMatch(/damage-glued\.repaired\.jsonl$/);
    expect((await there.coppice("doctor", repaired.file)).code).toBe(0);
    expect((await there.coppice("doctor", file, "--repair")).stdout).toContain("repaired copy: ");
  });

  test("--unlock removes a lock nobody can check, and says if there is none", async () => {
    const there = world();
    const file = there.copyOf("context-two-compactions");
    mkdirSync(`${file}.lock`);
    const removed = await there.coppice("doctor", "--unlock", file);
    expect(removed).toMatchObject({ code: 0, stdout: `${file}: the lock is removed\n` });
    expect(readdirSync(there.project)).toEqual(["context-two-compactions.jsonl"]);
    const none = await there.coppice("doctor", "--unlock", file, "--json");
    expect(JSON.parse(none.stdout)).toEqual({ file, unlocked: false });
    const none2 = await there.coppice("doctor", "--unlock", file);
    expect(none2.stdout).toBe(`${file}: there is no lock\n`);
  });

  test("--repair and --unlock together are wrong usage, --help is help", async () => {
    const there = world();
    expect((await there.coppice("doctor", "x", "--unlock", "--repair")).code).toBe(2);
    expect((await there.coppice("doctor", "--help")).stdout).toContain("--unlock");
  });
});

test("coppice sessions lists those of this folder, of pi too, with what is wrong with them", async () => {
  const there = world();
  const folder = join(there.home, "..", ".pi", "agent", "sessions");
  const name = `--${there.project.replace(/^\//, "").replace(/\//g, "-")}--`;
  mkdirSync(join(folder, name), { recursive: true });
  const time = "2026-03-01T09:00:00.000Z";
  const header = { type: "session", version: 3, id: "pi-1", timestamp: time, cwd: there.project };
  const message = { role: "user", content: "hello\u001b[31m there", timestamp: Date.parse(time) };
  const entry = { type: "message", id: "u1", parentId: null, timestamp: time, message };
  const lines = [header, entry].map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(join(folder, name, "a.jsonl"), lines);
  writeFileSync(join(folder, name, "b.jsonl"), "\u0000garbage\n");
  const { code, stdout } = await there.coppice("sessions");
  expect(code).toBe(0);
  expect(stdout).toContain("2026-03-01 09:00  pi-1  pi  1 messages  hello");
  expect(stdout).not.toContain("\u001b");
  expect(stdout).toContain("(no session: ");
  const json = JSON.parse((await there.coppice("sessions", "--json")).stdout);
  expect(json).toHaveLength(2);
  expect(json[1]).toMatchObject({ id: "pi-1", origin: "pi", messageCount: 1, modified: time });
});
