import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../../host/storage/disk.ts";
import { createSession, openSession } from "../../../host/storage/sessions.ts";
import { assistant, diskWith, HEADER, linesIn, textOf, user, userMessage, world } from "./world.ts";

const odd = `  ${user("u2", "a1", "two", { extra: { kept: [1, " "] } })} \r`;
const LINES = [HEADER, user("u1", null, "one"), assistant("a1", "u1", "uno"), odd];

const names = (folder: string) => readdirSync(folder).sort();

describe("a branched session", () => {
  it("is written at once, whole, beside its source, whose lock it leaves for its own", async () => {
    const at = world();
    const path = at.file("s/a.jsonl", LINES);
    const session = await openSession(path);
    const source = textOf(path);
    const file = session.createBranchedSession("u2") as string;
    expect(dirname(file)).toBe(dirname(path));
    expect(basename(file)).toContain(session.getSessionId());
    expect(linesIn(file).slice(1)).toEqual([LINES[1], LINES[2], odd.trim()]);
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(existsSync(`${file}.lock`)).toBe(true);
    session.appendMessage(userMessage("goes on"));
    expect(session.getEntries()).toHaveLength(4);
    expect(textOf(path)).toBe(source);
    session.close();
    expect(names(dirname(path))).toEqual([basename(file), "a.jsonl"].sort());
  });

  it.each([
    ["write", { write: () => fail("ENOSPC") }],
    ["sync", { sync: () => fail("EIO") }],
    ["rename", { rename: () => fail("EACCES") }],
    ["sync of the folder", { syncFolder: () => fail("EIO") }],
  ])("leaves the source as it is when the %s fails", async (_, broken) => {
    const at = world();
    const path = at.file("s/a.jsonl", LINES);
    const session = await openSession(path, { disk: diskWith(broken) });
    expect(() => session.createBranchedSession("u2")).toThrow(
      expect.objectContaining({ code: "SESSION_WRITE_FAILED" }),
    );
    expect(session.getSessionFile()).toBe(path);
    expect(session.getLeafId()).toBe("u2");
    session.close();
    expect(names(dirname(path))).toEqual(["a.jsonl"]);
  });

  it("that is only prepared can be thrown away", async () => {
    const at = world();
    const path = at.file("s/a.jsonl", LINES);
    const session = await openSession(path);
    const prepared = session.prepareBranch("a1");
    const file = prepared.session.getSessionFile() as string;
    expect(existsSync(file)).toBe(true);
    prepared.discard();
    expect(existsSync(file)).toBe(false);
    expect(existsSync(`${file}.lock`)).toBe(false);
    session.appendMessage(userMessage("the source goes on"));
    session.close();
  });

  it("of a session that cannot be written goes to the project's folder", async () => {
    const at = world();
    const path = at.file("s/a.jsonl", LINES);
    const disk = diskWith({
      canWrite: (place) => !place.startsWith(join(at.root, "s")) && nodeDisk.canWrite(place),
    });
    const session = await openSession(path, { disk, variables: at.variables });
    expect(session.isReadOnly()).toBe(true);
    const file = session.createBranchedSession("u2") as string;
    expect(file.startsWith(join(at.root, ".coppice", "sessions"))).toBe(true);
    expect(session.isReadOnly()).toBe(false);
    session.appendMessage(userMessage("goes on"));
    session.close();
  });

  it("of a session opened for reading can be written", async () => {
    const at = world();
    const session = await openSession(at.file("s/a.jsonl", LINES), { mode: "read" });
    session.createBranchedSession("a1");
    session.appendMessage(userMessage("goes on"));
    expect(session.getEntries().map(({ type }) => type)).toEqual(["message", "message", "message"]);
    session.close();
  });

  it("of a pending session holds what that one held", async () => {
    const at = world();
    const session = await createSession(at.project, { variables: at.variables });
    const id = session.appendSessionInfo("N");
    const file = session.createBranchedSession(id) as string;
    expect(session.isPending()).toBe(false);
    expect(session.getHeader()).not.toHaveProperty("parentSession");
    session.close();
    expect((await openSession(file, { mode: "read" })).getSessionName()).toBe("N");
  });

  it("takes no entry that another program has overwritten", async () => {
    const at = world();
    const path = at.file("s/a.jsonl", LINES);
    const session = await openSession(path, { mode: "read" });
    writeFileSync(path, textOf(path).replace('"id":"a1"', '"id":"zz"'));
    expect(() => session.createBranchedSession("u2")).toThrow(
      expect.objectContaining({
        code: "SESSION_UNREADABLE",
        message: expect.stringContaining("a1"),
      }),
    );
    expect(names(dirname(path))).toEqual(["a.jsonl"]);
    expect(session.getSessionFile()).toBe(path);
    expect(session.getEntry("u1")).toBeDefined();
  });

  it("has the bytes of broken and glued lines that its entries had", async () => {
    const at = world();
    const broken = Buffer.from(user("b1", "a1", "caf@"));
    broken[broken.indexOf("@")] = 0xe9;
    const glued = Buffer.from(`x${user("g1", "b1", "glué")}${user("g2", "g1", "two")}\n`);
    const path = at.file(
      "s/a.jsonl",
      Buffer.concat([
        Buffer.from(`${LINES.slice(0, 3).join("\n")}\n`),
        broken,
        Buffer.from("\n"),
        glued,
      ]),
    );
    const session = await openSession(path);
    const file = session.createBranchedSession("g2") as string;
    session.close();
    const { readFileSync } = await import("node:fs");
    const bytes = readFileSync(file);
    expect(bytes.includes(broken)).toBe(true);
    expect(linesIn(file).slice(-2)).toEqual([user("g1", "b1", "glué"), user("g2", "g1", "two")]);
  });
});

describe("a new session made from another", () => {
  it("is pending beside it, with a file name of its own id", async () => {
    const at = world();
    const path = at.file("s/a.jsonl", LINES);
    const session = await openSession(path);
    const file = session.newSession({ parentSession: path, id: "given" }) as string;
    expect(dirname(file)).toBe(dirname(path));
    expect(basename(file)).toMatch(/_given\.jsonl$/);
    expect(existsSync(file)).toBe(false);
    expect(existsSync(`${path}.lock`)).toBe(false);
    session.appendMessage(userMessage("hi"));
    expect(JSON.parse(linesIn(file)[0] as string)).toMatchObject({
      id: "given",
      parentSession: path,
      cwd: "/p",
    });
    session.close();
  });

  it("never leaves its folder, whatever its id", async () => {
    const at = world();
    const session = await openSession(at.file("s/a.jsonl", LINES));
    const file = session.newSession({ id: "../../up" }) as string;
    expect(dirname(file)).toBe(join(at.root, "s"));
    session.close();
  });
});

function fail(reason: string): never {
  throw Object.assign(new Error(reason), { code: reason, syscall: "x" });
}
