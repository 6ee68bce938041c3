// `npm run bench:store`: opening and walking large sessions, beside the raw limit of the same file and
// the published peers, each measurement in a process of its own. Writes RESULTS.md.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateSession } from "./generate.mjs";
import { peers } from "./peers.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const MEASURE = here("./measure.mjs");
const RAW = here("./raw-limit.mjs");
const HOST = here("../../dist/host/index.js");
const sizes = (process.argv[2] ?? "100000,1000000").split(",").map(Number);
const folder = mkdtempSync(join(tmpdir(), "coppice-bench-"));
const others = peers();
const rows = [];
const notes = [];

try {
  for (const count of sizes) measureSize(count);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
writeResults();

function measureSize(count) {
  const path = join(folder, `${count}.jsonl`);
  generateSession(path, count, { branchEvery: count + 1 });
  const raw = least(3, () => measured(process.execPath, RAW, "raw", path, "raw")).open;
  const cold = least(3, (n) =>
    measured(process.execPath, HOST, "coppice", path, `cold${n}-${count}`),
  );
  measured(process.execPath, HOST, "coppice", path, `warm-${count}`);
  const second = least(3, () => measured(process.execPath, HOST, "coppice", path, `warm-${count}`));
  const label = `${count.toLocaleString("en")} entries`;
  add(`${label}: cold open ÷ raw limit`, cold.open / raw, 2.5, "most");
  add(`${label}: resident memory after opening, MB`, cold.rssAfterOpen / 1e6, 350, "most");
  for (const peer of others) comparePeer(peer, { path, count, label, cold, second });
}

function comparePeer({ name, node, module, missing }, { path, count, label, cold, second }) {
  if (missing !== undefined) {
    notes.push(`${label}: ${name} could not be installed: ${missing}`);
    return;
  }
  const found = measured(node, module, "peer", path, "peer");
  if (found.failure !== undefined) {
    notes.push(`${label}: ${name} does not open it: ${found.failure}`);
    return;
  }
  const isOld = name === "pi 0.73.1";
  const isLarge = count >= 1_000_000;
  add(
    `${label}: cold open, times faster than ${name}`,
    found.open / cold.open,
    isOld ? 0 : isLarge ? 4 : 2,
  );
  add(`${label}: second open, times faster than ${name}`, found.open / second.open, isOld ? 0 : 10);
  add(
    `${label}: getBranch, times faster than ${name}`,
    found.getBranch / cold.getBranch,
    isOld ? 20 : 1,
  );
  add(`${label}: buildSessionContext, times faster than ${name}`, found.context / cold.context, 1);
  add(`${label}: getTree ÷ that of ${name}`, cold.getTree / found.getTree, 0.25, "most");
  add(
    `${label}: getTree and a walk over all nodes ÷ those of ${name}`,
    (cold.getTree + cold.treeWalk) / (found.getTree + found.treeWalk),
    0,
  );
  add(`${label}: resident memory of ${name} after opening, MB`, found.rssAfterOpen / 1e6, 0);
}

function measured(node, module, kind, path, home) {
  const env = { ...process.env, COPPICE_HOME: join(folder, home) };
  const run = spawnSync(node, [MEASURE, module, kind, path], { env, encoding: "utf8" });
  if (run.status === 0) return JSON.parse(run.stdout);
  const words =
    run.stderr.split("\n").find((line) => /Error|memory/.test(line)) ?? `status ${run.status}`;
  return { failure: words.trim().slice(0, 160) };
}

/** Of several runs the least of each figure. */
function least(times, measure) {
  const runs = Array.from({ length: times }, (_, n) => measure(n));
  return Object.fromEntries(
    Object.keys(runs[0]).map((key) => [key, Math.min(...runs.map((run) => run[key]))]),
  );
}

/** `limit` 0: told, not limited. */
function add(what, value, limit, kind = "least") {
  const isMet = limit === 0 || (kind === "most" ? value <= limit : value >= limit);
  rows.push({
    what,
    value,
    limit: limit === 0 ? "" : `${kind === "most" ? "≤" : "≥"} ${limit}`,
    isMet,
  });
}

function writeResults() {
  const lines = rows.map(
    ({ what, value, limit, isMet }) =>
      `| ${what} | ${Number(value.toPrecision(3))} | ${limit} | ${isMet ? "" : "over"} |`,
  );
  const text = [
    "# Figures of the store",
    "",
    `Made by \`npm run bench:store\` on Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} processors.`,
    "Every figure is of one run on one machine. Cold: no index of the file is there. Second: the index that",
    "closing the session has kept is there. A path or a context of more than 2,000 entries is a list whose",
    "entries are parsed as they are reached; the peers have parsed all of them when the file is open.",
    "",
    "| figure | value | limit | |",
    "|---|---|---|---|",
    ...lines,
    "",
    ...notes.map((note) => `- ${note}`),
    "",
  ].join("\n");
  writeFileSync(here("./RESULTS.md"), text);
  console.log(text);
  process.exitCode = rows.every(({ isMet }) => isMet) ? 0 : 1;
}
