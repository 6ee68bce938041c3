import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostIdentity, processState } from "../../../host/storage/processes.ts";
import { examineSession, openSession, unlockSession } from "../../../host/storage/sessions.ts";
import { assistant, diskWith, HEADER, json, textOf, user, world } from "./world.ts";

const CASES = new URL("../../cases/sessions/", import.meta.url);

function copyOf(name: string): string {
  return world().file("s.jsonl", readFileSync(new URL(`${name}.jsonl`, CASES)));
}

describe("examineSession", () => {
  it("finds nothing in a sound file, and nothing in a blank one", async () => {
    const at = world();
    const path = at.file("s.jsonl", [HEADER, user("u1", null, "one"), assistant("a1", "u1", "x")]);
    expect(await examineSession(path)).toMatchObject({
      file: path,
      entryCount: 2,
      isDamaged: false,
      findings: [],
    });
    const blank = at.file("blank.jsonl", "\n");
    expect(await examineSession(blank, { repair: true })).toEqual({
      file: blank,
      size: 1,
      entryCount: 0,
      isDamaged: false,
      findings: [],
    });
  });

  it("finds broken content that the scan of an ordinary opening passes over", async () => {
    const broken = user("a2", "u1", "TEXT").replace('"TEXT"', '"a\\qb"');
    const path = world().file("s.jsonl", [HEADER, user("u1", null, "one"), broken]);
    const { findings, isDamaged, entryCount } = await examineSession(path);
    expect(findings).toEqual([
      expect.objectContaining({
        code: "MALFORMED_LINE",
        line: 3,
        offset: textOf(path).indexOf(broken),
        length: broken.length,
        remedy: expect.stringContaining("left out"),
      }),
    ]);
    expect({ isDamaged, entryCount }).toEqual({ isDamaged: true, entryCount: 1 });
  });

  it("tells where the entry of a finding about the tree stands", async () => {
    const orphan = user("u2", "gone", "two");
    const path = world().file("s.jsonl", [HEADER, user("u1", null, "one"), orphan]);
    const { findings } = await examineSession(path);
    expect(findings).toEqual([
      expect.objectContaining({
        code: "PARENT_MISSING",
        id: "u2",
        line: 3,
        offset: textOf(path).indexOf(orphan),
        length: orphan.length,
      }),
    ]);
  });

  it("refuses what is no session, or not there", async () => {
    const at = world();
    const none = at.file("n.jsonl", "hello\n");
    await expect(examineSession(none)).rejects.toMatchObject({ code: "SESSION_HEADER_INVALID" });
    await expect(examineSession(join(at.root, "x.jsonl"))).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
  });
});

const DAMAGED = readdirSync(CASES)
  .filter((name) => /^(damage|marker).*\.jsonl$/.test(name))
  .map((name) => name.replace(/\.jsonl$/, ""));

describe("a repaired copy", () => {
  it.each(DAMAGED)(
    "of %s opens without a word, at the same leaf, with every entry",
    async (name) => {
      const path = copyOf(name);
      const before = readFileSync(path);
      const old = await openSession(path, { mode: "read" });
      const { repaired } = await examineSession(path, { repair: true });
      expect(readFileSync(path)).toEqual(before);
      expect(repaired?.file).toBe(join(dirname(path), "s.repaired.jsonl"));
      const session = await openSession(repaired?.file ?? "", { mode: "read" });
      expect(session.getDiagnostics()).toEqual([]);
      expect(session.getLeafId()).toBe(old.getLeafId());
      expect(session.getSessionName()).toBe(old.getSessionName());
      expect(session.getHeader().id).toBe(old.getHeader().id);
      const kept = new Map(session.getEntries().map((entry) => [entry.id, entry]));
      for (const entry of old.getEntries()) expect(kept.get(entry.id)).toEqual(entry);
      expect(session.getEntryCount()).toBe(repaired?.entryCount);
      old.close();
      session.close();
      expect(await examineSession(repaired?.file ?? "")).toMatchObject({ isDamaged: false });
    },
  );

  it("gives an earlier message with the same id one of its own, and the leaf stays", async () => {
    const path = world().file("s.jsonl", [
      HEADER,
      user("u1", null, "one"),
      user("u2", "u1", "last"),
      user("u1", "u2", "one again"),
      user("u1", null, "one"),
    ]);
    const { repaired } = await examineSession(path, { repair: true });
    const session = await openSession(repaired?.file ?? "", { mode: "read" });
    const texts = session.getEntries().map((entry) => JSON.stringify(entry));
    expect(texts).toHaveLength(3);
    expect(texts.join()).toContain("one again");
    expect(session.getLeafId()).toBe("u1");
    expect(session.getDiagnostics()).toEqual([]);
    session.close();
  });

  it("never takes a name that is used", async () => {
    const path = world().file("s.jsonl", [HEADER, "x", user("u1", null, "one")]);
    const [first, second] = [
      await examineSession(path, { repair: true }),
      await examineSession(path, { repair: true }),
    ];
    expect(first.repaired?.file).toMatch(/s\.repaired\.jsonl$/);
    expect(second.repaired?.file).toMatch(/s\.repaired-2\.jsonl$/);
  });

  it("keeps all bytes of an entry that is too long to load", async () => {
    const long = user("u2", "gone", "y".repeat(5000));
    const path = world().file("s.jsonl", [HEADER, user("u1", null, "one"), long]);
    const settings = { get: (key: string) => (key === "limits.maxLineBytes" ? 2000 : undefined) };
    const { repaired } = await examineSession(path, { repair: true, settings });
    const session = await openSession(repaired?.file ?? "", { mode: "read" });
    expect(session.getEntry("u2")).toMatchObject({
      parentId: null,
      message: { content: "y".repeat(5000) },
    });
    session.close();
  });

  it("of a newer format is refused, and the version is no damage", async () => {
    const header = json({ ...JSON.parse(HEADER), version: 9 });
    const path = world().file("s.jsonl", [header, user("u1", null, "one")]);
    expect(await examineSession(path)).toMatchObject({
      isDamaged: false,
      findings: [{ code: "VERSION_NEWER" }],
    });
    await expect(examineSession(path, { repair: true })).rejects.toMatchObject({
      code: "SESSION_READ_ONLY",
    });
  });

  it("that cannot be written leaves nothing behind", async () => {
    const path = world().file("s.jsonl", [HEADER, "x", user("u1", null, "one")]);
    const disk = diskWith({
      sync: () => {
        throw Object.assign(new Error("full"), { code: "ENOSPC", syscall: "fsync" });
      },
    });
    await expect(examineSession(path, { repair: true, disk })).rejects.toMatchObject({
      code: "SESSION_WRITE_FAILED",
    });
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith("jsonl"))).toEqual([
      "s.jsonl",
    ]);
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith("tmp"))).toEqual([]);
  });
});

/** A session with a lock of an owner that differs from this process. */
function locked(owner: object | undefined): string {
  const path = world().file("s.jsonl", [HEADER, user("u1", null, "one")]);
  mkdirSync(`${path}.lock`);
  const { pid } = process;
  const now = Date.now();
  const ours = { id: "o1", pid, start: processState(pid).start, ...hostIdentity(now), time: now };
  if (owner) writeFileSync(`${path}.owner`, json({ ...ours, ...owner }));
  return path;
}

describe("unlockSession", () => {
  it("removes a lock whose owner cannot be checked, so that the session opens", async () => {
    const path = locked({ host: "another-host", pid: 7 });
    await expect(openSession(path)).rejects.toThrow(`coppice doctor --unlock ${path}`);
    const { file, owner } = await unlockSession(path);
    expect(file).toBe(path);
    expect(owner).toMatchObject({ host: "another-host", pid: 7 });
    (await openSession(path)).close();
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith("s."))).toEqual(["s.jsonl"]);
  });

  it("removes one without a record", async () => {
    const path = locked(undefined);
    expect((await unlockSession(path)).owner).toEqual({});
    expect((await unlockSession(path)).owner).toBeUndefined();
  });

  it("refuses for an owner that lives on this host, and names it", async () => {
    const path = locked({});
    await expect(unlockSession(path)).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      details: { pid: process.pid },
    });
    expect(readdirSync(dirname(path))).toEqual(expect.arrayContaining(["s.jsonl.lock"]));
    rmSync(`${path}.owner`);
  });

  it("refuses while another process takes the lock over", async () => {
    const path = locked({ host: "another-host" });
    mkdirSync(`${path}.o1.claim`);
    await expect(unlockSession(path)).rejects.toMatchObject({ code: "SESSION_LOCKED" });
  });
});
