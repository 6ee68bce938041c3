import { basename, dirname, join } from "node:path";
import {
  coreError,
  encodeRecord,
  entryId,
  FORMAT_VERSION,
  isNode,
  type JsonObject,
  POSITION_MARKER,
  ROOT,
  recordedLeaf,
  timestamp,
} from "../../core/index.ts";
import { afterFailure, writeFailed } from "./append-log.ts";
import type { Disk } from "./disk.ts";
import type { Content } from "./doctor.ts";
import type { FileSetup } from "./loading.ts";
import { TemporaryFile } from "./temporary-file.ts";

/** A repaired copy of a session. */
export interface Repaired {
  readonly file: string;
  /** Entries in it. */
  readonly entryCount: number;
}

/**
 * Writes everything that could be read of a session into a new file beside it, whole and on the disk
 * when this returns; the old file stays as it is. Raises SESSION_WRITE_FAILED, and SESSION_READ_ONLY
 * for a newer format.
 */
export function repairInto(path: string, content: Content, setup: FileSetup): Repaired {
  const { disk, env } = setup;
  const { version } = content.loaded;
  if (version > FORMAT_VERSION) {
    const reason = `it has format version ${version}, newer than ${FORMAT_VERSION}`;
    throw coreError("SESSION_READ_ONLY", { path, reason });
  }
  const file = freeName(path, disk);
  try {
    const to = new TemporaryFile(disk, file, env);
    try {
      const entryCount = writeAll(content, setup, to);
      to.finish(true);
      to.takeName();
      disk.syncFolder(dirname(file));
      return { file, entryCount };
    } catch (error) {
      throw afterFailure(file, error, () => to.remove());
    }
  } catch (error) {
    throw writeFailed(file, error);
  }
}

function freeName(path: string, disk: Disk): string {
  const base = basename(path).replace(/\.jsonl$/, "");
  const name = (n: number) => join(dirname(path), `${base}.repaired${n > 1 ? `-${n}` : ""}.jsonl`);
  let n = 1;
  while (disk.facts(name(n))) n++;
  return name(n);
}

function writeAll(content: Content, setup: FileSetup, to: TemporaryFile): number {
  const { loaded, tree } = content;
  const { rows } = loaded.log;
  const header = { ...loaded.header, ...(loaded.slotTitle && { title: loaded.slotTitle }) };
  to.writeText(`${encodeRecord(header)}\n`);
  const taken = new Set<string>();
  const newId = () => {
    const id = entryId(setup.env, (one) => rows.keyOf(one) >= 0 || taken.has(one));
    taken.add(id);
    return id;
  };
  let entryCount = 0;
  let last: number = ROOT;
  for (let index = 0; index < rows.length; index++) {
    const isNew = !isNode(tree, index);
    if (isNew && !isOtherText(content, index)) continue;
    writeEntry(content, index, isNew ? newId() : undefined, to);
    entryCount++;
    last = isNew ? NOWHERE : index;
  }
  const { leaf } = recordedLeaf(tree);
  if (leaf !== last) to.writeText(`${encodeRecord(markerOf(content, leaf, newId(), setup))}\n`);
  return entryCount;
}

/** The last record is one that got another id. */
const NOWHERE = -2;

const TEXTS = new Set(["message", "custom_message", "branch_summary"]);

/** True for a message that a later record with its id replaces, unless both say the same. */
function isOtherText({ loaded, tree }: Content, index: number): boolean {
  const { log } = loaded;
  const { marker, type } = log.rows.kindAt(index);
  if (marker || !TEXTS.has(type) || log.isOversized(index)) return false;
  const inForce = tree.nodes.get(log.rows.idKey(index));
  return encodeRecord(log.read(index)) !== encodeRecord(log.read(inForce));
}

function writeEntry(
  { loaded, tree }: Content,
  index: number,
  id: string | undefined,
  to: TemporaryFile,
): void {
  const { log } = loaded;
  const parent =
    id === undefined ? tree.parents.at(index) : parentOf(tree, log.ids(index).parentId);
  const parentId = parent === ROOT ? null : log.rows.idAt(parent);
  if (log.isOversized(index)) {
    log.writeOversized(index, to, log.ids(index).parentId === parentId ? undefined : { parentId });
  } else {
    const record: JsonObject = log.read(index);
    to.writeText(encodeRecord({ ...record, ...(id !== undefined && { id }), parentId }));
  }
  to.writeText("\n");
}

function parentOf(tree: Content["tree"], parentId: string | null): number {
  const key = parentId === null ? -1 : tree.rows.keyOf(parentId);
  return key < 0 ? ROOT : Math.max(ROOT, tree.nodes.get(key));
}

function markerOf({ loaded }: Content, leaf: number, id: string, { env }: FileSetup): JsonObject {
  const parentId = leaf === ROOT ? null : loaded.log.rows.idAt(leaf);
  const base = { type: "custom", id, parentId, timestamp: timestamp(env) };
  return { ...base, customType: POSITION_MARKER };
}
