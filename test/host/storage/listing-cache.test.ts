import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeDisk } from "../../../host/storage/disk.ts";
import { listItem } from "../../../host/storage/listing.ts";
import { ListingCache } from "../../../host/storage/listing-cache.ts";
import { projectFolder } from "../../../host/storage/session-dir.ts";
import { listSessions } from "../../../host/storage/sessions.ts";
import { diskWith, HEADER, user, type World, world } from "./world.ts";

function stored(at: World, name: string, lines: readonly string[]): string {
  const folder = projectFolder(at.project, at.variables).slice(at.root.length);
  return at.file(join(folder, `${name}.jsonl`), lines);
}

function cacheFile(at: World): string {
  const folder = join(at.root, ".coppice", "cache", "sessions");
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".list")) ?? "");
}

function list(at: World) {
  return listSessions(at.project, { variables: at.variables });
}

it("a second list is the same, and reads no session whose file is as it was", async () => {
  const at = world();
  const paths = ["a", "b"].map((name) => stored(at, name, [HEADER, user("u1", null, name)]));
  const reads: string[] = [];
  const opened = diskWith({
    open: (path, purpose) => {
      reads.push(path);
      return nodeDisk.open(path, purpose);
    },
  });
  const folder = join(at.root, "cache");
  const items = async () => {
    const cache = new ListingCache(folder, at.project, 1000);
    const found = [];
    for (const path of paths) found.push(await listItem(path, { disk: opened, cache }));
    cache.store();
    return found;
  };
  const first = await items();
  expect(reads).toEqual(paths);
  expect(await items()).toEqual(first);
  expect(reads).toEqual(paths);
  appendFileSync(paths[0] as string, `${user("u2", "u1", "more")}\n`);
  expect((await items())[0]).toMatchObject({ messageCount: 2 });
  expect(reads).toEqual([...paths, paths[0]]);
});

it("what is listed is what a list without a cache gives, also after files came and went", async () => {
  const at = world();
  const gone = stored(at, "gone", [HEADER, user("u1", null, "x")]);
  stored(at, "b", [HEADER, user("u1", null, "b")]);
  const progress: string[] = [];
  const onProgress = (done: number, all: number) => progress.push(`${done}/${all}`);
  await listSessions(at.project, { variables: at.variables, onProgress });
  expect(progress).toEqual(["1/2", "2/2"]);
  rmSync(gone);
  stored(at, "new", [HEADER]);
  const cached = await list(at);
  rmSync(cacheFile(at));
  expect(cached).toEqual(await list(at));
  expect(cached).toHaveLength(2);
});

it.each([
  ["damaged", (text: string) => text.replace('"messageCount":1', '"messageCount":9')],
  ["cut off", (text: string) => text.slice(0, text.length / 2)],
  ["of another version", (text: string) => text.replace(/^\[1/, "[0")],
  ["empty", () => ""],
])("a cache that is %s is made anew", async (_, damage) => {
  const at = world();
  stored(at, "a", [HEADER, user("u1", null, "a")]);
  const items = await list(at);
  const sound = readFileSync(cacheFile(at), "utf8");
  const damaged = damage(sound);
  expect(damaged).not.toBe(sound);
  writeFileSync(cacheFile(at), damaged);
  expect(await list(at)).toEqual(items);
  expect(readFileSync(cacheFile(at), "utf8")).toBe(sound);
});

it("a cache that cannot be kept is no loss", async () => {
  const at = world();
  stored(at, "a", [HEADER, user("u1", null, "a")]);
  at.file(".coppice/cache", "in the way");
  expect(await list(at)).toMatchObject([{ messageCount: 1 }]);
});

it("a line of 300 MB is read in small blocks, and none of it is held", async () => {
  const at = world();
  const path = at.file("s.jsonl", [HEADER]);
  const size = 300 << 20;
  const head = Buffer.from('{"type":"message","id":"u1","parentId":null,"x":"');
  const whole = Buffer.from(`${HEADER}\n`);
  let read = 0;
  let largest = 0;
  const disk = diskWith({
    read: (_fd, into, position) => {
      const count = Math.max(0, Math.min(into.length, size - position));
      largest = Math.max(largest, into.length);
      read += count;
      into.fill(0x78, 0, count);
      if (position === 0) into.set(Buffer.concat([whole, head]));
      if (position + count === size && count > 3) into.set(Buffer.from('"}\n'), count - 3);
      return count;
    },
  });
  const before = process.memoryUsage().arrayBuffers;
  const item = await listItem(path, { disk, maxLineBytes: 1 << 20 });
  expect(item).toMatchObject({
    messageCount: 1,
    reason: "it holds a line that is too long to load",
  });
  expect(read).toBe(size);
  expect(largest).toBeLessThanOrEqual(1 << 20);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(size / 2);
});
