import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionManager } from "../../../core/index.ts";
import { nodeDisk } from "../../../host/storage/disk.ts";
import { createSession, openSession } from "../../../host/storage/sessions.ts";
import { caseNamed } from "../../case-world.ts";
import {
  assistant,
  assistantMessage,
  countingEnvironment,
  diskWith,
  HEADER,
  json,
  linesIn,
  textOf,
  user,
  userMessage,
  world,
} from "./world.ts";

const TWO = [HEADER, user("u1", null, "one"), assistant("a1", "u1", "uno")];

function code(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

const ids = (session: SessionManager) => session.getEntries().map(({ id }) => id);

describe("a torn file", () => {
  const bytes = readFileSync(caseNamed("damage-torn-continued").copy());
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  const last = Buffer.from(lines.at(-1) as string);
  const before = Buffer.from(`${lines.slice(0, 4).join("\n")}\n`);

  it("loses at most the cut record, wherever it was cut, and is continued on a new line", async () => {
    const at = world();
    for (let cut = 1; cut < last.length; cut++) {
      const torn = Buffer.concat([before, last.subarray(0, cut)]);
      const path = at.file("torn.jsonl", torn);
      const session = await openSession(path);
      expect(session.getDiagnostics(), `cut at ${cut}`).toMatchObject([
        { code: "TORN_TAIL", line: 5, offset: before.length, length: cut },
      ]);
      expect(session.getLeafId()).toBe("u2");
      const id = session.appendMessage(userMessage("é"));
      session.close();
      appendFileSync(path, Buffer.concat([last, Buffer.of(10)]));
      const now = readFileSync(path);
      expect(now.subarray(0, torn.length + 1).equals(Buffer.concat([torn, Buffer.of(10)]))).toBe(
        true,
      );
      const again = await openSession(path, { mode: "read" });
      const whole = JSON.parse(last.toString("utf8")).id as string;
      expect(ids(again).slice(-2)).toEqual([id, whole]);
      expect(again.getEntry(id)?.parentId).toBe("u2");
    }
  });

  it("whose fragment is followed by a whole record on the same line gives that record", async () => {
    const at = world();
    for (let cut = 1; cut < last.length; cut++) {
      const path = at.file(
        "glued.jsonl",
        Buffer.concat([before, last.subarray(0, cut), last, Buffer.of(10)]),
      );
      const session = await openSession(path, { mode: "read" });
      expect(
        session.getDiagnostics().map((d) => d.code),
        `cut at ${cut}`,
      ).toEqual(["GLUED_RECORDS"]);
      expect(ids(session).at(-1)).toBe(JSON.parse(last.toString("utf8")).id);
    }
  });
});

describe("a new session", () => {
  it("has no file until the first message of a conversation, which brings all that was held", async () => {
    const at = world();
    const session = await createSession(at.project, {
      variables: at.variables,
      env: countingEnvironment(),
    });
    const path = session.getSessionFile() as string;
    session.appendModelChange("acme", "m1");
    const label = session.appendSessionInfo("Early");
    session.appendLabelChange(label, "L");
    expect(existsSync(dirname(path))).toBe(false);
    expect(session.isPending()).toBe(true);
    const id = session.appendMessage(userMessage("hi"));
    expect(session.isPending()).toBe(false);
    const [header, ...rest] = linesIn(path).map((line) => JSON.parse(line));
    expect(header).toMatchObject({
      type: "session",
      version: 3,
      id: session.getSessionId(),
      cwd: at.project,
    });
    expect(rest.map(({ type }) => type)).toEqual([
      "model_change",
      "session_info",
      "label",
      "message",
    ]);
    session.appendMessage(assistantMessage("hello"));
    session.close();
    const again = await openSession(path, { mode: "read" });
    expect(again.getSessionName()).toBe("Early");
    expect(again.getEntry(id)).toMatchObject({ message: { content: "hi" } });
    expect(linesIn(path).filter((line) => line.includes('"type":"session"'))).toHaveLength(1);
  });

  it("reads back what it held and what it wrote", async () => {
    const at = world();
    const session = await createSession(at.project, { variables: at.variables });
    const early = session.appendCustomEntry("state", { n: "ü" });
    const late = session.appendMessage(userMessage("ü🙂"));
    expect(session.getEntry(early)).toMatchObject({ data: { n: "ü" } });
    expect(session.getEntry(late)).toMatchObject({ message: { content: "ü🙂" } });
    session.close();
  });

  it("is private to its user", async () => {
    const at = world();
    const session = await createSession(at.project, { variables: at.variables });
    session.appendMessage(userMessage("hi"));
    const path = session.getSessionFile() as string;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    session.close();
  });

  it.each([
    ["empty", ""],
    ["of line feeds", "\n\n"],
    ["of blanks without line feed", " \t"],
  ])("in a file that is %s appends to it", async (_, content) => {
    const at = world();
    const path = at.file("blank.jsonl", content);
    const session = await openSession(path);
    expect(session.isPending()).toBe(true);
    session.appendMessage(userMessage("hi"));
    session.close();
    expect(textOf(path).startsWith(content)).toBe(true);
    const again = await openSession(path, { mode: "read" });
    expect(again.getEntries()).toHaveLength(1);
    expect(again.getDiagnostics()).toEqual([]);
  });

  it.each([
    ["the disk is full", () => fail("write", "ENOSPC")],
    [
      "the disk takes half",
      (fd: number, bytes: Uint8Array) => nodeDisk.write(fd, bytes.subarray(0, bytes.length >> 1)),
    ],
    ["the disk takes nothing", () => 0],
  ])("leaves nothing behind when %s, and can be tried again", async (_, write) => {
    const at = world();
    let isBroken = true;
    const disk = diskWith({
      write: (fd, bytes) => (isBroken ? write(fd, bytes) : nodeDisk.write(fd, bytes)),
    });
    for (const path of [join(at.root, "new", "a.jsonl"), at.file("blank.jsonl", "\n ")]) {
      isBroken = true;
      const session = await openSession(path, { create: true, disk });
      const held = session.appendSessionInfo("N");
      expect(code(() => session.appendMessage(userMessage("hi")))).toBe("SESSION_WRITE_FAILED");
      expect(session.isPending()).toBe(true);
      expect(session.getLeafId()).toBe(held);
      if (path.endsWith("blank.jsonl")) expect(textOf(path)).toBe("\n ");
      else expect(existsSync(path)).toBe(false);
      expect(existsSync(`${path}.lock`)).toBe(false);
      isBroken = false;
      session.appendMessage(userMessage("hi"));
      session.close();
      const again = await openSession(path, { mode: "read" });
      expect(ids(again)).toHaveLength(2);
      expect(again.getDiagnostics()).toEqual([]);
    }
  });

  it("never overwrites a file that came to its path meanwhile", async () => {
    const at = world();
    const path = join(at.root, "late.jsonl");
    const session = await openSession(path, { create: true });
    writeFileSync(path, "mine");
    expect(code(() => session.appendMessage(userMessage("hi")))).toBe("SESSION_WRITE_FAILED");
    expect(textOf(path)).toBe("mine");
  });
});

describe("an append", () => {
  it("is one write at the end of the file, also for records that belong together", async () => {
    const at = world();
    const path = at.file("a.jsonl", TWO);
    const writes: string[] = [];
    const disk = diskWith({
      write: (fd, bytes) => {
        writes.push(Buffer.from(bytes).toString());
        return nodeDisk.write(fd, bytes);
      },
    });
    const session = await openSession(path, { disk });
    session.applyMove({
      newLeafId: "u1",
      targetId: "u1",
      label: "L",
      summary: { text: "S", fromExtension: false },
    });
    session.appendMessage(userMessage("next"));
    session.close();
    expect(writes).toHaveLength(2);
    expect(writes[0]?.split("\n")).toHaveLength(3);
    expect(textOf(path)).toBe(`${TWO.map((line) => `${line}\n`).join("")}${writes.join("")}`);
  });

  it("that fails or is cut short changes nothing in the tree, and the next one is whole", async () => {
    const at = world();
    let share: number | "full" | undefined;
    const disk = diskWith({
      write: (fd, bytes) => {
        if (share === "full") return fail("write", "ENOSPC");
        return nodeDisk.write(fd, share === undefined ? bytes : bytes.subarray(0, share));
      },
    });
    const record = user("00000000", "a1", "new");
    for (const cut of ["full", 0, 1, 40, record.length - 1] as const) {
      const path = at.file("short.jsonl", TWO);
      const session = await openSession(path, { disk });
      share = cut;
      expect(
        code(() => session.appendMessage(userMessage("lost"))),
        `${cut}`,
      ).toBe("SESSION_WRITE_FAILED");
      expect(session.getLeafId()).toBe("a1");
      expect(ids(session)).toEqual(["u1", "a1"]);
      share = undefined;
      const id = session.appendMessage(userMessage("kept"));
      expect(session.getEntry(id)).toMatchObject({ parentId: "a1", message: { content: "kept" } });
      session.close();
      const again = await openSession(path, { mode: "read" });
      expect(ids(again)).toEqual(["u1", "a1", id]);
      expect(textOf(path).startsWith(TWO.join("\n"))).toBe(true);
    }
  });

  it.each(["short", "error"])("counts when only its line feed is missing (%s)", async (kind) => {
    const at = world();
    const path = at.file("lf.jsonl", TWO);
    let isBroken = true;
    const disk = diskWith({
      write: (fd, bytes) => {
        if (!isBroken) return nodeDisk.write(fd, bytes);
        isBroken = false;
        const count = nodeDisk.write(fd, bytes.subarray(0, -1));
        return kind === "short" ? count : fail("write", "EIO");
      },
    });
    const session = await openSession(path, { disk });
    const first = session.appendMessage(userMessage("one"));
    const second = session.appendMessage(userMessage("two"));
    expect(session.getEntry(second)).toMatchObject({ message: { content: "two" } });
    session.close();
    const again = await openSession(path, { mode: "read" });
    expect(ids(again)).toEqual(["u1", "a1", first, second]);
    expect(again.getDiagnostics()).toEqual([]);
  });

  it("to a file whose last line is whole but has no line feed begins with one", async () => {
    const at = world();
    const path = at.file("no-lf.jsonl", TWO.join("\n"));
    const session = await openSession(path);
    const id = session.appendMessage(userMessage("next"));
    session.close();
    expect(textOf(path).startsWith(`${TWO.join("\n")}\n{`)).toBe(true);
    expect(ids(await openSession(path, { mode: "read" }))).toEqual(["u1", "a1", id]);
  });
});

describe("a file that another program touches", () => {
  const touched: readonly [string, (path: string) => void][] = [
    ["appended to", (path) => appendFileSync(path, `${user("x", "a1", "theirs")}\n`)],
    ["cut", (path) => truncateSync(path, statSync(path).size - 10)],
    [
      "replaced",
      (path) => {
        writeFileSync(`${path}.new`, textOf(path));
        renameSync(`${path}.new`, path);
      },
    ],
    ["removed", (path) => unlinkSync(path)],
  ];

  it.each(touched)(
    "%s is not written any more, and can be left or branched from",
    async (how, touch) => {
      const at = world();
      const path = at.file("sessions/a.jsonl", [
        ...TWO,
        user("u2", "a1", "two"),
        user("u3", "u2", "three"),
      ]);
      const session = await openSession(path);
      session.getEntry("u1");
      touch(path);
      const found = existsSync(path) ? textOf(path) : undefined;
      for (let i = 0; i < 2; i++) {
        expect(code(() => session.appendMessage(userMessage("lost")))).toBe("SESSION_CHANGED");
      }
      expect(existsSync(path) ? textOf(path) : undefined).toBe(found);
      expect(session.getLeafId()).toBe("u3");
      const file = session.createBranchedSession("u2") as string;
      session.appendMessage(userMessage("goes on"));
      session.close();
      expect(ids(await openSession(file, { mode: "read" })), how).toHaveLength(4);
    },
  );

  it("also when it is as it was again", async () => {
    const at = world();
    const path = at.file("a.jsonl", TWO);
    const session = await openSession(path);
    appendFileSync(path, "x");
    expect(code(() => session.appendSessionInfo("N"))).toBe("SESSION_CHANGED");
    truncateSync(path, statSync(path).size - 1);
    expect(code(() => session.appendSessionInfo("N"))).toBe("SESSION_CHANGED");
    session.close();
    const again = await openSession(path);
    again.appendSessionInfo("N");
    again.close();
  });

  it("in the middle of an append shows at the next one, and what was written is still read", async () => {
    const at = world();
    const path = at.file("a.jsonl", TWO);
    const disk = diskWith({
      write: (fd, bytes) => {
        appendFileSync(path, `${user("x", "a1", "theirs")}\n`);
        return nodeDisk.write(fd, bytes);
      },
    });
    const session = await openSession(path, { disk });
    const id = session.appendMessage(userMessage("mine"));
    expect(session.getEntry(id)).toMatchObject({ message: { content: "mine" } });
    expect(code(() => session.appendSessionInfo("N"))).toBe("SESSION_CHANGED");
    session.close();
    expect(ids(await openSession(path, { mode: "read" }))).toEqual(["u1", "a1", "x", id]);
  });

  it("shows an entry that was overwritten by its base fields only", async () => {
    const at = world();
    const path = at.file("a.jsonl", TWO);
    const session = await openSession(path, { mode: "read" });
    writeFileSync(
      path,
      textOf(path).replace('{"type":"message","id":"u1"', '{"type":"message","id":"zz"'),
    );
    expect(session.getEntry("u1")).toEqual({
      type: "message",
      id: "u1",
      parentId: null,
      timestamp: expect.any(String),
    });
    expect(session.getEntry("a1")).toHaveProperty("message");
    session.close();
  });
});

describe("durability", () => {
  async function syncs(
    durability: string | undefined,
    work: (session: SessionManager) => Promise<void>,
  ) {
    const at = world();
    const calls: string[] = [];
    const disk = diskWith({
      sync: () => calls.push("sync"),
      dataSync: () => calls.push("data"),
      dataSyncLater: async () => void calls.push("data"),
      syncFolder: (path) => calls.push(`folder ${path.slice(at.root.length)}`),
    });
    const settings = { get: (key: string) => (key === "durability" ? durability : undefined) };
    mkdirSync(join(at.root, "s"));
    const session = await openSession(join(at.root, "s", "a.jsonl"), {
      create: true,
      disk,
      settings,
    });
    await work(session);
    return calls;
  }

  const two = async (session: SessionManager) => {
    session.appendMessage(userMessage("one"));
    await session.sync();
    await session.sync();
    session.appendMessage(userMessage("two"));
    session.close();
  };

  it("of a turn syncs the folder of a new file, and the file when told and when closed", async () => {
    expect(await syncs(undefined, two)).toEqual(["folder /s", "data", "data"]);
  });

  it("of an entry syncs after every append", async () => {
    expect(await syncs("entry", two)).toEqual(["data", "folder /s", "data"]);
  });

  it("none never syncs", async () => {
    expect(await syncs("none", two)).toEqual([]);
    expect(
      await syncs("none", async (session) => {
        session.appendMessage(userMessage("one"));
        session.createBranchedSession(session.getLeafId() as string);
        session.close();
      }),
    ).toEqual([]);
  });

  it("makes folders that were missing durable from the top", async () => {
    const at = world();
    const folders: string[] = [];
    const disk = diskWith({ syncFolder: (path) => folders.push(path.slice(at.root.length)) });
    const session = await openSession(join(at.root, "x/y/z/a.jsonl"), { create: true, disk });
    session.appendMessage(userMessage("one"));
    session.close();
    expect(folders).toEqual(["", "/x", "/x/y", "/x/y/z"]);
  });

  it("tells of a sync that fails, and releases all the same", async () => {
    const at = world();
    const path = at.file("a.jsonl", TWO);
    const disk = diskWith({
      dataSync: () => fail("fdatasync", "EIO"),
      dataSyncLater: async () => fail("fdatasync", "EIO"),
    });
    const session = await openSession(path, { disk });
    session.appendSessionInfo("N");
    await expect(session.sync()).rejects.toMatchObject({ code: "SESSION_WRITE_FAILED" });
    expect(code(() => session.close())).toBe("SESSION_WRITE_FAILED");
    (await openSession(path)).close();
  });

  it("of a file that can be made but not be synced leaves no file", async () => {
    const at = world();
    const path = join(at.root, "a.jsonl");
    const disk = diskWith({ syncFolder: () => fail("fsync", "EIO") });
    const session = await openSession(path, { create: true, disk });
    expect(code(() => session.appendMessage(userMessage("one")))).toBe("SESSION_WRITE_FAILED");
    expect(existsSync(path)).toBe(false);
    expect(session.isPending()).toBe(true);
  });
});

describe("a closed session", () => {
  it("refuses appends and leaves no lock", async () => {
    const at = world();
    const path = at.file("a.jsonl", TWO);
    const session = await openSession(path);
    expect(existsSync(`${path}.lock`)).toBe(true);
    expect(JSON.parse(textOf(`${path}.owner`))).toMatchObject({
      pid: process.pid,
      id: expect.any(String),
    });
    session.close();
    session.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(existsSync(`${path}.owner`)).toBe(false);
    expect(code(() => session.appendSessionInfo("N"))).toBe("SESSION_READ_ONLY");
    expect(json(linesIn(path))).toBe(json(TWO));
  });
});

function fail(syscall: string, reason: string): never {
  throw Object.assign(new Error(`${reason}: ${syscall}`), { code: reason, syscall });
}
