import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registry } from "../packages/registry.ts";
import { type Files, packed, write } from "../packages/world.ts";
import { world } from "./world.ts";

const pack = (manifest: object, code = "export default () => {};"): Files => ({
  "package.json": JSON.stringify({
    name: "p",
    version: "1.0.0",
    pi: { extensions: ["./index.ts"] },
    ...manifest,
  }),
  "index.ts": code,
});
async function ext(there: ReturnType<typeof world>, ...args: string[]) {
  const { code, stdout, stderr } = await there.coppice("ext", ...args, "--json");
  return { code, stderr, json: JSON.parse(stdout) };
}
const files = (root: string) => readdirSync(root, { recursive: true, encoding: "utf8" });

test("no module and no install script runs for install, list, info, doctor, permissions, --help", async () => {
  const there = world();
  const marker = join(there.project, "marker");
  const touch = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "x")`;
  const scripts = Object.fromEntries(
    ["preinstall", "install", "postinstall", "prepare", "prepack"].map((s) => [
      s,
      `touch ${marker}`,
    ]),
  );
  writeFileSync(
    join(there.project, "p.tgz"),
    packed(
      pack(
        { scripts },
        `import { createRequire } from "node:module"; const require = createRequire(import.meta.url); ${touch}; export default () => {}`,
      ),
    ),
  );
  const installed = await ext(there, "install", "./p.tgz");
  expect(installed).toMatchObject({
    code: 3,
    json: { ok: true, command: "install", result: { state: "needs-consent" } },
  });
  for (const args of [
    ["list"],
    ["info", "p"],
    ["info", "./p.tgz"],
    ["doctor"],
    ["permissions", "p"],
  ])
    await ext(there, ...args);
  await there.coppice("--help");
  await there.coppice("ext", "--help");
  await there.coppice("--model", "offline", "-p", "hello");
  expect(existsSync(marker)).toBe(false);
});

test("a tampered package is off with INTEGRITY_MISMATCH, and a new install brings it back", async () => {
  const there = world();
  writeFileSync(join(there.project, "p.tgz"), packed(pack({})));
  await ext(there, "install", "./p.tgz", "--yes");
  expect((await ext(there, "list")).json.result).toMatchObject([{ id: "p", state: "active" }]);
  const root = join(there.home, "packages", "p");
  const [path = ""] = files(root).filter((name) => name.endsWith("index.ts"));
  writeFileSync(join(root, path), "export default () => { evil(); };");
  expect((await ext(there, "list")).json.result).toMatchObject([
    { state: "failed", problem: { code: "INTEGRITY_MISMATCH" } },
  ]);
  await ext(there, "install", "./p.tgz", "--yes");
  expect((await ext(there, "list")).json.result).toMatchObject([{ state: "active" }]);
});

test("an update that asks for more waits; the version in use stays until it is accepted", async () => {
  const there = world({});
  const { url, publish } = await registry();
  const run = async (...args: string[]) => {
    const { code, stdout } = await there.start(["ext", ...args, "--json"], {
      npm_config_registry: url,
      npm_config_cache: join(there.home, "npm"),
    }).ended;
    return { code, json: JSON.parse(stdout) };
  };
  publish(pack({}));
  expect(await run("install", "npm:p", "--yes")).toMatchObject({ code: 0 });
  publish(
    pack({ version: "1.1.0", pi: { extensions: ["./index.ts"], permissions: ["session:read"] } }),
  );
  const npm = { npm_config_prefer_online: "true" };
  const update = await there.start(["ext", "update", "--json"], {
    npm_config_registry: url,
    npm_config_cache: join(there.home, "npm"),
    ...npm,
  }).ended;
  expect(JSON.parse(update.stdout).result).toMatchObject([
    { from: "1.0.0", to: "1.1.0", outcome: "update-pending", waiting: ["session:read"] },
  ]);
  expect(update.code).toBe(3);
  expect((await run("list")).json.result).toMatchObject([
    { version: "1.0.0", state: "update-pending" },
  ]);
  expect(await run("update", "p", "--accept", "session:read")).toMatchObject({ code: 0 });
  expect((await run("list")).json.result).toMatchObject([{ version: "1.1.0", state: "active" }]);
});

test("a tarball that is not the registry's is INTEGRITY_MISMATCH, and an unreachable one is said", async () => {
  const there = world();
  const { url, publish } = await registry();
  publish(pack({}), { bytes: packed(pack({}, "evil()")) });
  const run = async (registryUrl: string) =>
    JSON.parse(
      (
        await there.start(["ext", "install", "npm:p", "--yes", "--json"], {
          npm_config_registry: registryUrl,
          npm_config_cache: join(there.home, "npm"),
        }).ended
      ).stdout,
    );
  expect(await run(url)).toMatchObject({ ok: false, error: { code: "INTEGRITY_MISMATCH" } });
  expect(await run("http://127.0.0.1:9/")).toMatchObject({
    ok: false,
    error: { code: "REGISTRY_UNREACHABLE" },
  });
  expect((await ext(there, "list")).json.result).toEqual([]);
});

test("what a project brings is listed and runs nothing before trust", async () => {
  const there = world();
  write(there.project, { ".coppice/extensions/mine.ts": "export default () => {};" });
  expect((await ext(there, "list")).json.result).toMatchObject([
    { id: "mine", state: "untrusted-project" },
  ]);
  const run = await there.coppice("--model", "offline", "-p", "hello");
  expect(run.stderr).toContain("PROJECT_NOT_TRUSTED");
  const enabled = await ext(there, "enable", "mine", "--yes");
  expect(enabled).toMatchObject({ code: 1, json: { error: { code: "PROJECT_NOT_TRUSTED" } } });
});

test("permissions are granted, denied and reset; unknown ones and packages are refused; remove leaves nothing", async () => {
  const there = world();
  writeFileSync(
    join(there.project, "p.tgz"),
    packed(
      pack({
        pi: {
          extensions: ["./index.ts"],
          permissions: ["session:read", "exec:git"],
          optionalPermissions: ["model:credentials"],
        },
      }),
    ),
  );
  const all = await ext(there, "install", "./p.tgz", "--accept-all");
  expect(all.json.result).toMatchObject({
    state: "active",
    permissions: { granted: ["session:read", "exec:git"] },
    waiting: ["model:credentials"],
  });
  expect(
    (await ext(there, "permissions", "p", "--deny", "exec:git")).json.result.permissions,
  ).toEqual({ granted: ["session:read"], denied: ["exec:git"] });
  expect(await ext(there, "permissions", "p", "--grant", "exec:rm")).toMatchObject({
    code: 1,
    json: { error: { code: "PERMISSION_UNKNOWN" } },
  });
  expect(await ext(there, "disable", "nobody")).toMatchObject({
    code: 1,
    json: { error: { code: "EXTENSION_NOT_FOUND" } },
  });
  expect(await ext(there, "instal", "x")).toMatchObject({
    code: 2,
    json: { ok: false, error: { code: "USAGE" } },
  });
  expect(await ext(there, "remove", "p")).toMatchObject({ code: 0 });
  expect(existsSync(join(there.home, "packages", "p"))).toBe(false);
  expect(
    readFileSync(join(there.home, "audit.jsonl"), "utf8").trim().split("\n").length,
  ).toBeGreaterThanOrEqual(3);
});

test("a broken lock file stops nothing; doctor --fix rebuilds it without grants", async () => {
  const there = world();
  writeFileSync(join(there.project, "p.tgz"), packed(pack({})));
  await ext(there, "install", "./p.tgz", "--yes");
  writeFileSync(join(there.home, "extensions.lock.json"), "{ nonsense");
  expect((await there.coppice("--model", "offline", "-p", "hello")).code).toBe(0);
  await ext(there, "doctor", "--fix");
  expect((await ext(there, "list")).json.result).toMatchObject([
    { id: "p", state: "needs-consent" },
  ]);
});

test("two installs at once wait for each other", async () => {
  const there = world();
  for (const name of ["a", "b"])
    writeFileSync(join(there.project, `${name}.tgz`), packed(pack({ name })));
  const both = await Promise.all(
    ["a", "b"].map((name) => ext(there, "install", `./${name}.tgz`, "--yes")),
  );
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect((await ext(there, "list")).json.result.map(({ id }: { id: string }) => id).sort()).toEqual(
    ["a", "b"],
  );
  mkdirSync(there.home, { recursive: true });
});
