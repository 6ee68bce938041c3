import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { compilePackage } from "../../dist/host/sandbox/compile/index.js";
import { moduleText } from "../../dist/host/sandbox/shims/index.js";
import { engineStatus } from "../tooling/engine-status.mjs";
import { fetchPackage } from "./fetch.mjs";
import { compareEntry } from "./loading.mjs";
import { cache, entriesOf, here, packages, readJson } from "./places.mjs";

const COLUMNS = ["transform", "link", "loads", "registers"];
const facts = readJson(path.join(here, "facts.json"));
const floors = readJson(path.join(here, "floors.json"));
const engine = engineStatus();
/** One package by name, without the floors; absent: all. */
const only = process.argv[2];

await main();

async function main() {
  mkdirSync(cache, { recursive: true });
  const passes = { fetch: 0, manifest: 0, transform: 0, link: 0, loads: 0, registers: 0 };
  const rows = [];
  let skipped = 0;
  for (const locked of packages.filter(({ name }) => only === undefined || name === only)) {
    const fetched = fetchPackage(locked, cache);
    if (fetched.unreachable !== undefined) {
      skipped += 1;
      rows.push({ package: locked.name, fetch: "skipped", reason: fetched.unreachable });
    } else if (fetched.wrong !== undefined) {
      rows.push({ package: locked.name, fetch: "fail", reason: `hash ${fetched.wrong}` });
    } else rows.push(...(await packageRows(locked, fetched.folder, passes)));
  }
  report(rows, passes, skipped);
}

async function packageRows(locked, root, passes) {
  passes.fetch += 1;
  const entries = entriesOf(locked, root);
  const isComplete = entries.length === locked.entries;
  if (isComplete) passes.manifest += 1;
  const rows = [];
  for (const entry of entries) {
    const compiled = await compileEntry(entry);
    const loaded = engine.present
      ? await compareEntry(entry, facts[locked.name][entry.name])
      : { loads: "skipped", registers: "skipped", reason: engine.reason };
    const row = { package: locked.name, entry: entry.name, ...loaded, ...compiled };
    for (const column of COLUMNS) {
      if (row[column] === "pass") passes[column] += 1;
      row[column] = outcome(row[column], expectation(locked, entry.name, column));
    }
    rows.push(row);
  }
  return isComplete ? rows : [{ package: locked.name, manifest: "fail" }, ...rows];
}

/** Why a cell is expected to fail: an entry that cannot be compiled fails in every column. */
function expectation({ expectedFailures, expectedLoadFailures }, entry, column) {
  if (column === "transform" || column === "link") return expectedFailures[entry];
  return expectedFailures[entry] ?? expectedLoadFailures[entry]?.[column];
}

/** An expected failure that passes is a failure until it is struck off. */
function outcome(result, reason) {
  if (reason === undefined || result === "skipped") return result;
  return result === "pass" ? "fail (unexpected pass)" : `expected-fail (${reason})`;
}

/** Compiles one entry, and looks whether every module of the host that it names has a text. */
async function compileEntry({ name, root, file }) {
  try {
    const { modules } = await compilePackage({ id: name, root, entries: [file] });
    const texts = await Promise.all(modules.map((module) => moduleText(module)));
    const missing = modules.filter((_, i) => texts[i] === undefined);
    const link = missing.length === 0 ? "pass" : "fail";
    return {
      transform: "pass",
      link,
      modules,
      ...(link === "fail" && { reason: missing.join(", ") }),
    };
  } catch (error) {
    if (error.code !== "EXTENSION_LOAD_FAILED") throw error;
    return { transform: "fail", link: "fail", reason: error.message };
  }
}

function report(rows, passes, skipped) {
  const failures = rows.filter((row) => Object.values(row).some(isFailure));
  for (const row of rows) {
    const { fetch = "pass", reason = "" } = row;
    const cells = COLUMNS.map((column) => row[column] ?? "-");
    const name = [row.package, row.entry].filter(Boolean).join(" ");
    console.log([name, fetch, ...cells, reason].join(" | "));
  }
  console.log(`entry | fetch | ${COLUMNS.join(" | ")}`);
  console.log(JSON.stringify(passes));
  if (!engine.present) console.log(`loads and registers skipped: ${engine.reason}`);
  if (skipped > 0) console.log(`${skipped} skipped: registry unreachable`);
  writeFileSync(
    path.join(cache, only === undefined ? "matrix.json" : "matrix-of-one.json"),
    JSON.stringify({ passes, skipped, rows }, null, 2),
  );
  process.exitCode = failures.length > 0 || isBelow(passes, skipped) ? 1 : 0;
}

function isFailure(value) {
  return typeof value === "string" && /^fail( |$)/.test(value);
}

function isBelow(passes, skipped) {
  const isRequired = process.env.CONFORMANCE_REQUIRED === "1";
  if (skipped > 0) return isRequired;
  if (only !== undefined) return false;
  if (!engine.present && isRequired) return true;
  const isRun = ([column]) => engine.present || !["loads", "registers"].includes(column);
  const columns = Object.entries(floors).filter(isRun);
  for (const [column, floor] of columns) {
    if (passes[column] > floor)
      console.log(`${column}: ${passes[column]} is above its floor of ${floor}`);
    if (passes[column] < floor)
      console.log(`${column}: ${passes[column]} is below its floor of ${floor}`);
  }
  return columns.some(([column, floor]) => passes[column] < floor);
}
