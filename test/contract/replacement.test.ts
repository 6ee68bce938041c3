import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { diskSession } from "../host/disk-session.ts";
import { tree } from "../world.ts";
import { namesSeen, seen, watching } from "./watcher.ts";
import { contract, type Source } from "./world.ts";

const lifeEvents = [
  "session_start",
  "session_shutdown",
  "session_before_switch",
  "session_switch",
  "session_before_branch",
  "session_branch",
];
const watch = watching(...lifeEvents);

/** Commands that replace the session and say what came back. */
const control: Source = (api) => {
  const say = (ctx: { ui: { notify(text: string): void } }, value: unknown) =>
    ctx.ui.notify(`result ${JSON.stringify(value)}`);
  api.registerCommand("fork", {
    async handler(args, ctx) {
      const [id = "", position] = args.split(" ");
      const at = position === "at" ? ({ position } as const) : {};
      await ctx.fork(id, { ...at, withSession: (next) => say(next, next.cwd) });
    },
  });
  api.registerCommand("branch", {
    async handler(id, ctx) {
      const kept: { ui: { notify(text: string): void } }[] = [];
      await ctx.branch(id, {
        withSession(next) {
          kept.push(next);
          next.ui.notify(`in ${next.sessionManager.getSessionFile()}`);
          say(next, next.sessionManager.getEntries().length);
        },
      });
      kept[0]?.ui.notify("too late");
    },
  });
  api.registerCommand("switch", {
    async handler(path, ctx) {
      await ctx.switchSession(path, { withSession: (next) => say(next, "switched") });
    },
  });
  api.registerCommand("new", {
    async handler(_args, ctx) {
      await ctx.newSession({ withSession: (next) => say(next, "new") });
    },
  });
};

contract("a replacement of the session", (loadWorld) => {
  it("begins with a start, and ends with a shutdown", async () => {
    const world = await loadWorld({ extensions: { watch } });
    await world.close();
    expect(seen(world)).toEqual([
      { type: "session_start", reason: "startup" },
      { type: "session_shutdown", reason: "quit" },
    ]);
  });

  it("by a new session sends its events in order", async () => {
    const { session, path } = await diskSession();
    const world = await loadWorld({ session, extensions: { watch, control } });
    await world.command("/new");
    const target = world.sessionManager.getSessionFile();
    expect(seen(world).slice(1)).toEqual([
      { type: "session_before_switch", reason: "new" },
      { type: "session_shutdown", reason: "new", targetSessionFile: target },
      { type: "session_start", reason: "new", previousSessionFile: path },
      { type: "session_switch", reason: "new", previousSessionFile: path },
    ]);
    expect(world.said.at(-1)).toBe('result "new"');
    expect(world.sessionManager.getEntries()).toEqual([]);
    expect(target).not.toBe(path);
  });

  it("by another session sends its events in order", async () => {
    const first = await diskSession();
    const second = await diskSession({ picture: "u1 a1 u2 a2*" });
    second.session.close();
    const world = await loadWorld({ session: first.session, extensions: { watch, control } });
    await world.command(`/switch ${second.path}`);
    const { path } = first;
    expect(seen(world).slice(1)).toEqual([
      { type: "session_before_switch", reason: "resume", targetSessionFile: second.path },
      { type: "session_shutdown", reason: "resume", targetSessionFile: second.path },
      { type: "session_start", reason: "resume", previousSessionFile: path },
      { type: "session_switch", reason: "resume", previousSessionFile: path },
    ]);
    expect(world.said.at(-1)).toBe('result "switched"');
    expect(world.sessionManager.getSessionFile()).toBe(second.path);
    expect(world.session.messages).toHaveLength(4);
  });

  it("by a branch sends its events in order, with the new file while the old one is active", async () => {
    const { session, path, id } = await diskSession({ picture: "u1 a1 u2 a2*" });
    const world = await loadWorld({
      session,
      extensions: {
        watch,
        control,
        still: (api) => {
          api.on("session_shutdown", (_event, ctx) => {
            api.appendEntry("farewell");
            ctx.ui.notify(`still in ${ctx.sessionManager.getSessionFile()}`);
          });
        },
      },
    });
    await expect(world.command(`/branch ${id("u2")}`)).rejects.toMatchObject({
      code: "STALE_CONTEXT",
    });
    const target = world.sessionManager.getSessionFile();
    expect(seen(world).slice(1)).toEqual([
      { type: "session_before_branch", entryId: id("u2"), position: "before" },
      { type: "session_shutdown", reason: "fork", targetSessionFile: target },
      { type: "session_start", reason: "fork", previousSessionFile: path },
      { type: "session_branch", previousSessionFile: path },
    ]);
    expect(world.said).toContain(`still in ${path}`);
    expect(world.said.slice(-2)).toEqual([`in ${target}`, "result 2"]);
    expect(readFileSync(path, "utf8")).toContain("farewell");
    expect(readFileSync(String(target), "utf8")).not.toContain("farewell");
  });

  it("that a handler cancels changes nothing and ends no instance", async () => {
    const { session, path, id } = await diskSession();
    const gates: Source = (api) => {
      api.on("session_before_switch", () => ({ cancel: true }));
      api.on("session_before_branch", () => ({ cancel: true }));
    };
    const world = await loadWorld({ session, extensions: { watch, control, gates } });
    const other = await diskSession();
    other.session.close();
    await world.command("/new");
    await world.command(`/switch ${other.path}`);
    await world.command(`/fork ${id("u1")}`);
    expect(namesSeen(world)).toEqual([
      "session_start",
      "session_before_switch",
      "session_before_switch",
      "session_before_branch",
    ]);
    expect(world.said.filter((note) => note.startsWith("result"))).toEqual([]);
    expect(world.sessionManager.getSessionFile()).toBe(path);
  });

  it("that cannot be opened leaves the session and its instances as they were", async () => {
    const { session, path } = await diskSession();
    const world = await loadWorld({ session, extensions: { watch, control } });
    await expect(world.command("/switch /nowhere/at-all.jsonl")).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
    expect(namesSeen(world)).toEqual(["session_start", "session_before_switch"]);
    expect(world.sessionManager.getSessionFile()).toBe(path);
    expect(world.session.activity).toBe("idle");
    world.sessionManager.appendCustomEntry("still", 1);
  });

  it("by the session that is open already begins anew where it stands", async () => {
    const { session, path, id } = await diskSession({ picture: "u1 a1(u2) u3*" });
    session.branch(id("a1"));
    const world = await loadWorld({ session, extensions: { watch, control } });
    await world.command(`/switch ${path}`);
    expect(world.said.at(-1)).toBe('result "switched"');
    expect(world.sessionManager.getLeafId()).toBe(id("a1"));
    world.sessionManager.appendCustomEntry("still", 1);
  });

  it("makes every instance new: nothing it kept is there, its old context is stale", async () => {
    const world = await loadWorld({
      extensions: {
        keeps: (api) => {
          let count = 0;
          api.registerCommand("count", {
            handler: (_args, ctx) => ctx.ui.notify(String(++count)),
          });
          api.registerCommand("replace", {
            async handler(_args, ctx) {
              const { ui, sessionManager } = ctx;
              await ctx.newSession();
              const uses = [
                () => ctx.cwd,
                () => ui.notify("x"),
                () => sessionManager.getLeafId(),
                () => api.getCommands(),
                () => api.on("session_start", () => undefined),
              ];
              const codes = uses.map((use) => {
                try {
                  use();
                  return "works";
                } catch (error) {
                  const { code, message } = error as { code: string; message: string };
                  return `${code} ${message.includes("withSession")}`;
                }
              });
              const late = await ctx.navigateTree("x").catch(({ code }: { code: string }) => code);
              throw new Error([...codes, late].join());
            },
          });
        },
      },
    });
    await world.command("/count");
    await world.command("/count");
    const stale = Array.from({ length: 5 }, () => "STALE_CONTEXT true");
    await expect(world.command("/replace")).rejects.toThrow([...stale, "STALE_CONTEXT"].join());
    await world.command("/count");
    expect(world.said).toEqual(["1", "2", "1"]);
  });

  it("in a callback of withSession that fails is done; the error comes to the caller", async () => {
    const world = await loadWorld({
      session: tree("u1 a1*"),
      extensions: {
        watch,
        fails: (api) => {
          api.registerCommand("fail", {
            async handler(_args, ctx) {
              await ctx.newSession({
                withSession() {
                  throw new Error("boom");
                },
              });
            },
          });
        },
      },
    });
    await expect(world.command("/fail")).rejects.toThrow("boom");
    expect(world.sessionManager.getEntries()).toEqual([]);
    expect(namesSeen(world).at(-1)).toBe("session_switch");
    expect(world.session.activity).toBe("idle");
  });

  it("may be followed by another in withSession", async () => {
    const world = await loadWorld({
      session: tree("u1 a1 u2 a2*"),
      extensions: {
        twice: (api) => {
          api.registerCommand("twice", {
            async handler(args, ctx) {
              await ctx.fork(args, {
                position: "at",
                async withSession(next) {
                  const [first] = next.sessionManager.getBranch();
                  await next.branch(first?.id ?? "", {
                    withSession: (last) =>
                      last.ui.notify(`last ${last.sessionManager.getLeafId()}`),
                  });
                },
              });
            },
          });
        },
      },
    });
    await world.command(`/twice ${world.id("u2")}`);
    expect(world.said).toEqual(["last null"]);
  });
});

contract("the setup of a new session", (loadWorld) => {
  const setting: Source = (api) => {
    const kept: { getEntries(): unknown }[] = [];
    api.registerCommand("setup", {
      async handler(args, ctx) {
        await ctx.newSession({
          async setup(manager) {
            kept.push(manager);
            manager.appendSessionInfo("prepared");
            const id = manager.appendMessage({ role: "user", content: "first", timestamp: 1 });
            manager.appendLabelChange(id, "here");
            if (args === "fail") throw new Error("boom");
            if (args === "reach") (manager as unknown as { close(): void }).close();
          },
          withSession: (next) => next.ui.notify(`${next.sessionManager.getSessionName()}`),
        });
        kept[0]?.getEntries();
      },
    });
  };

  it("fills it before it becomes active, and its manager is dead afterwards", async () => {
    const { session } = await diskSession();
    const world = await loadWorld({ session, extensions: { setting } });
    await expect(world.command("/setup")).rejects.toMatchObject({ code: "STALE_CONTEXT" });
    expect(world.said).toEqual(["prepared"]);
    expect(world.sessionManager.getEntries().map(({ type }) => type)).toEqual([
      "session_info",
      "message",
      "label",
    ]);
    expect(world.session.messages).toHaveLength(1);
  });

  it.each([
    ["fails", "fail", { message: "boom" }],
    ["reaches further than it may", "reach", { code: "NOT_SUPPORTED" }],
  ])("that %s leaves the old session active and no file behind", async (_name, args, error) => {
    const { session, path, folder } = await diskSession();
    const world = await loadWorld({ session, extensions: { setting, watch } });
    await expect(world.command(`/setup ${args}`)).rejects.toMatchObject(error);
    expect(world.sessionManager.getSessionFile()).toBe(path);
    expect(namesSeen(world)).toEqual(["session_start", "session_before_switch"]);
    const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    expect(files).toEqual(["session.jsonl"]);
    world.sessionManager.appendCustomEntry("still", 1);
  });
});
