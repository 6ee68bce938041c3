import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionManager } from "coppice/core";
import { type Disk, nodeDisk } from "../../host/storage/disk.ts";
import { openSession } from "../../host/storage/sessions.ts";
import { tree } from "../world.ts";

export interface DiskSession {
  readonly session: SessionManager;
  readonly path: string;
  readonly folder: string;
  readonly id: (name: string) => string;
}

/** A session file from the picture of a tree, opened. Its leaf is the last entry of the file. */
export async function diskSession(
  options: {
    readonly picture?: string;
    readonly mode?: "read" | "write";
    readonly disk?: Disk;
  } = {},
): Promise<DiskSession> {
  const world = tree(options.picture ?? "u1 a1*");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-disk-")));
  const path = join(folder, "session.jsonl");
  const records = [{ ...world.session.getHeader(), cwd: folder }, ...world.session.getEntries()];
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const { mode = "write", disk = nodeDisk } = options;
  const session = await openSession(path, { mode, disk });
  return { session, path, folder, id: world.id };
}
