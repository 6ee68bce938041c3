import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { AgentSessionOptions } from "coppice/host";
import type { Extension } from "../../host/extension.ts";
import { readManifest } from "../../host/manifest.ts";
import { PERMISSIONS } from "../../host/packages/permission-table.ts";
import { shortIdOf } from "../../host/packages/places.ts";
import { engineStatus } from "../tooling/engine-status.mjs";

/** A way to run extensions. Every case of the suite runs with each of them. */
export interface Loader {
  readonly name: string;
  /** Why it cannot run here; a skip that is counted. */
  readonly missing?: string | undefined;
  /** The options that make a session run the extensions of these folders so. */
  options(folders: readonly string[]): Pick<AgentSessionOptions, "installed" | "trusted">;
}

const inProcess: Loader = {
  name: "in process",
  options: (folders) => ({ trusted: folders }),
};

const engine = engineStatus();
const isRequired = process.env.ENGINE_REQUIRED === "1";

/** In an isolate, with all it may ask for granted. */
export const sandboxed: Loader = {
  name: "sandboxed",
  missing: engine.present || isRequired ? undefined : engine.reason,
  options: (folders) => ({ installed: folders.map((folder, i) => granted(folder, i)) }),
};

/** The package of a folder as if everything it may ask for had been granted. */
function granted(
  folder: string,
  rank: number,
  permissions: ReadonlySet<string> = new Set(Object.keys(PERMISSIONS)),
): Extension {
  const root = realpathSync(folder);
  const manifest = readManifest(root);
  const paths = manifest.extensions.map((entry) => join(root, entry));
  const { name: id, version } = manifest;
  return {
    id,
    shortId: shortIdOf(id),
    version,
    firstParty: false,
    permissions,
    entry: paths[0] ?? root,
    manifest,
    rank,
    package: {
      root,
      isFile: false,
      entries: paths.map((path) => ({ path, flavour: "coppice" })),
      source: root,
      scope: "run",
      key: { kind: "found", path: root },
      declared: undefined,
      reasons: {},
      dataFolder: join(root, "data"),
    },
  };
}

export const LOADERS: readonly Loader[] = [inProcess, sandboxed];
