import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../core/index.ts";
import { isSystemError } from "./append-log.ts";
import type { FileFacts } from "./disk.ts";
import type { SessionListItem } from "./listing.ts";

/** What a file must still be for its item to count. */
type Key = Pick<FileFacts, "identity" | "size" | "stamp">;

interface Kept {
  readonly key: Key;
  readonly item: SessionListItem;
}

/** A list of another shape has another number. */
const VERSION = 1;

/**
 * The items of one project's list from the last time, by path, in a disposable file of the cache. A
 * cache that is missing, damaged or of other rules holds nothing; that it cannot be kept is no loss.
 */
export class ListingCache {
  readonly #path: string;
  readonly #rules: string;
  readonly #before: ReadonlyMap<string, Kept>;
  readonly #now = new Map<string, Kept>();
  #isChanged = false;

  /** `maxLineBytes` decides what an item says of long lines. */
  constructor(folder: string, project: string, maxLineBytes: number) {
    this.#path = join(folder, `${sha256(project).slice(0, 32)}.list`);
    this.#rules = JSON.stringify([VERSION, maxLineBytes]);
    this.#before = readKept(this.#path, this.#rules);
  }

  /** The item of a file that is as it was. */
  get(path: string, facts: Key): SessionListItem | undefined {
    const kept = this.#before.get(path);
    if (!kept || !isSame(kept.key, facts)) return undefined;
    this.#now.set(path, kept);
    return kept.item;
  }

  /** Takes the item of a file that had these facts before it was read. */
  put({ identity, size, stamp }: Key, item: SessionListItem): void {
    this.#now.set(item.path, { key: { identity, size, stamp }, item });
    this.#isChanged = true;
  }

  /** Keeps what was got and put, and nothing else. */
  store(): void {
    if (!this.#isChanged && this.#now.size === this.#before.size) return;
    const content = JSON.stringify([...this.#now.values()]);
    const text = [this.#rules, sha256(content), content].join("\n");
    const half = `${this.#path}.${process.pid}.tmp`;
    try {
      fs.mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      fs.writeFileSync(half, text, { mode: 0o600 });
      fs.renameSync(half, this.#path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}

function readKept(path: string, rules: string): ReadonlyMap<string, Kept> {
  const [ofRules, hash, content] = textOf(path).split("\n");
  if (ofRules !== rules || content === undefined || sha256(content) !== hash) return new Map();
  // The hash says that it is what we wrote.
  const kept = JSON.parse(content, revived) as readonly Kept[];
  return new Map(kept.map((one) => [one.item.path, one]));
}

function textOf(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return "";
  }
}

function revived(key: string, value: unknown): unknown {
  const isTime = (key === "created" || key === "modified") && typeof value === "string";
  return isTime ? new Date(value) : value;
}

function isSame(a: Key, b: Key): boolean {
  return a.identity === b.identity && a.size === b.size && a.stamp === b.stamp;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
