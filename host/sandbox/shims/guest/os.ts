import type { GuestSettings } from "../settings.ts";

declare const settings: GuestSettings;

const NAMES: Readonly<Record<string, string>> = { linux: "Linux", darwin: "Darwin" };
const CPU = { model: "unknown", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } };

/** Fixed or harmless values: nothing of the machine beyond its platform. */
export default {
  EOL: "\n",
  devNull: "/dev/null",
  constants: { signals: {}, errno: {}, priority: {} },
  platform: () => settings.platform,
  type: () => NAMES[settings.platform] ?? "Unknown",
  arch: () => settings.arch,
  machine: () => settings.arch,
  endianness: () => "LE",
  release: () => "0.0.0",
  version: () => "",
  hostname: () => "localhost",
  homedir: () => settings.home,
  tmpdir: () => settings.tmp,
  cpus: () => [{ ...CPU }],
  availableParallelism: () => 1,
  totalmem: () => 1024 ** 3,
  freemem: () => 512 * 1024 ** 2,
  loadavg: () => [0, 0, 0],
  uptime: () => 0,
  networkInterfaces: () => ({}),
  userInfo: () => ({
    username: "user",
    uid: -1,
    gid: -1,
    shell: null,
    homedir: settings.home,
  }),
};
