import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { engineStatus } from "./engine-status.mjs";

const folder = new URL("../../host/sandbox/engine-node20/", import.meta.url);
const tarball = new URL("../coppice-engine-node20-1.0.0.tgz", folder);
const lock = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"));
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** Files of an npm tarball: name below `package/` → text. */
function tarballFiles(): Record<string, string> {
  const bytes = gunzipSync(readFileSync(tarball));
  const files: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const name = field(bytes, at, 100);
    if (name === "") break;
    const size = Number.parseInt(field(bytes, at + 124, 12), 8);
    const start = at + 512;
    files[name.replace(/^package\//, "")] = bytes.toString("utf8", start, start + size);
    at = start + Math.ceil(size / 512) * 512;
  }
  return files;
}

function field(bytes: Buffer, start: number, length: number): string {
  return bytes.toString("latin1", start, start + length).replace(/\0.*$/s, "");
}

describe("the engine package for Node 20", () => {
  test("is in the tarball byte for byte as in its folder", () => {
    expect(tarballFiles()).toEqual({
      "package.json": readFileSync(new URL("package.json", folder), "utf8"),
      "index.cjs": readFileSync(new URL("index.cjs", folder), "utf8"),
    });
  });

  test("fits Node 20 only, and the other engine is the one for later versions", () => {
    const engine = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
    expect(engine.engines).toEqual({ node: ">=20 <22" });
    expect(engine.dependencies).toEqual({ "isolated-vm": "5.0.4" });
    expect(manifest.optionalDependencies).toEqual({
      [engine.name]: `file:host/sandbox/${engine.name}-${engine.version}.tgz`,
      "isolated-vm": "6.2.0",
    });
    expect(manifest.allowScripts).toEqual({ esbuild: false, "isolated-vm": true, koffi: false });
  });
});

describe("the lock file", () => {
  test("names no address, so that it installs from any registry", () => {
    const packages: { resolved?: string }[] = Object.values(lock.packages);
    const resolved = packages.flatMap((item) => item.resolved ?? []);
    expect(resolved).toEqual([manifest.optionalDependencies["coppice-engine-node20"]]);
  });

  test("knows the tarball by its present content", () => {
    const digest = createHash("sha512").update(readFileSync(tarball)).digest("base64");
    const { integrity } = lock.packages["node_modules/coppice-engine-node20"];
    expect(integrity).toBe(`sha512-${digest}`);
  });
});

describe("the sandbox engine on this machine", () => {
  const status = engineStatus();
  const required = process.env.ENGINE_REQUIRED === "1";

  test.skipIf(!status.present && !required)("runs code in an isolate", () => {
    expect(status).toEqual({ present: true, version: expect.any(String), sum: 2 });
  });
});
