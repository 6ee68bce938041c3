import type { Environment } from "../../core/index.ts";
import type { Variables } from "../storage/session-dir.ts";
import type { Settings } from "../storage/settings.ts";
import type { Places } from "./places.ts";
import type { PackageLimits } from "./tar.ts";

/** What every operation on packages works with. */
export interface PackageWork {
  readonly places: Places;
  /** The working folder: the project. */
  readonly cwd: string;
  readonly settings: Settings;
  readonly env: Environment;
  readonly variables: Variables;
  readonly signal?: AbortSignal | undefined;
  /** Says one line while the work goes on. */
  note(line: string): void;
}

const MAX_FILES = 20_000;

/** What a package may hold at most (extensions spec §5.3). */
export function limitsOf({ settings }: PackageWork): PackageLimits {
  const maxBytes = Number(settings.get("extensions.maxPackageMb")) * 1_000_000;
  return { maxBytes, maxFiles: MAX_FILES };
}

/** The version of the extension API that this host has (extensions spec §4.1). */
export const API_VERSION = "1.0.0";
