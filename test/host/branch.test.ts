import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../host/storage/disk.ts";
import { openSession } from "../../host/storage/sessions.ts";
import { seen, watching } from "../contract/watcher.ts";
import { loadWorld, type Source, type World } from "../contract/world.ts";
import { tree } from "../world.ts";
import { diskSession } from "./disk-session.ts";

const watch = watching("session_before_branch", "session_branch");

function texts(world: World): readonly unknown[] {
  return world.session.messages.map((message) => {
    const { content } = message as { content?: unknown };
    return typeof content === "string" ? content : (content as { text: string }[])[0]?.text;
  });
}

/** Session files of a folder, without locks and the like. */
function sessionFiles(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
}

describe("a branch in memory", () => {
  it("keeps the path before the message and gives its text", async () => {
    const world = await loadWorld({
      session: tree("u1 a1(u2(a2) u3(a3 u4*))"),
      extensions: { watch },
    });
    const { session, sessionManager, id } = world;
    const before = sessionManager.getSessionId();
    expect(await session.branch(id("u3"))).toEqual({ cancelled: false, selectedText: "u3" });
    expect(texts(world)).toEqual(["u1", "a1"]);
    expect(sessionManager.getEntries().map((entry) => entry.id)).toEqual([id("u1"), id("a1")]);
    expect(sessionManager.getSessionId()).not.toBe(before);
    expect(sessionManager.getSessionFile()).toBeUndefined();
    expect(seen(world)).toEqual([
      { type: "session_before_branch", entryId: id("u3"), position: "before" },
      { type: "session_branch" },
    ]);
  });

  it("copies the path of the message's own branch", async () => {
    const world = await loadWorld({ session: tree("u1 a1(u2(a2(u5)) u3(a3*))") });
    expect(await world.session.branch(world.id("u5"))).toMatchObject({ selectedText: "u5" });
    expect(texts(world)).toEqual(["u1", "a1", "u2", "a2"]);
  });

  it("from the first message is an empty conversation", async () => {
    const world = await loadWorld({ session: tree("u1 a1*") });
    expect(await world.session.branch(world.id("u1"))).toEqual({
      cancelled: false,
      selectedText: "u1",
    });
    expect(world.sessionManager.getEntries()).toEqual([]);
    expect(world.session.messages).toEqual([]);
  });

  it("at an entry keeps the path through it, of whatever kind, and gives no text", async () => {
    const world = await loadWorld({ session: tree("u1 a1(u2(a2) u3(a3*))") });
    expect(await world.session.branch(world.id("a2"), { position: "at" })).toEqual({
      cancelled: false,
    });
    expect(texts(world)).toEqual(["u1", "a1", "u2", "a2"]);
  });

  it("tells a screen the text, and forgets the move before", async () => {
    const world = await loadWorld({ session: tree("u1 a1(u2(a2) u3(a3*))") });
    await world.session.navigateTree(world.id("a2"));
    const told: unknown[] = [];
    world.session.subscribe((event) => {
      if (event.type === "session_replaced") told.push(event);
    });
    await world.session.branch(world.id("u3"));
    expect(told).toEqual([{ type: "session_replaced", reason: "fork", editorText: "u3" }]);
    expect(await world.session.navigateBack()).toBeUndefined();
  });

  it("keeps the agent's messages where a handler says so", async () => {
    const skips: Source = (api) => {
      api.on("session_before_branch", () => ({ skipConversationRestore: true }));
    };
    const world = await loadWorld({ session: tree("u1 a1 u2 a2*"), extensions: { skips } });
    await world.session.branch(world.id("u2"));
    expect(texts(world)).toEqual(["u1", "a1", "u2", "a2"]);
    expect(world.sessionManager.getEntries()).toHaveLength(2);
  });

  it("that is cancelled gives the text and changes nothing", async () => {
    const gate: Source = (api) => {
      api.on("session_before_branch", () => ({ cancel: true }));
    };
    const world = await loadWorld({ session: tree("u1 a1 u2 a2*"), extensions: { gate } });
    const id = world.sessionManager.getSessionId();
    expect(await world.session.branch(world.id("u2"))).toEqual({
      cancelled: true,
      selectedText: "u2",
    });
    expect(world.sessionManager.getSessionId()).toBe(id);
    expect(world.sessionManager.getEntries()).toHaveLength(4);
    expect(world.session.activity).toBe("idle");
  });
});

describe("a branch on the disk", () => {
  it("is a new file that names the old one, and the old one stays as it is", async () => {
    const { session, path, id } = await diskSession({ picture: "u1 a1 u2 a2 u3 a3*" });
    const world = await loadWorld({ session, extensions: { watch } });
    const before = readFileSync(path, "utf8");
    expect(await world.session.branch(id("u2"))).toEqual({ cancelled: false, selectedText: "u2" });
    const file = String(session.getSessionFile());
    const [header = ""] = readFileSync(file, "utf8").split("\n");
    expect(JSON.parse(header)).toMatchObject({ parentSession: path, id: session.getSessionId() });
    expect(file).toContain(session.getSessionId());
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(texts(world)).toEqual(["u1", "a1"]);
    expect(seen(world).at(-1)).toEqual({ type: "session_branch", previousSessionFile: path });
    const old = await openSession(path);
    old.close();
  });

  it("from the first message is a pending file with a lineage and without the name", async () => {
    const { session, path, folder, id } = await diskSession();
    session.appendSessionInfo("named");
    const world = await loadWorld({ session });
    await world.session.branch(id("u1"));
    expect(session.getHeader()).toMatchObject({ parentSession: path });
    expect(session.getSessionName()).toBeUndefined();
    expect(session.isPending()).toBe(true);
    expect(sessionFiles(folder)).toEqual(["session.jsonl"]);
  });

  it("of a read-only session is no obstacle", async () => {
    const { session, path, id } = await diskSession({ picture: "u1 a1 u2 a2*", mode: "read" });
    const world = await loadWorld({ session });
    await world.session.branch(id("u2"));
    expect(session.isReadOnly()).toBe(false);
    expect(session.getHeader().parentSession).toBe(path);
    session.appendCustomEntry("writes", 1);
  });

  it.each([
    ["synced", "dataSyncLater"],
    ["written", "write"],
    ["named", "rename"],
  ] as const)(
    "that cannot be %s leaves the old session and its instances",
    async (_name, member) => {
      let isFull = false;
      const fail = () => {
        throw Object.assign(new Error("no space left"), {
          code: "ENOSPC",
          errno: -28,
          syscall: member,
        });
      };
      const own = nodeDisk[member] as (...args: readonly unknown[]) => unknown;
      const call = (...args: readonly unknown[]) => (isFull ? fail() : own(...args));
      const disk = { ...nodeDisk, [member]: call };
      const { session, path, folder, id } = await diskSession({ picture: "u1 a1 u2 a2*", disk });
      const world = await loadWorld({ session, extensions: { watch } });
      session.appendCustomEntry("to be synced", 1);
      isFull = true;
      await expect(world.session.branch(id("u2"))).rejects.toMatchObject({
        code: "SESSION_WRITE_FAILED",
      });
      isFull = false;
      expect(session.getSessionFile()).toBe(path);
      expect(sessionFiles(folder)).toEqual(["session.jsonl"]);
      expect(seen(world).map(({ type }) => type)).toEqual(["session_before_branch"]);
      expect(world.session.activity).toBe("idle");
      expect(await world.session.branch(id("u2"))).toMatchObject({ cancelled: false });
    },
  );
});

describe("a switch whose last words cannot be kept", () => {
  it("does not happen: the session stays as it is, and nothing is left of the new one", async () => {
    let words = 0;
    let isFull = false;
    const fail = () => {
      throw Object.assign(new TypeError("i/o error"), { code: "EIO", syscall: "fdatasync" });
    };
    const disk = {
      ...nodeDisk,
      write(fd: number, bytes: Uint8Array) {
        if (Buffer.from(bytes).includes("last words")) isFull = ++words === 1;
        return nodeDisk.write(fd, bytes);
      },
      dataSync: (fd: number) => (isFull ? fail() : nodeDisk.dataSync(fd)),
      dataSyncLater: async (fd: number) => (isFull ? fail() : nodeDisk.dataSyncLater(fd)),
    };
    const { session, path, folder, id } = await diskSession({ picture: "u1 a1 u2 a2*", disk });
    const talks: Source = (api) => {
      api.on("session_shutdown", () => api.appendEntry("last words"));
    };
    const world = await loadWorld({ session, extensions: { talks } });
    const { messages } = world.session;
    await expect(world.session.branch(id("u2"))).rejects.toMatchObject({
      code: "SESSION_WRITE_FAILED",
    });
    expect(session.getSessionFile()).toBe(path);
    expect(session.getLeafEntry()).toMatchObject({ customType: "last words" });
    isFull = false;
    expect(world.session.messages).toBe(messages);
    expect(sessionFiles(folder)).toEqual(["session.jsonl"]);
  });
});

describe("a branch is refused", () => {
  it.each([
    ["from an unknown entry", () => "nowhere", "ENTRY_NOT_FOUND"],
    ["from an assistant message", (world: World) => world.id("a1"), "INVALID_BRANCH_SOURCE"],
    [
      "from a custom message",
      (world: World) => world.sessionManager.appendCustomMessageEntry("note", "text", true),
      "INVALID_BRANCH_SOURCE",
    ],
    [
      "from a label",
      (world: World) => world.sessionManager.appendLabelChange(world.id("u1"), "x"),
      "INVALID_BRANCH_SOURCE",
    ],
  ])("%s", async (_name, entry, code) => {
    const world = await loadWorld({ extensions: { watch } });
    const id = entry(world);
    const entries = world.sessionManager.getEntries();
    await expect(world.session.branch(id)).rejects.toMatchObject({ code });
    expect(world.sessionManager.getEntries()).toEqual(entries);
    expect(seen(world)).toEqual([]);
  });

  it("names the entry and its kind", async () => {
    const world = await loadWorld();
    await expect(world.session.branch(world.id("a1"))).rejects.toMatchObject({
      message: expect.stringContaining("assistant"),
      details: { id: world.id("a1"), kind: "assistant" },
    });
  });
});

it("the messages one can branch from are the user messages with text, of all branches", async () => {
  const world = await loadWorld({ session: tree("u1 a1(u2(a2) u3*)") });
  const { sessionManager } = world;
  sessionManager.appendMessage({ role: "user", content: "  ", timestamp: 1 });
  sessionManager.appendCustomMessageEntry("note", "text", true);
  expect(world.session.getUserMessagesForBranching()).toEqual(
    ["u1", "u2", "u3"].map((text) => ({ entryId: world.id(text), text })),
  );
});
