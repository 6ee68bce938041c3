import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionManager } from "../../../core/index.ts";
import { openSession } from "../../../host/storage/sessions.ts";
import { type World, world } from "./world.ts";

const COUNT = 2500;

/** A session of more than a megabyte, a fork in every tenth entry, labels and a name among them. */
function large(there: World, name = "large.jsonl"): string {
  const hex = (n: number) => n.toString(16).padStart(8, "0");
  const lines = [
    JSON.stringify({ type: "session", version: 3, id: "s1", timestamp: T, cwd: there.root }),
  ];
  for (let i = 1; i <= COUNT; i++) {
    const parentId = i === 1 ? null : hex(i % 10 === 0 ? i - 3 : i - 1);
    const base = { id: hex(i), parentId, timestamp: T };
    if (i % 500 === 0)
      lines.push(JSON.stringify({ type: "label", ...base, targetId: hex(i - 1), label: `l${i}` }));
    else if (i === 7) lines.push(JSON.stringify({ type: "session_info", ...base, name: "big" }));
    else {
      const content = `entry ${i} ${"ö".repeat(250)}`;
      lines.push(
        JSON.stringify({
          type: "message",
          ...base,
          message: { role: "user", content, timestamp: i },
        }),
      );
    }
  }
  return there.file(name, lines);
}

const T = "2026-03-01T09:00:00.000Z";

function indexes(there: World): readonly string[] {
  const folder = join(there.root, ".coppice", "cache", "sessions");
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

async function openAndClose(
  there: World,
  path: string,
  use: (session: SessionManager) => void = () => undefined,
) {
  const session = await openSession(path, { mode: "write", variables: there.variables });
  try {
    use(session);
  } finally {
    session.close();
  }
}

/** Everything that one can ask of a session. */
function all(session: SessionManager) {
  return {
    leaf: session.getLeafId(),
    name: session.getSessionName(),
    header: session.getHeader(),
    index: session.getIndex(),
    branch: session.getBranch().map(({ id }) => id),
    entries: session.getEntries().slice(0, 50),
    diagnostics: session.getDiagnostics(),
    roots: session.getTree().length,
    children: session.getChildren("00000006").map(({ id }) => id),
  };
}

async function read(there: World, path: string) {
  let found: ReturnType<typeof all> | undefined;
  await openAndClose(there, path, (session) => {
    found = all(session);
  });
  return found;
}

describe("the index of a large session", () => {
  it("is kept when it is closed, and tells the second opening all that the first one read", async () => {
    const there = world();
    const path = large(there);
    const first = await read(there, path);
    const [index = ""] = indexes(there);
    const { mtimeMs } = statSync(index);
    expect(await read(there, path)).toEqual(first);
    expect(statSync(index).mtimeMs).toBe(mtimeMs);
    expect(first?.index).toHaveLength(COUNT);
  });

  it("is not kept for a small one", async () => {
    const there = world();
    await openAndClose(
      there,
      there.file("small.jsonl", readFileSync(large(there), "utf8").split("\n").slice(0, 3)),
    );
    expect(indexes(there)).toEqual([]);
  });

  it("follows what this program appends", async () => {
    const there = world();
    const path = large(there);
    await openAndClose(there, path, (session) => session.appendSessionInfo("renamed"));
    await openAndClose(there, path, (session) => {
      expect(session.getSessionName()).toBe("renamed");
      expect(session.getEntryCount()).toBe(COUNT + 1);
      session.appendCustomEntry("mine", { a: 1 });
    });
    const last = (await read(there, path))?.index.at(-1);
    expect(last).toMatchObject({ type: "custom", customType: "mine" });
  });

  it.each<[string, (path: string) => void]>([
    [
      "has grown",
      (path) =>
        appendFileSync(
          path,
          '{"type":"custom","id":"new00001","parentId":null,"customType":"x"}\n',
        ),
    ],
    ["was cut", (path) => truncateSync(path, statSync(path).size - 100)],
    [
      "was changed in place, its times set back",
      (path) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(path, readFileSync(path, "utf8").replace("entry 12 ", "other 12 "));
        utimesSync(path, atime, mtime);
      },
    ],
  ])("does not count for a file that %s", async (_how, change) => {
    const there = world();
    const path = large(there);
    await openAndClose(there, path);
    change(path);
    const other = world();
    const fresh = await read(other, path);
    expect(await read(there, path)).toEqual(fresh);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["cut", (bytes) => bytes.subarray(0, bytes.length - 1000)],
    ["empty", () => Buffer.alloc(0)],
    [
      "of another version",
      (bytes) => Buffer.concat([Buffer.from("coppice session index 0\n"), bytes.subarray(24)]),
    ],
    [
      "damaged",
      (bytes) => Buffer.concat([bytes.subarray(0, bytes.length - 8), Buffer.alloc(8, 1)]),
    ],
  ])("that is %s is not used", async (_how, damage) => {
    const there = world();
    const path = large(there);
    const first = await read(there, path);
    const [index = ""] = indexes(there);
    writeFileSync(index, damage(readFileSync(index)));
    expect(await read(there, path)).toEqual(first);
    expect(await read(there, path)).toEqual(first);
  });
});
