import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readTarball } from "../../dist/host/packages/tar.js";

const LIMITS = { maxBytes: 256 * 1024 * 1024, maxFiles: 20_000 };

/**
 * The folder of an unpacked package, fetched by the npm client and kept in `cache`.
 * @returns `{ folder }`, `{ unreachable }` with npm's words, or `{ wrong }` with the hash that was found.
 */
export function fetchPackage({ name, version, integrity }, cache) {
  const stem = `${name.replace(/[@/]+/g, "-").replace(/^-/, "")}-${version}`;
  const tarball = path.join(cache, `${stem}.tgz`);
  if (!existsSync(tarball)) {
    const problem = pack(`${name}@${version}`, tarball, cache);
    if (problem !== undefined) return { unreachable: problem };
  }
  const bytes = readFileSync(tarball);
  const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  if (found !== integrity) return { wrong: found };
  const folder = path.join(cache, stem);
  if (!existsSync(folder)) unpack(bytes, stem, folder);
  return { folder };
}

function pack(source, tarball, cache) {
  const target = path.join(cache, "incoming");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const options = ["--pack-destination", target, "--ignore-scripts", "--silent"];
  const { status, stderr } = spawnSync("npm", ["pack", source, ...options], { encoding: "utf8" });
  const [file] = readdirSync(target);
  if (status !== 0 || file === undefined) return stderr.trim() || `npm ended with ${status}`;
  writeFileSync(tarball, readFileSync(path.join(target, file)));
  return undefined;
}

function unpack(bytes, label, folder) {
  for (const file of readTarball(bytes, label, LIMITS)) {
    const target = path.join(folder, file.path);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, file.content);
  }
}
