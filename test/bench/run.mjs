// `npm run bench`: every figure is a ratio to a limit measured in the same run; a limit that is passed fails it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSession } from "../../dist/host/index.js";
import { generateSession } from "./generate.mjs";
import { rawLimit } from "./raw-limit.mjs";

const BIN = fileURLToPath(new URL("../../dist/tui/main.js", import.meta.url));
const rows = [];
const appends = [];
const folder = mkdtempSync(join(tmpdir(), "coppice-bench-"));
process.env.COPPICE_HOME = join(folder, "home");

try {
  for (const count of [1_000, 10_000, 100_000]) await measureSession(count);
  measureStart();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
print();

async function measureSession(count) {
  const path = join(folder, `${count}.jsonl`);
  generateSession(path, count);
  const raw = best(3, () => rawLimit(path).milliseconds);
  const opening = await bestOf(3, async () => (await openSession(path, { mode: "read" })).close());
  add(`open, ${count} entries`, opening / raw, 25, "raw limit of the same file");
  const session = await openSession(path, { mode: "write" });
  const chain = best(3, () => time(() => session.getBranch()));
  add(`getBranch, ${count} entries`, chain / opening, 2, "its opening");
  const context = best(3, () => time(() => session.buildSessionContext()));
  add(`buildSessionContext, ${count} entries`, context / opening, 2, "its opening");
  const append = best(20, () => time(() => session.appendCustomEntry("bench", {})));
  appends.push(append);
  add(`append, ${count} entries`, append / appends[0], 5, "append at 1000 entries");
  session.close();
}

function measureStart() {
  const node = best(3, () => time(() => spawnSync(process.execPath, ["-e", "0"])));
  for (const [name, args, limit] of [
    ["--version", ["--version"], 3],
    ["--help", ["--help"], 12],
    ["context of 1000 entries", ["context", join(folder, "1000.jsonl"), "--json"], 15],
    ["tree of 1000 entries", ["tree", join(folder, "1000.jsonl"), "--json"], 15],
  ]) {
    const run = best(3, () => time(() => spawnSync(process.execPath, [BIN, ...args])));
    add(`start: coppice ${name}`, run / node, limit, "start of node");
  }
}

function time(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function best(times, measure) {
  return Math.min(...Array.from({ length: times }, measure));
}

async function bestOf(times, work) {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

function add(what, ratio, limit, against) {
  rows.push({ what, ratio: Number(ratio.toFixed(3)), limit, against });
}

function print() {
  console.table(rows);
  const over = rows.filter(({ ratio, limit }) => ratio > limit);
  for (const { what, ratio, limit } of over)
    console.error(`over its limit: ${what}: ${ratio} > ${limit}`);
  process.exitCode = over.length > 0 ? 1 : 0;
}
