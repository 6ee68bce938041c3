import type { GuestSettings } from "../settings.ts";

declare const settings: GuestSettings;

/** What npm packages in these texts find as `process`. */
export const process = /* @__PURE__ */ (() => ({
  env: {},
  platform: settings.platform,
  version: settings.nodeVersion,
  versions: { node: settings.nodeVersion.slice(1) },
  argv: [],
  cwd: () => settings.cwd,
  nextTick: (run: (...args: unknown[]) => void, ...args: unknown[]) =>
    queueMicrotask(() => run(...args)),
  emitWarning: (warning: unknown) => settings.log("warn", String(warning)),
}))();

export { Buffer } from "node:buffer";
