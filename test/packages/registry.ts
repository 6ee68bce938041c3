import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type Files, packed } from "./world.ts";

/** A registry on this machine: real HTTP, packages that a test publishes. */
export interface Registry {
  readonly url: string;
  publish(files: Files, change?: { readonly bytes?: Buffer }): void;
}

export async function registry(): Promise<Registry> {
  const packages = new Map<
    string,
    Map<string, { manifest: object; bytes: Buffer; integrity: string }>
  >();
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "").slice(1);
    const [, tarName = "", tarVersion = ""] = /^(.+)\/-\/(.+)\.tgz$/.exec(path) ?? [];
    const tar = packages.get(tarName)?.get(tarVersion);
    if (tar) return void response.end(tar.bytes);
    const found = packages.get(path);
    if (!found) return void response.writeHead(404).end("{}");
    const versions = Object.fromEntries(
      [...found].map(([version, { manifest, integrity }]) => [
        version,
        { ...manifest, dist: { tarball: `${url}${path}/-/${version}.tgz`, integrity } },
      ]),
    );
    const latest = [...found.keys()].at(-1);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name: path, "dist-tags": { latest }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    url,
    publish(files, change = {}) {
      const manifest = JSON.parse(files["package.json"] ?? "{}");
      const bytes = packed(files);
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      const versions = packages.get(manifest.name) ?? new Map();
      versions.set(manifest.version, { manifest, bytes: change.bytes ?? bytes, integrity });
      packages.set(manifest.name, versions);
    },
  };
}
