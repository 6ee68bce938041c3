import { join } from "node:path";
import {
  type JsonObject,
  messageOf,
  messageText,
  type SessionEntry,
  timeOf,
} from "../../core/index.ts";
import { isSystemError, systemReason } from "./append-log.ts";
import { type Disk, type FileFacts, nodeDisk } from "./disk.ts";
import type { ListingCache } from "./listing-cache.ts";
import { type Scan, scanSession } from "./scan.ts";
import type { SessionFolder, SessionOrigin } from "./session-dir.ts";

/** A session in a list (session tree §2.7). Fields that a broken file does not yield are absent. */
export interface SessionListItem {
  readonly path: string;
  readonly origin: SessionOrigin;
  readonly id?: string;
  readonly cwd?: string;
  readonly name?: string;
  readonly parentSession?: string;
  /** Time of the header. */
  readonly created?: Date;
  /** The newest user or assistant message; without any, the header, else the file. */
  readonly modified: Date;
  /** Number of `message` entries. */
  readonly messageCount: number;
  /** Beginning of the first user message that has text. */
  readonly firstUserText?: string;
  /** Why the file could not be read, or not wholly. */
  readonly reason?: string;
}

export interface ListOptions {
  readonly disk?: Disk;
  readonly maxLineBytes?: number;
  readonly origin?: SessionOrigin;
  /** Items of files that are as they were. */
  readonly cache?: ListingCache;
}

/** Longer texts are cut: a list shows a line, and its memory stays small. */
const TEXT_LENGTH = 2000;
/** A line that is held while a file is listed; with this, memory for one file is bounded. */
const LINE_BYTES = 64 << 20;

/** The list item of a file. Never raises for what is in the file or in its way; `reason` says it. */
export async function listItem(path: string, options: ListOptions = {}): Promise<SessionListItem> {
  const { disk = nodeDisk, maxLineBytes = LINE_BYTES, origin = "coppice", cache } = options;
  let modified = new Date(0);
  try {
    const facts = disk.facts(path);
    if (!facts) return { path, origin, modified, messageCount: 0, reason: "it is gone" };
    modified = new Date(facts.modified);
    const known = cache?.get(path, facts);
    if (known) return known;
    const item = await readItem(path, origin, facts, disk, maxLineBytes);
    cache?.put(facts, item);
    return item;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { path, origin, modified, messageCount: 0, reason: systemReason(error) };
  }
}

/** The session files directly in a folder; none if there is no such folder. */
export function sessionPaths(folder: SessionFolder, disk: Disk = nodeDisk): string[] {
  if (disk.facts(folder.path)?.kind !== "folder") return [];
  return disk
    .list(folder.path)
    .filter((name) => name.endsWith(".jsonl") && !name.startsWith("."))
    .map((name) => join(folder.path, name));
}

async function readItem(
  path: string,
  origin: SessionOrigin,
  facts: FileFacts,
  disk: Disk,
  maxLineBytes: number,
): Promise<SessionListItem> {
  const fileTime = new Date(facts.modified);
  const bad = (reason: string) => ({ path, origin, modified: fileTime, messageCount: 0, reason });
  if (facts.kind !== "file") return bad("it is no file");
  const summary = new Summary();
  const fd = disk.open(path, "read");
  try {
    const sink = { header: () => undefined, record: summary.add.bind(summary) };
    const scan = await scanSession(disk, fd, { maxLineBytes }, sink);
    if (scan.problem) return bad(`no session: ${scan.problem.reason}`);
    if (!scan.header) return bad("it is empty");
    return { path, origin, ...summary.item(scan, fileTime) };
  } finally {
    disk.close(fd);
  }
}

/** What a list tells of one session, gathered record by record. */
class Summary {
  #messageCount = 0;
  #newest: number | undefined;
  #firstUserText: string | undefined;
  #name: string | undefined;
  #hasOversized = false;

  add({ record, isOversized }: { record: JsonObject; isOversized: boolean }): void {
    this.#hasOversized ||= isOversized;
    const { type } = record;
    if (type === "message") this.#addMessage(record);
    if (type === "session_info") this.#addName(record.name);
    if (type === "title_change") this.#addName(record.title);
  }

  item(scan: Scan, fileTime: Date): Omit<SessionListItem, "path" | "origin"> {
    const header: JsonObject = scan.header?.record as unknown as JsonObject;
    const { id, cwd, parentSession, timestamp, title } = header;
    const created = timeOf(timestamp);
    const name = (this.#name ?? scan.slotTitle ?? textOf(title))?.trim();
    return {
      id: String(id),
      ...(typeof cwd === "string" && cwd !== "" && { cwd }),
      ...(name && { name }),
      ...(typeof parentSession === "string" && { parentSession }),
      ...(created !== undefined && { created: new Date(created) }),
      modified: new Date(this.#newest ?? created ?? fileTime),
      messageCount: this.#messageCount,
      ...(this.#firstUserText !== undefined && { firstUserText: this.#firstUserText }),
      ...(this.#hasOversized && { reason: "it holds a line that is too long to load" }),
    };
  }

  #addMessage(record: JsonObject): void {
    this.#messageCount++;
    const message = messageOf(record as unknown as SessionEntry);
    if (message?.role !== "user" && message?.role !== "assistant") return;
    const own: unknown = message.timestamp;
    const time = isTime(own) ? own : timeOf(record.timestamp);
    if (time !== undefined && !(time <= (this.#newest ?? -Infinity))) this.#newest = time;
    if (message.role !== "user" || this.#firstUserText !== undefined) return;
    const text = messageText(message);
    if (text.trim() !== "") this.#firstUserText = text.slice(0, TEXT_LENGTH);
  }

  #addName(name: unknown): void {
    this.#name = textOf(name)?.slice(0, TEXT_LENGTH) ?? this.#name;
  }
}

/** A number that a clock can show. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && !Number.isNaN(new Date(value).getTime());
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
