import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../host/storage/sessions.ts";
import { countingEnvironment, diskWith, HEADER, json, user, world } from "./world.ts";

/** A bound that turns lines of a few hundred bytes into oversized ones. */
const SMALL_LINES = { get: (key: string) => (key === "limits.maxLineBytes" ? 300 : undefined) };

const at = world();

describe("opening", () => {
  it.each([
    ["nothing", "missing.jsonl", undefined, "SESSION_NOT_FOUND"],
    ["a folder", "folder.jsonl", undefined, "SESSION_UNREADABLE"],
    ["junk", "junk.jsonl", "hello\n", "SESSION_HEADER_INVALID"],
    [
      "an entry first",
      "entry.jsonl",
      `${user("u1", null, "x")}\n${HEADER}\n`,
      "SESSION_HEADER_INVALID",
    ],
    ["a header without id", "no-id.jsonl", '{"type":"session"}\n', "SESSION_HEADER_INVALID"],
    [
      "version 0",
      "v0.jsonl",
      '{"type":"session","id":"x","version":0}\n',
      "SESSION_HEADER_INVALID",
    ],
    [
      "version null",
      "vn.jsonl",
      '{"type":"session","id":"x","version":null}\n',
      "SESSION_HEADER_INVALID",
    ],
  ])("%s is refused and changes nothing", async (_, name, content, code) => {
    const path = content === undefined ? join(at.root, name) : at.file(name, content);
    if (name.startsWith("folder")) mkdirSync(path);
    await expect(openSession(path)).rejects.toMatchObject({ code });
    if (content !== undefined) expect(readFileSync(path, "utf8")).toBe(content);
    else expect(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false).toBe(false);
  });

  it("names path, line and reason of a bad header", async () => {
    const path = at.file("late.jsonl", `\n{"type":"label","id":"l1"}\n`);
    const error = await openSession(path).catch((thrown: Error) => thrown);
    expect((error as Error).message).toContain(`${path} line 2`);
    expect((error as Error).message).toContain('"label"');
    expect((error as Error).message).toContain("not changed");
  });

  it("a file that cannot be read tells the system's reason", async () => {
    const path = at.file("denied.jsonl", [HEADER]);
    const disk = diskWith({
      open: () => {
        throw Object.assign(new Error("no"), { code: "EACCES", syscall: "open" });
      },
    });
    await expect(openSession(path, { disk })).rejects.toMatchObject({
      code: "SESSION_UNREADABLE",
      message: expect.stringContaining("EACCES"),
    });
  });

  it("a missing path with `create` gives a pending session there", async () => {
    const path = join(at.root, "new", "given.jsonl");
    const session = await openSession(path, { create: true, cwd: at.project });
    expect(session.isPending()).toBe(true);
    expect(session.getSessionFile()).toBe(path);
    expect(session.getCwd()).toBe(at.project);
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("for reading takes no lock and refuses appends", async () => {
    const path = at.file("read.jsonl", [HEADER]);
    const session = await openSession(path, { mode: "read" });
    expect(session.isReadOnly()).toBe(true);
    expect(statSync(`${path}.lock`, { throwIfNoEntry: false })).toBeUndefined();
    expect(() => session.appendSessionInfo("x")).toThrow(/read-only/);
    expect(readFileSync(path, "utf8")).toBe(`${HEADER}\n`);
  });

  it("a folder that cannot be written makes it read-only, with a notice", async () => {
    const path = at.file("locked-folder.jsonl", [HEADER, user("u1", null, "one")]);
    const session = await openSession(path, { disk: diskWith({ canWrite: () => false }) });
    expect(session.isReadOnly()).toBe(true);
    expect(session.getDiagnostics()).toMatchObject([{ code: "READ_ONLY_FOLDER" }]);
    expect(() => session.appendSessionInfo("x")).toThrow(
      expect.objectContaining({ code: "SESSION_READ_ONLY" }),
    );
    session.branch("u1");
    session.close();
  });

  it("a header without cwd gets the folder of the process", async () => {
    const path = at.file("no-cwd.jsonl", ['{"type":"session","version":3,"id":"x","cwd":""}']);
    const session = await openSession(path, { cwd: at.project, mode: "read" });
    expect(session.getCwd()).toBe(at.project);
  });
});

describe("a line beyond the bound", () => {
  const big = user("big", "u1", "x".repeat(400));
  const lines = [HEADER, user("u1", null, "one"), big, user("u2", "big", "two")];

  it("keeps its entry in place, without its content", async () => {
    const path = at.file("big.jsonl", lines);
    const session = await openSession(path, { mode: "read", settings: SMALL_LINES });
    expect(session.getBranch("u2").map(({ id }) => id)).toEqual(["u1", "big", "u2"]);
    expect(session.getEntry("big")).toMatchObject({ type: "message", oversizedBytes: big.length });
    const offset = HEADER.length + (lines[1] as string).length + 2;
    expect(session.getDiagnostics()).toMatchObject([
      { code: "OVERSIZED_LINE", line: 3, offset, length: big.length },
    ]);
  });

  it("is copied whole into a branched session, with another parent too", async () => {
    const label = json({
      type: "label",
      id: "l1",
      parentId: "u1",
      timestamp: "t",
      targetId: "u1",
      label: "L",
    });
    const moved = user("big", "l1", "y".repeat(400));
    for (const [name, content] of [
      ["copied", lines],
      ["moved", [HEADER, user("u1", null, "one"), label, moved, user("u2", "big", "two")]],
    ] as const) {
      const path = at.file(`fork-${name}/a.jsonl`, content);
      const session = await openSession(path, {
        settings: SMALL_LINES,
        env: countingEnvironment(),
      });
      const file = session.createBranchedSession("u2") as string;
      session.close();
      const whole = await openSession(file, { mode: "read" });
      expect(whole.getEntry("big")).toMatchObject({ parentId: "u1", message: { role: "user" } });
      expect(JSON.stringify(whole.getEntry("big"))).toMatch(/[xy]{400}/);
      expect(whole.getDiagnostics()).toEqual([]);
    }
  });

  it("that is damaged gives the records that stand whole at its start", async () => {
    const path = at.file("big-glued.jsonl", [
      HEADER,
      `${user("u1", null, "one")}${big}${big.slice(0, 380)}`,
    ]);
    const session = await openSession(path, { mode: "read", settings: SMALL_LINES });
    expect(session.getEntries().map(({ id }) => id)).toEqual(["u1", "big"]);
    expect(session.getDiagnostics().map(({ code }) => code)).toContain("GLUED_RECORDS");
  });

  it.each([
    ["cut off at the end", big.slice(0, 350), "TORN_TAIL"],
    ["cut off in the middle", `${big.slice(0, 350)}\n`, "MALFORMED_LINE"],
    ["without id", `${json({ type: "custom", data: "x".repeat(400) })}\n`, "MISSING_ID"],
    ["without type", `${json({ id: "x", data: "x".repeat(400) })}\n`, "MISSING_TYPE"],
  ])("%s is skipped", async (_, line, code) => {
    const path = at.file("big-bad.jsonl", `${HEADER}\n${line}`);
    const session = await openSession(path, { mode: "read", settings: SMALL_LINES });
    expect(session.getEntries()).toEqual([]);
    expect(session.getDiagnostics()).toMatchObject([{ code, line: 2 }]);
  });

  it("of blanks is a blank line, and one that is the header makes no session", async () => {
    const blank = at.file("big-blank.jsonl", ["", " ".repeat(400), HEADER]);
    expect(
      (await openSession(blank, { mode: "read", settings: SMALL_LINES })).getDiagnostics(),
    ).toEqual([]);
    const header = json({ type: "session", version: 3, id: "x", data: "x".repeat(400) });
    const path = at.file("big-header.jsonl", [header]);
    await expect(openSession(path, { settings: SMALL_LINES })).rejects.toMatchObject({
      code: "SESSION_HEADER_INVALID",
    });
  });

  it("in a file of format 1 gets its id and parent when the file is rewritten", async () => {
    const old = {
      type: "message",
      message: { role: "user", content: "x".repeat(400), timestamp: 1 },
    };
    const path = at.file("big-v1.jsonl", [
      json({ type: "session", id: "s" }),
      json({ ...old }),
      json({ type: "custom", customType: "c" }),
    ]);
    const session = await openSession(path, { settings: SMALL_LINES });
    const ids = session.getEntries().map(({ id }) => id);
    session.appendSessionInfo("N");
    session.close();
    const again = await openSession(path, { mode: "read" });
    expect(
      again
        .getEntries()
        .map(({ id }) => id)
        .slice(0, 2),
    ).toEqual(ids);
    expect(again.getEntry(ids[0] as string)).toMatchObject({
      parentId: null,
      message: old.message,
    });
  });
});
