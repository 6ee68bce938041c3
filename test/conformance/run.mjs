import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compilePackage } from "../../dist/host/sandbox/compile/index.js";
import { moduleText } from "../../dist/host/sandbox/shims/index.js";
import { fetchPackage } from "./fetch.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const cache = path.join(here, "../../node_modules/.cache/coppice-conformance");
const { packages } = readJson(path.join(here, "extensions.lock.json"));
const floors = readJson(path.join(here, "floors.json"));

await main();

async function main() {
  mkdirSync(cache, { recursive: true });
  const passes = { fetch: 0, manifest: 0, transform: 0, link: 0 };
  const rows = [];
  let skipped = 0;
  for (const locked of packages) {
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
  const entries = entriesIn(path.join(root, locked.folder));
  const isComplete = entries.length === locked.entries;
  if (isComplete) passes.manifest += 1;
  const rows = [];
  for (const entry of entries) {
    const row = { package: locked.name, entry: entry.name, ...(await compileEntry(entry)) };
    const reason = locked.expectedFailures[entry.name];
    for (const column of ["transform", "link"]) {
      if (row[column] === "pass") passes[column] += 1;
      row[column] = outcome(row[column], reason);
    }
    rows.push(row);
  }
  return isComplete ? rows : [{ package: locked.name, manifest: "fail" }, ...rows];
}

/** An expected failure that passes is a failure until it is struck off. */
function outcome(result, reason) {
  if (reason === undefined) return result;
  return result === "pass" ? "fail (unexpected pass)" : `expected-fail (${reason})`;
}

function entriesIn(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const place = path.join(folder, name);
      if (!statSync(place).isDirectory()) {
        return name.endsWith(".ts") ? [{ name: name.slice(0, -3), root: place, file: place }] : [];
      }
      const file = ["index.ts", "src/index.ts"]
        .map((one) => path.join(place, one))
        .find(existsSync);
      return file === undefined ? [] : [{ name, root: place, file }];
    });
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
    const { transform = "-", link = "-", fetch = "pass", reason = "" } = row;
    const name = [row.package, row.entry].filter(Boolean).join(" ");
    if (transform !== "pass" || link !== "pass") console.log(name, fetch, transform, link, reason);
  }
  console.log(JSON.stringify(passes));
  if (skipped > 0) console.log(`${skipped} skipped: registry unreachable`);
  writeFileSync(
    path.join(cache, "matrix.json"),
    JSON.stringify({ passes, skipped, rows }, null, 2),
  );
  process.exitCode = failures.length > 0 || isBelow(passes, skipped) ? 1 : 0;
}

function isFailure(value) {
  return typeof value === "string" && /^fail( |$)/.test(value);
}

function isBelow(passes, skipped) {
  if (skipped > 0) return process.env.CONFORMANCE_REQUIRED === "1";
  const columns = Object.entries(floors);
  for (const [column, floor] of columns) {
    if (passes[column] > floor)
      console.log(`${column}: ${passes[column]} is above its floor of ${floor}`);
    if (passes[column] < floor)
      console.log(`${column}: ${passes[column]} is below its floor of ${floor}`);
  }
  return columns.some(([column, floor]) => passes[column] < floor);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
