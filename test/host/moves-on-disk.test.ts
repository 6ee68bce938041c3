import { appendFileSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openSession } from "../../host/storage/sessions.ts";
import { loadWorld, type Source, type World } from "../contract/world.ts";
import { type DiskSession, diskSession } from "./disk-session.ts";

/** The last entry of the file is `u3`, which is the leaf. */
const picture = "u1 a1(u2(a2) u3)";

function lines(path: string): readonly Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function moved(target: string, options = {}): Promise<DiskSession & { world: World }> {
  const disk = await diskSession({ picture });
  const world = await loadWorld({ session: disk.session });
  await world.session.navigateTree(disk.id(target), options);
  return { ...disk, world };
}

describe("a bare move", () => {
  it.each([
    ["an entry", "a2", "a2"],
    ["a user message", "u2", "a1"],
    ["the first message", "u1", undefined],
  ])("to %s leaves one marker, and the leaf is there after a restart", async (_name, to, leaf) => {
    const { world, path, id, session } = await moved(to);
    const expected = leaf === undefined ? null : id(leaf);
    expect(lines(path).at(-1)).toMatchObject({
      type: "custom",
      customType: "coppice.position",
      parentId: expected,
    });
    expect(lines(path)).toHaveLength(1 + session.getEntryCount() + 1);
    await world.close();
    const again = await openSession(path);
    expect(again.getLeafId()).toBe(expected);
    again.close();
  });

  it("to where the file already stands leaves none", async () => {
    const { path, session, world, id } = await moved("a2");
    const count = lines(path).length;
    session.branch(id("a1"));
    await world.session.navigateTree(id("a2"));
    expect(lines(path)).toHaveLength(count);
    expect(session.getLeafId()).toBe(id("a2"));
  });

  it("of a read-only session stays in memory", async () => {
    const { session, path, id } = await diskSession({ picture, mode: "read" });
    const before = readFileSync(path, "utf8");
    const world = await loadWorld({ session });
    await world.session.navigateTree(id("a2"));
    expect(session.getLeafId()).toBe(id("a2"));
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("that cannot be written fails with the error of the append, and the leaf stays", async () => {
    const { session, path, id } = await diskSession({ picture });
    const world = await loadWorld({ session });
    const leaf = session.getLeafId();
    const { messages } = world.session;
    appendFileSync(path, '{"foreign":true}\n');
    await expect(world.session.navigateTree(id("a2"))).rejects.toMatchObject({
      code: "SESSION_CHANGED",
    });
    expect(session.getLeafId()).toBe(leaf);
    expect(world.session.messages).toBe(messages);
    expect(world.session.activity).toBe("idle");
  });
});

describe("a move with a summary or a label", () => {
  const own: Source = (api) => {
    api.on("session_before_tree", () => ({ summary: { summary: "mine" }, label: "kept" }));
  };

  it("leaves both and no marker", async () => {
    const { session, path, id } = await diskSession({ picture });
    const world = await loadWorld({ session, extensions: { own } });
    await world.session.navigateTree(id("a2"), { summarize: true });
    expect(lines(path).slice(-2)).toMatchObject([
      { type: "branch_summary", parentId: id("a2"), summary: "mine" },
      { type: "label", label: "kept" },
    ]);
  });

  it.each([
    ["a summary is wanted", { summarize: true }],
    ["a label is wanted", { label: "x" }],
  ])(
    "is SESSION_READ_ONLY in a read-only session before anybody is asked: %s",
    async (_name, options) => {
      const { session, id } = await diskSession({ picture, mode: "read" });
      const asks: Source = (api) => {
        api.on("session_before_tree", (_event, ctx) => {
          ctx.ui.notify("asked");
          return {};
        });
      };
      const world = await loadWorld({ session, extensions: { asks } });
      const leaf = session.getLeafId();
      await expect(world.session.navigateTree(id("a2"), options)).rejects.toMatchObject({
        code: "SESSION_READ_ONLY",
      });
      expect(session.getLeafId()).toBe(leaf);
      expect(world.said).toEqual([]);
    },
  );

  it("is SESSION_READ_ONLY too where a handler supplies the label", async () => {
    const { session, id } = await diskSession({ picture, mode: "read" });
    const world = await loadWorld({ session, extensions: { own } });
    const leaf = session.getLeafId();
    await expect(world.session.navigateTree(id("a2"))).rejects.toMatchObject({
      code: "SESSION_READ_ONLY",
    });
    expect(session.getLeafId()).toBe(leaf);
  });

  it("that cannot be written leaves everything as it was", async () => {
    const { session, path, id } = await diskSession({ picture });
    const world = await loadWorld({ session, extensions: { own } });
    const leaf = session.getLeafId();
    const entries = session.getEntries();
    appendFileSync(path, '{"foreign":true}\n');
    const move = world.session.navigateTree(id("a2"), { summarize: true });
    await expect(move).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    expect(session.getLeafId()).toBe(leaf);
    expect(session.getEntries()).toEqual(entries);
  });
});
