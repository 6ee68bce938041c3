import { childScript } from "./bundles.ts";
import { findEngine } from "./engine-place.ts";
import { flagsFor, hasWall } from "./flags.ts";
import { type LaunchPlan, StartFailure } from "./host-process.ts";

export interface LaunchOptions {
  readonly jit: boolean;
  /** Command and arguments to put before the extension host's own (setting `sandbox.wrapper`). */
  readonly wrapper: readonly string[];
  readonly platform: NodeJS.Platform;
}

/** How the extension host is started here. Raises a {@link StartFailure} that says what is missing. */
export async function launchPlan({ jit, wrapper, platform }: LaunchOptions): Promise<LaunchPlan> {
  if (platform !== "linux" && platform !== "darwin") throw new StartFailure("platform");
  const engine = findEngine();
  if (!engine) throw new StartFailure("engine");
  const script = await childScript();
  const { node } = process.versions;
  const flags = flagsFor({ node, jit, script, engineFolders: engine.folders });
  const { module, manifest, version } = engine;
  const [command = process.execPath, ...before] = wrapper;
  const own = wrapper.length > 0 ? [process.execPath] : [];
  return {
    command,
    args: [...before, ...own, ...flags, script],
    engine: { module, manifest, version },
    walled: hasWall(node),
    isDirect: wrapper.length === 0,
  };
}
