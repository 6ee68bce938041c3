import { join } from "node:path";

/** Folders and files the extension host may read; nothing else, and it may write none. */
export interface Readable {
  readonly script: string;
  readonly engineFolders: readonly string[];
}

interface FlagOptions extends Readable {
  /** `process.versions.node` of the Node that runs. */
  readonly node: string;
  readonly jit: boolean;
}

/** Whether this Node's permission model is used (sandbox spec §2.3). */
export function hasWall(node: string): boolean {
  return isAtLeast(node, 20, 12);
}

/** The flags of the extension host for a version of Node: what a version refuses is not in it. */
export function flagsFor({ node, jit, script, engineFolders }: FlagOptions): readonly string[] {
  const major = partsOf(node)[0];
  const flags = ["--no-node-snapshot", "--disable-proto=throw", "--no-warnings"];
  if (!jit) flags.push("--jitless");
  if (major < 24) flags.push("--no-expose-wasm");
  if (major < 22) flags.push("--no-harmony-rab-gsab");
  if (!hasWall(node)) return flags;
  const readable = [script, ...engineFolders.map((folder) => join(folder, "*"))];
  return [
    ...flags,
    isAtLeast(node, 22, 13) ? "--permission" : "--experimental-permission",
    "--allow-addons",
    ...[...readable, "/etc/alpine-release"].map((path) => `--allow-fs-read=${path}`),
  ];
}

function isAtLeast(node: string, major: number, minor: number): boolean {
  const [ownMajor, ownMinor] = partsOf(node);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function partsOf(node: string): readonly [number, number] {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return [major, minor];
}
