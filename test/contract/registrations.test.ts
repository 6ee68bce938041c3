import type { TreeFilter } from "coppice";
import { completeArgument, runShortcut } from "coppice/host";
import { expect, it, vi } from "vitest";
import { tree } from "../world.ts";
import { contract, type Source, type World } from "./world.ts";

const command = (name: string): Source =>
  `export default (api) => {
    api.registerCommand("${name}", {
      description: "of " + import.meta.url.split("/").at(-2),
      handler: (args, ctx) => ctx.ui.notify(import.meta.url.split("/").at(-2) + ": " + args),
    });
  };`;

contract("names of commands", (loadWorld) => {
  const names = (world: World) => world.session.runtime.commands.all().map(({ name }) => name);

  it("go to the first in load order, and every later one has an alias", async () => {
    const world = await loadWorld({
      extensions: { one: command("review"), two: command("review"), three: command("review") },
    });
    expect(names(world)).toEqual(["review", "review:three", "review:two"]);
    await world.command("/review a");
    await world.command("/review:two b");
    expect(world.said).toEqual(["one: a", "two: b"]);
    expect(world.reported).toEqual(["two NAME_TAKEN", "three NAME_TAKEN"]);
    expect(world.reports[0]?.message).toMatch(/review.*two.*one.*review:two/);
  });

  it("of first-party extensions are reserved", async () => {
    const world = await loadWorld({
      extensions: { one: command("tree"), two: command("tree") },
      firstParty: { home: { source: command("tree"), permissions: ["commands", "ui"] } },
    });
    expect(names(world)).toEqual(["tree", "tree:one", "tree:two"]);
    await world.command("/tree x");
    await world.command("/tree:one y");
    expect(world.said).toEqual(["home: x", "one: y"]);
    expect(world.reported.filter((report) => report.includes("home"))).toEqual([]);
  });

  it("that are given plainly beat an alias, and a taken alias counts on", async () => {
    const world = await loadWorld({
      extensions: { one: command("x"), two: command("x"), three: command("x:two") },
    });
    await world.command("/x:two plain");
    await world.command("/x:two-2 alias");
    expect(world.said).toEqual(["three: plain", "two: alias"]);
  });

  it("go to whom the user prefers, also those of first-party extensions", async () => {
    const world = await loadWorld({
      settings: { "extensions.prefer": { "command:tree": "two", "command:y": "two" } },
      extensions: { one: command("tree"), two: command("tree") },
      firstParty: { home: { source: command("tree"), permissions: ["commands", "ui"] } },
    });
    for (const name of ["/tree", "/tree:one", "/tree:coppice"]) await world.command(name);
    expect(world.said).toEqual(["two: ", "one: ", "home: "]);
  });

  it("use the short id: without scope, and without characters a name cannot hold", async () => {
    const world = await loadWorld({
      extensions: { one: command("x"), "@acme/two of": command("x") },
    });
    expect(names(world)).toEqual(["x", "x:two-of"]);
  });

  it("come back when the holder goes", async () => {
    const world = await loadWorld({
      extensions: {
        leaves: (api) => {
          const undo = api.registerCommand("x", { handler: () => undo() });
        },
        stays: command("x"),
      },
    });
    expect(names(world)).toEqual(["x", "x:stays"]);
    await world.command("/x");
    expect(names(world)).toEqual(["x"]);
    await world.command("/x mine");
    expect(world.said).toEqual(["stays: mine"]);
  });

  it("are all gone with their instances, and the same again after a replacement", async () => {
    const world = await loadWorld({
      extensions: { one: command("tree"), two: command("tree") },
      firstParty: { home: { source: command("tree"), permissions: ["commands", "ui"] } },
    });
    const before = names(world);
    await world.session.newSession();
    expect(names(world)).toEqual(before);
    world.session.extensions.unload();
    expect(names(world)).toEqual([]);
  });
});

contract("a command", (loadWorld) => {
  it("completes its argument, and what it throws comes to who ran it", async () => {
    const world = await loadWorld({
      extensions: {
        one: (api) => {
          api.registerCommand("pick", {
            getArgumentCompletions: async (prefix, ctx) =>
              ["alpha", "beta"]
                .filter((value) => value.startsWith(prefix))
                .map((value) => ({ value, label: `${value} ${ctx.cwd}` })),
            handler() {
              throw new RangeError("boom");
            },
          });
        },
      },
    });
    const label = "beta /project";
    expect(await completeArgument(world.session, "pick", "b")).toEqual([{ value: "beta", label }]);
    expect(await completeArgument(world.session, "nobody", "b")).toEqual([]);
    await expect(world.command("/pick")).rejects.toThrow("boom");
  });
});

contract("keys", (loadWorld) => {
  const key = (name: string): Source =>
    `export default (api) => {
      api.registerShortcut("ctrl+y", {
        handler: (ctx) => ctx.ui.notify("${name} " + typeof ctx.navigateTree),
      });
    };`;

  it("go by the same rule, but a taken one has no key", async () => {
    const world = await loadWorld({
      extensions: { one: key("one"), two: key("two") },
      firstParty: { home: { source: key("home"), permissions: ["commands", "ui"] } },
    });
    const { shortcuts } = world.session.runtime;
    expect(shortcuts.all().map((shortcut) => shortcut.key)).toEqual([
      "ext.one.ctrl+y",
      "ext.two.ctrl+y",
      "ctrl+y",
    ]);
    expect(await runShortcut(world.session, "ctrl+y")).toBe(true);
    expect(await runShortcut(world.session, "ctrl+x")).toBe(false);
    expect(world.said).toEqual(["home undefined"]);
    expect(world.reported).toEqual(["two NAME_TAKEN", "one NAME_TAKEN"]);
  });
});

contract("contributions", (loadWorld) => {
  const view = { leafId: null, labels: {}, entry: () => undefined };

  function filterOf(world: World, id: string): TreeFilter {
    const found = world.session.runtime.contributions
      .get("tree.filter")
      .find((filter) => filter.id === id);
    if (!found) throw new Error(`no filter ${id}`);
    return found;
  }

  it("come by their order, then in load order, under the one rule of names", async () => {
    const filter = (id: string, order?: number): Source =>
      `export default (api) => {
        api.contribute("tree.filter", { id: "${id}", title: "${id}", tag: "",
          ${order === undefined ? "" : `order: ${order},`} predicate: (rows) => rows.map(() => true) });
      };`;
    const world = await loadWorld({
      extensions: { one: filter("mine", 5), two: filter("mine"), three: filter("early", -1) },
      builtins: ["filter-modes"],
    });
    const ids = world.session.runtime.contributions.get("tree.filter").map(({ id }) => id);
    const five = ["default", "no-tools", "user-only", "labeled-only", "all"];
    expect(ids).toEqual([...five, "early", "mine:two", "mine"]);
    expect(world.reported).toEqual(["two NAME_TAKEN"]);
  });

  it("are seen by others through their context, and are gone with an undo", async () => {
    const world = await loadWorld({
      session: tree("u1 a1*"),
      extensions: {
        gives: (api) => {
          const undo = api.contribute("tree.filter", {
            id: "users",
            title: "users",
            tag: "u",
            predicate: (rows) => rows.map(({ role }) => role === "user"),
          });
          api.registerCommand("undo", { handler: () => undo() });
        },
      },
      firstParty: {
        asks: {
          permissions: ["commands", "ui", "session:read"],
          source: (api) => {
            api.registerCommand("ask", {
              async handler(_args, ctx) {
                const rows = ctx.sessionManager.getIndex();
                const none = { leafId: null, labels: {}, entry: () => undefined };
                const answers = ctx
                  .getContributions("tree.filter")
                  .map(async ({ id, predicate }) => [id, await predicate(rows, none)]);
                ctx.ui.notify(JSON.stringify(await Promise.all(answers)));
              },
            });
          },
        },
      },
    });
    await world.command("/ask");
    await world.command("/undo");
    await world.command("/ask");
    expect(world.said).toEqual([JSON.stringify([["users", [true, false]]]), "[]"]);
  });

  it.each([
    ["throws", "() => { throw new Error('boom'); }", "HOOK_FAILED"],
    ["rejects", "() => Promise.reject(new Error('boom'))", "HOOK_FAILED"],
    ["has another length", "() => [true]", "HOOK_RESULT_INVALID"],
    ["has wrong types", "(rows) => rows.map(() => 'yes')", "HOOK_RESULT_INVALID"],
    ["is no list", "() => true", "HOOK_RESULT_INVALID"],
  ])("whose answer %s are reported and not used", async (_name, predicate, code) => {
    const world = await loadWorld({
      extensions: {
        odd: `export default (api) => {
          api.contribute("tree.filter", { id: "odd", title: "", tag: "", predicate: ${predicate} });
        };`,
      },
    });
    const rows = world.sessionManager.getIndex();
    await expect(filterOf(world, "odd").predicate(rows, view)).rejects.toMatchObject({
      code: "HOOK_FAILED",
    });
    expect(world.reported).toEqual([`odd ${code}`]);
  });

  it("whose answer takes more than a second are reported and not used", async () => {
    const world = await loadWorld({
      extensions: {
        slow: `export default (api) => {
          api.contribute("tree.rowText", { id: "slow", text: () => new Promise(() => {}) });
        };`,
      },
    });
    const [slow] = world.session.runtime.contributions.get("tree.rowText");
    vi.useFakeTimers();
    const answer = expect(slow?.text([], view)).rejects.toMatchObject({ code: "HOOK_FAILED" });
    await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();
    await answer;
    expect(world.reported).toEqual(["slow HOOK_TIMEOUT"]);
  });

  it("of the status line that fail disappear", async () => {
    const item = (text: string): Source =>
      `export default (api) => { api.contribute("status.item", { id: "s", text: ${text} }); };`;
    const world = await loadWorld({
      extensions: {
        fine: item("({ cwd }) => cwd"),
        nothing: item("() => null"),
        odd: item("() => 5"),
        throws: item("() => { throw new Error('boom'); }"),
      },
    });
    const state = { cwd: "/project", thinkingLevel: "off", busy: false, leafId: null };
    const texts = () =>
      world.session.runtime.contributions.get("status.item").map(({ text }) => text(state));
    await vi.waitFor(() => {
      expect(texts()).toEqual(["/project", undefined, undefined, undefined]);
      expect(world.reported).toContain("throws HOOK_FAILED");
    });
    const reports = world.reported.filter((report) => !report.endsWith("NAME_TAKEN"));
    expect(reports).toEqual(["odd HOOK_RESULT_INVALID", "throws HOOK_FAILED"]);
  });
});

contract("the picker of entries", (loadWorld) => {
  const asks: Source = (api) => {
    api.registerCommand("pick", {
      async handler(_args, ctx) {
        const accept = (rows: readonly { role?: string }[]) =>
          rows.map(({ role }) => role === "user");
        ctx.ui.notify(`picked ${await ctx.ui.pickEntry({ title: "which?", accept })}`);
      },
    });
  };
  const picker = (name: string): Source =>
    `export default (api) => {
      api.contribute("entry.picker", { id: "${name}", async pick({ title, accept }, ctx) {
        const rows = ctx.sessionManager.getIndex();
        const view = { leafId: null, labels: {}, entry: (id) => ctx.sessionManager.getEntry(id) };
        const accepted = accept(rows, view);
        const answer = await ctx.ui.panel({ title: "${name}: " + title, init: 0,
          update: (model) => ({ model }), view: () => ({ rows: [] }) });
        return answer === undefined ? undefined : rows.filter((_, i) => accepted[i])[answer]?.id;
      } });
    };`;
  const permissions = ["session:read", "ui:render"];

  it("is the first-party one, which acts in its own name", async () => {
    const world = await loadWorld({
      session: tree("u1 a1 u2*"),
      ui: { "home: which?": 1 },
      extensions: { theirs: picker("theirs") },
      firstParty: {
        home: { source: picker("home"), permissions },
        asks: { source: asks, permissions: ["commands", "ui", "session:read"] },
      },
    });
    await world.command("/pick");
    expect(world.said).toEqual([`picked ${world.id("u2")}`]);
    expect(world.reports).toEqual([]);
  });

  it("is another where the user prefers it, or where there is no first-party one", async () => {
    const options = { session: tree("u1 a1 u2*"), ui: { "theirs: which?": 0 } };
    const extensions = { theirs: picker("theirs"), asks };
    const alone = await loadWorld({ ...options, extensions });
    await alone.command("/pick");
    const preferred = await loadWorld({
      ...options,
      extensions,
      settings: { "extensions.prefer": { "entry.picker": "theirs" } },
      firstParty: { home: { source: picker("home"), permissions } },
    });
    await preferred.command("/pick");
    expect([alone.said, preferred.said]).toEqual([
      [`picked ${alone.id("u1")}`],
      [`picked ${alone.id("u1")}`],
    ]);
  });

  it("is a plain list where nobody contributes one, with the name of who asks", async () => {
    const world = await loadWorld({ session: tree("u1 a1 u2*"), extensions: { asks } });
    const picked = world.command("/pick");
    const question = await world.ui.asked("which?");
    expect(question.options).toHaveLength(2);
    expect(question.asking.from).toBe("asks");
    question.answer(question.options[1]);
    await picked;
    expect(world.said).toEqual([`picked ${world.id("u2")}`]);
  });
});
