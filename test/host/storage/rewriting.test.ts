import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../../host/storage/disk.ts";
import { openSession } from "../../../host/storage/sessions.ts";
import { caseNamed } from "../../case-world.ts";
import { diskWith, json, linesIn, textOf, userMessage, world } from "./world.ts";

const OLD = ["format-1", "format-1-both", "format-1-damaged", "format-1-indexes", "format-2"];

function fail(reason: string): never {
  throw Object.assign(new Error(reason), { code: reason, syscall: "x" });
}

const leftovers = (path: string) =>
  readdirSync(dirname(path)).filter((name) => name.endsWith(".tmp"));

describe("a file of an old format", () => {
  it.each(OLD)("%s is rewritten by its first append, and never by opening", async (name) => {
    const path = caseNamed(name).copy();
    const before = readFileSync(path);
    const reader = await openSession(path, { mode: "read" });
    const session = await openSession(path);
    const version = session.getFileVersion();
    const entries = session.getEntries();
    expect(entries).toEqual(reader.getEntries());
    expect(readFileSync(path).equals(before)).toBe(true);
    const id = session.appendMessage(userMessage("new"));
    session.appendSessionInfo("N");
    expect(session.getFileVersion()).toBe(3);
    expect(session.getEntries().slice(0, -2)).toEqual(entries);
    session.close();
    expect(readFileSync(`${path}.v${version}.bak`).equals(before)).toBe(true);
    const again = await openSession(path, { mode: "read" });
    expect(again.getFileVersion()).toBe(3);
    expect(again.getEntries().slice(0, -2)).toEqual(entries);
    expect(again.getEntry(id)?.parentId).toBe(entries.at(-1)?.id);
    expect(leftovers(path)).toEqual([]);
  });

  it("keeps every byte that migration does not change: slot, blanks, junk, CR, further headers", async () => {
    const at = world();
    const hook = { type: "message", id: "h1", message: { role: "hookMessage", content: "x" } };
    const kept = [
      '{"type":"title","title":"T"}  ',
      "",
      "junk {",
      ' {"id":"u1","type":"custom"} \r',
      '{"type":"session","id":"other"}',
    ];
    const content = [
      kept[0],
      json({ type: "session", version: 2, id: "s", extra: 1 }),
      ...kept.slice(1),
      ` ${json(hook)}${json({ ...hook, id: "h2" })}!\r`,
    ].join("\n");
    const path = at.file("a.jsonl", `${content}\n{"type":"cust`);
    const session = await openSession(path);
    session.appendSessionInfo("N");
    session.close();
    const now = linesIn(path);
    expect([now[0], ...now.slice(2, 6)]).toEqual(kept);
    expect(JSON.parse(now[1] as string)).toEqual({
      type: "session",
      version: 3,
      id: "s",
      extra: 1,
    });
    expect(now[6]).toBe(
      ` ${json({ ...hook, message: { role: "custom", content: "x" } })}${json({ ...hook, id: "h2", message: { role: "custom", content: "x" } })}!\r`,
    );
    expect(now[7]).toBe('{"type":"cust');
  });

  it("keeps a byte-order mark and a missing cwd missing", async () => {
    const at = world();
    const path = at.file("a.jsonl", `\ufeff${json({ type: "session", version: 2, id: "s" })}`);
    const session = await openSession(path);
    session.appendSessionInfo("N");
    session.close();
    expect(textOf(path).split("\n")[0]).toBe(
      `\ufeff${json({ type: "session", version: 3, id: "s" })}`,
    );
  });

  it("keeps an existing different backup, and needs none twice", async () => {
    const at = world();
    const old = [json({ type: "session", id: "s" }), json({ type: "custom" })];
    const path = at.file("a.jsonl", old);
    at.file("a.jsonl.v1.bak", "another");
    for (let i = 0; i < 2; i++) {
      writeFileSync(path, old.map((line) => `${line}\n`).join(""));
      const session = await openSession(path);
      session.appendSessionInfo("N");
      session.close();
    }
    const backups = readdirSync(at.root).filter((name) => name.includes(".bak"));
    expect(backups.sort()).toEqual(["a.jsonl.v1.bak", "a.jsonl.v1.bak-2"]);
    expect(textOf(`${path}.v1.bak`)).toBe("another");
    expect(linesIn(`${path}.v1.bak-2`)).toEqual(old);
  });

  it.each([
    ["write", { write: () => fail("ENOSPC") }],
    ["sync", { sync: () => fail("EIO") }],
    ["backup", { link: () => fail("EACCES") }],
    ["rename", { rename: () => fail("EACCES") }],
  ])("stays as it was when the %s fails, and is rewritten later", async (_, broken) => {
    const path = caseNamed("format-1").copy();
    const before = readFileSync(path);
    const state = { isBroken: true };
    const replaced = Object.fromEntries(
      Object.entries(broken).map(([name, action]) => [
        name,
        (...given: never[]) =>
          state.isBroken
            ? action()
            : (nodeDisk[name as keyof typeof nodeDisk] as (...a: never[]) => unknown)(...given),
      ]),
    );
    const session = await openSession(path, { disk: diskWith(replaced) });
    const leaf = session.getLeafId();
    expect(() => session.appendMessage(userMessage("x"))).toThrow(
      expect.objectContaining({ code: "SESSION_WRITE_FAILED" }),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(session.getLeafId()).toBe(leaf);
    expect(leftovers(path)).toEqual([]);
    state.isBroken = false;
    const id = session.appendMessage(userMessage("x"));
    expect(session.getEntry(id)).toMatchObject({ parentId: leaf });
    session.close();
    expect((await openSession(path, { mode: "read" })).getLeafId()).toBe(id);
  });

  it("that another program changed is not rewritten", async () => {
    const path = caseNamed("format-1").copy();
    const session = await openSession(path);
    appendFileSync(path, "x\n");
    const now = readFileSync(path);
    expect(() => session.appendSessionInfo("N")).toThrow(
      expect.objectContaining({ code: "SESSION_CHANGED" }),
    );
    expect(readFileSync(path).equals(now)).toBe(true);
    expect(existsSync(`${path}.v1.bak`)).toBe(false);
    session.close();
  });

  it("in a linked place is rewritten where it lies", async () => {
    const at = world();
    const real = at.file("real/a.jsonl", [json({ type: "session", id: "s" })]);
    const link = join(at.root, "link.jsonl");
    const { symlinkSync, lstatSync } = await import("node:fs");
    symlinkSync(real, link);
    const session = await openSession(link);
    session.appendSessionInfo("N");
    session.close();
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(linesIn(real)).toHaveLength(2);
    expect(existsSync(`${real}.v1.bak`)).toBe(true);
  });

  it("gives migrated entries to a branched session, without being rewritten itself", async () => {
    const path = caseNamed("format-2").copy();
    const before = statSync(path).size;
    const session = await openSession(path);
    const leaf = session.getLeafId() as string;
    const context = session.buildSessionContext(leaf);
    const file = session.createBranchedSession(leaf) as string;
    expect(session.buildSessionContext()).toEqual(context);
    session.close();
    expect(statSync(path).size).toBe(before);
    const branched = await openSession(file, { mode: "read" });
    expect(branched.buildSessionContext()).toEqual(context);
    expect(branched.getHeader()).toMatchObject({ version: 3, parentSession: path });
    expect(basename(file)).toContain(branched.getSessionId());
  });
});
