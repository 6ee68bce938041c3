import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeEnvironment } from "../../host/index.ts";
import { writeObject } from "../../host/packages/state-file.ts";
import { registry } from "../packages/registry.ts";
import { type Files, packed, write } from "../packages/world.ts";
import { type World, world } from "./world.ts";

const files = (code: string): Files => ({
  "package.json": JSON.stringify({
    name: "p",
    version: "1.0.0",
    pi: { extensions: ["./index.ts"], permissions: ["commands", "tools:register"] },
  }),
  "index.ts": code,
});
const REGISTERING = files(`export default (api) => {
  api.on("session_start", () => undefined);
  api.registerCommand("pee", { handler() {} });
  api.registerTool({
    name: "pee_tool", label: "Pee", description: "d",
    parameters: { type: "object", properties: {} },
    async execute() { return { content: [] }; },
  });
};`);
const start = (there: World) => there.coppice("--model", "offline", "-p", "hello");

async function ext(there: World, ...args: string[]) {
  const { code, stdout } = await there.coppice("ext", ...args, "--json");
  return { code, ...JSON.parse(stdout) };
}

function installed(there: World, content: Files) {
  writeFileSync(join(there.project, "p.tgz"), packed(content));
  return ext(there, "install", "./p.tgz", "--yes");
}

test("what a load registers is kept, and info shows it without running code", async () => {
  const there = world();
  await installed(there, REGISTERING);
  expect((await ext(there, "info", "p")).result.registers).toBeNull();
  expect(await start(there)).toMatchObject({ code: 0 });
  const registers = {
    events: ["session_start"],
    commands: ["pee"],
    tools: ["pee_tool"],
    flags: [],
    shortcuts: [],
  };
  expect((await ext(there, "info", "p")).result.registers).toEqual(registers);
  const lock = join(there.home, "extensions.lock.json");
  const before = readFileSync(lock, "utf8");
  await start(there);
  expect(readFileSync(lock, "utf8")).toBe(before);
});

test("a factory that fails is kept as the last error and stops nothing", async () => {
  const there = world();
  await installed(there, files(`export default () => { throw new Error("no luck"); };`));
  const run = await start(there);
  expect(run.code).toBe(0);
  expect(run.stderr).toContain("no luck");
  const lock = JSON.parse(readFileSync(join(there.home, "extensions.lock.json"), "utf8"));
  expect(lock.packages.p.lastError).toMatchObject({ code: "EXTENSION_LOAD_FAILED" });
});

test("a tampered package is refused at start", async () => {
  const there = world();
  await installed(there, REGISTERING);
  const [version] = Object.values(
    JSON.parse(readFileSync(join(there.home, "extensions.lock.json"), "utf8")).packages,
  ) as { folder: string }[];
  const entry = join(there.home, "packages", version?.folder ?? "", "index.ts");
  expect(existsSync(entry)).toBe(true);
  writeFileSync(entry, `export default () => { throw new Error("it ran"); };`);
  const run = await start(there);
  expect(run.stderr).toContain("INTEGRITY_MISMATCH");
  expect(run.stderr).not.toContain("it ran");
});

test("files that are gone are PACKAGE_MISSING, with the command that fetches them", async () => {
  const there = world();
  await installed(there, REGISTERING);
  rmSync(join(there.home, "packages", "p"), { recursive: true });
  const run = await start(there);
  expect(run).toMatchObject({ code: 0 });
  expect(run.stderr).toMatch(/PACKAGE_MISSING.*coppice ext install/);
});

test("what waits is CONSENT_REQUIRED, a broken lock file STATE_INVALID, and neither runs anything", async () => {
  const there = world();
  write(join(there.home, "extensions"), {
    "mine.ts": `export default () => { throw new Error("it ran"); };`,
  });
  const waiting = await start(there);
  expect(waiting.stderr).toContain("CONSENT_REQUIRED");
  writeFileSync(join(there.home, "extensions.lock.json"), "{ nonsense");
  const broken = await start(there);
  expect(broken.stderr).toContain("STATE_INVALID");
  expect(waiting.stderr + broken.stderr).not.toContain("it ran");
  expect([waiting.code, broken.code]).toEqual([0, 0]);
});

test("a package for another API is off with API_RANGE", async () => {
  const there = world();
  const manifest = { name: "p", version: "1.0.0", pi: { extensions: ["./index.ts"], api: "^2" } };
  await installed(there, { ...REGISTERING, "package.json": JSON.stringify(manifest) });
  expect((await ext(there, "list")).result).toMatchObject([
    { state: "failed", problem: { code: "API_RANGE" } },
  ]);
  expect((await start(there)).stderr).toContain("API_RANGE");
});

test("what git or npm cannot fetch is an error, and nothing is installed", async () => {
  const there = world();
  const git = await ext(there, "install", "git:https://127.0.0.1:9/a/b", "--yes");
  expect(git).toMatchObject({ code: 1, error: { code: "FETCH_FAILED" } });
  const { url } = await registry();
  const manifest = { name: "p", version: "1.0.0", dependencies: { nowhere: "1.0.0" } };
  const content = { ...REGISTERING, "package.json": JSON.stringify(manifest) };
  writeFileSync(join(there.project, "p.tgz"), packed(content));
  const { code, stdout } = await there.start(["ext", "install", "./p.tgz", "--yes", "--json"], {
    npm_config_registry: url,
    npm_config_cache: join(there.home, "npm"),
  }).ended;
  expect(code).toBe(1);
  expect(JSON.parse(stdout).error.code).toBe("DEPENDENCIES_FAILED");
  expect((await ext(there, "list")).result).toEqual([]);
});

test("a home that cannot be written to is STATE_WRITE_FAILED", async () => {
  const { home } = world();
  writeFileSync(home, "a file");
  const write = () => writeObject(join(home, "trust.json"), {}, nodeEnvironment);
  expect(write).toThrow(expect.objectContaining({ code: "STATE_WRITE_FAILED" }));
});
