import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSession } from "../../host/index.ts";
import { type World, world } from "./world.ts";

/** What a run that must fail says; nothing of what is stored has changed, and nothing is new. */
async function refused(there: World, ...args: readonly string[]) {
  const before = there.hashes();
  const { code, stdout, stderr } = await there.coppice(...args);
  expect(there.hashes()).toEqual(before);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return { code, stderr };
}

/** Every way to name an existing session. */
const WAYS: readonly (readonly string[])[] = [
  ["tree", "NAME"],
  ["context", "NAME", "--json"],
  ["-p", "hello", "--session", "NAME"],
  ["-p", "hello", "-r", "NAME"],
  ["-p", "hello", "--fork", "NAME"],
];

function named(way: readonly string[], name: string): readonly string[] {
  return way.map((arg) => (arg === "NAME" ? name : arg));
}

describe.each(WAYS)("a session that cannot be opened, by %s %s %s %s", (...way) => {
  test("a file that is missing is SESSION_NOT_FOUND", async () => {
    const there = world();
    const { code, stderr } = await refused(there, ...named(way, "no/such.jsonl"));
    expect(stderr).toMatch(/^SESSION_NOT_FOUND: .*no\/such\.jsonl/);
    expect(code).toBe(1);
  });

  test("an id that no session has is SESSION_NOT_FOUND", async () => {
    const { code, stderr } = await refused(world(), ...named(way, "0199dead"));
    expect(stderr).toMatch(/^SESSION_NOT_FOUND: .*"0199dead"/);
    expect(code).toBe(1);
  });

  test("a folder is SESSION_UNREADABLE", async () => {
    const there = world();
    mkdirSync(join(there.project, "folder"));
    const { code, stderr } = await refused(there, ...named(way, "folder"));
    expect(stderr).toMatch(/^SESSION_UNREADABLE: .*folder/);
    expect(code).toBe(1);
  });

  test("a file without header is SESSION_HEADER_INVALID", async () => {
    const there = world();
    const { code, stderr } = await refused(there, ...named(way, there.copyOf("open-no-header")));
    expect(stderr).toMatch(/^SESSION_HEADER_INVALID: .*open-no-header\.jsonl/);
    expect(code).toBe(1);
  });
});

test("an id that several sessions begin with is SESSION_AMBIGUOUS and names them", async () => {
  const there = world();
  const folder = join(there.home, "sessions", "elsewhere-0123456789abcdef");
  mkdirSync(folder, { recursive: true });
  for (const id of ["01990000-aaaa", "01990000-bbbb"]) {
    const header = { type: "session", version: 3, id, timestamp: "2026-03-01T09:00:00.000Z" };
    writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(header)}\n`);
  }
  for (const args of [
    ["tree", "0199"],
    ["-p", "hello", "--session", "0199"],
  ]) {
    const { code, stderr } = await refused(there, ...args);
    expect(stderr).toMatch(/^SESSION_AMBIGUOUS: .*01990000-aaaa.*01990000-bbbb/);
    expect(code).toBe(1);
  }
});

test("a session of a newer version is read, but takes no prompt", async () => {
  const there = world();
  const file = there.copyOf("open-version-99");
  const before = there.hashes();
  const { code, stdout, stderr } = await there.coppice("-p", "hello", "--session", file);
  expect(there.hashes()).toEqual(before);
  expect(stdout).toBe("");
  expect(stderr.split("\n")).toEqual([
    expect.stringMatching(/^note: VERSION_NEWER: .*99/),
    expect.stringMatching(/^SESSION_READ_ONLY: .*open-version-99\.jsonl.*--fork/),
    "",
  ]);
  expect(code).toBe(1);
  expect((await there.coppice("tree", file, "--json")).code).toBe(0);
});

test("a session that another process writes is SESSION_LOCKED, with the ways out; reading goes on", async () => {
  const there = world();
  const file = there.copyOf("format-3-example");
  const held = await openSession(file);
  onTestFinished(() => held.close());
  const { code, stderr } = await refused(there, "-p", "hello", "--session", file);
  expect(stderr).toMatch(
    new RegExp(`^SESSION_LOCKED: .*process ${process.pid}.*--read-only.*--fork`),
  );
  expect(code).toBe(1);
  expect((await there.coppice("tree", file)).code).toBe(0);
  const fork = await there.coppice("-p", "hello", "--fork", file, "--model", "offline");
  expect(fork.code).toBe(0);
});

test("--read-only takes no prompt", async () => {
  const there = world();
  const file = there.copyOf("format-3-example");
  const { code, stderr } = await refused(there, "-p", "hello", "--session", file, "--read-only");
  expect(stderr).toMatch(/^SESSION_READ_ONLY: /);
  expect(code).toBe(1);
});

test("an entry that is not there is ENTRY_NOT_FOUND", async () => {
  const there = world();
  const file = there.copyOf("format-3-example");
  const { code, stderr } = await refused(there, "context", file, "--leaf", "nobody");
  expect(stderr).toMatch(/^ENTRY_NOT_FOUND: .*"nobody" not found/);
  expect(code).toBe(1);
});

test.each([
  ["NO_ACTIVE_MODEL", "none"],
  ["MODEL_UNKNOWN", "no/such-model"],
  ["MODEL_CREDENTIALS_MISSING", "anthropic"],
])("%s: a prompt with --model %s is not stored", async (error, model) => {
  const there = world();
  const file = there.copyOf("format-3-example");
  for (const session of [["--session", file], []]) {
    const { code, stderr } = await refused(there, "-p", "hello", "--model", model, ...session);
    expect(stderr).toMatch(new RegExp(`^${error}: `));
    expect(code).toBe(1);
  }
});

test("a session whose model has no credentials keeps to it, and says the way out", async () => {
  const there = world();
  const file = there.copyOf("format-3-example");
  const { code, stderr } = await refused(there, "-p", "hello", "--session", file);
  expect(stderr).toMatch(/^MODEL_CREDENTIALS_MISSING: .*acme.*\/model offline/);
  expect(code).toBe(1);
});

test("an extension that is not trusted does not run, and neither does the prompt", async () => {
  const there = world();
  writeFileSync(join(there.project, "ext.ts"), "throw new Error('it ran')");
  const { code, stderr } = await refused(there, "-e", "./ext.ts", "-p", "hello");
  expect(stderr).toMatch(/^CONSENT_REQUIRED: .*`coppice -e \.\/ext\.ts --yes` gives it/);
  expect(code).toBe(3);
});

test("a path that holds no extension is EXTENSION_EMPTY", async () => {
  const { code, stderr } = await refused(world(), "-e", "./nothing", "--trust", "-p", "hello");
  expect(stderr).toMatch(/^EXTENSION_EMPTY: .*nothing/);
  expect(code).toBe(1);
});

test.each([
  [["frobnicate"], /"frobnicate", only tree, context/],
  [["--frobnicate"], /--frobnicate/],
  [["tree"], /session.*coppice tree --help/],
  [["tree", "a", "b"], /coppice tree --help/],
  [["tree", "a", "--frobnicate"], /--frobnicate/],
  [["tree", "a", "-c"], /takes no --continue/],
  [["context", "a", "--leaf"], /--leaf/],
  [["-c", "--demo"], /--continue and --demo/],
  [["-p"], /--print/],
  [["-p", "  "], /empty/],
  [["-p", "hello", "-r"], /--resume/],
  [["-p", "hello", "--read-only"], /--read-only/],
  [["-p", "hello", "--trust"], /-e/],
])("wrong usage %j is told on one line", async (args, sentence) => {
  const { code, stderr } = await refused(world(), ...args);
  expect(stderr).toMatch(/^USAGE: .* --help shows what there is\n$/);
  expect(stderr).toMatch(sentence);
  expect(code).toBe(2);
});

test("without a terminal the screen says so", async () => {
  const { code, stderr } = await refused(world(), "--demo");
  expect(stderr).toMatch(/^TERMINAL_MISSING: .*coppice -p/);
  expect(code).toBe(1);
});

test("settings that are broken are told, and the run goes on without them", async () => {
  const there = world();
  mkdirSync(there.home);
  writeFileSync(join(there.home, "settings.json"), "{ broken");
  const { code, stderr, stdout } = await there.coppice("-p", "hello");
  expect(stderr).toMatch(/^SETTINGS_INVALID: .*settings\.json line 1[^\n]*\n$/);
  expect(stdout).not.toBe("");
  expect(code).toBe(0);
});

test("a setting of the wrong kind is told, and counts as unset", async () => {
  const there = world({ COPPICE_DURABILITY: "perhaps" });
  const { code, stderr } = await there.coppice("-p", "hello");
  expect(stderr).toMatch(/^note: setting durability of the environment [^\n]*\n$/);
  expect(code).toBe(0);
});
