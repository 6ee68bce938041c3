import { describe, expect, it } from "vitest";
import { METHODS } from "../../host/methods/index.ts";
import { loadWorld, type Source, type World, type WorldOptions } from "../contract/world.ts";
import { tree } from "../world.ts";
import { diskSession } from "./disk-session.ts";

/** Evaluates an expression as a command and notes what came out; it may also be denied the note. */
const look: Source = `export default (api) => {
  api.registerCommand("look", {
    async handler(source, ctx) {
      globalThis.coppiceTest = undefined;
      try {
        globalThis.coppiceTest = await new Function("api", "ctx", "return " + source)(api, ctx);
      } catch (error) {
        globalThis.coppiceTest = error;
      }
    },
  });
};`;

async function home(
  source: Source,
  permissions: readonly string[],
  options: WorldOptions = {},
): Promise<World> {
  return loadWorld({ ...options, firstParty: { home: { source, permissions } } });
}

async function looked(source: string, permissions: readonly string[], options?: WorldOptions) {
  const world = await home(look, ["commands", ...permissions], options);
  await world.command(`/look ${source}`);
  return { world, value: (globalThis as { coppiceTest?: unknown }).coppiceTest };
}

describe("a first-party extension is held to its manifest", () => {
  it.each([
    ["api.appendEntry('x')", "session:append"],
    ["api.setLabel('x', 'y')", "session:label"],
    ["api.setSessionName('x')", "session:label"],
    ["api.setModel({})", "model:select"],
    ["api.setThinkingLevel('low')", "model:select"],
    ["api.unregisterProvider('x')", "model:provider"],
    ["api.registerProvider('x', {})", "model:provider"],
    ["api.contribute('tree.filter', {})", "session:read"],
    ["api.contribute('status.item', {})", "ui"],
    ["ctx.abort()", "host:lifecycle"],
    ["ctx.shutdown()", "host:lifecycle"],
    ["ctx.getContributions('tree.filter')", "session:read"],
    ["ctx.sessionManager.getEntries()", "session:read"],
    ["ctx.sessionManager.getBranch()", "session:read"],
    ["ctx.sessionManager.getLabel('x')", "session:read"],
    ["ctx.sessionManager.buildSessionContext()", "session:read"],
    ["ctx.modelRegistry.streamSimple({}, {})", "model:complete"],
    ["ctx.modelRegistry.refresh()", "model:select"],
    ["ctx.navigateTree('x')", "session:navigate"],
    ["ctx.navigateBack()", "session:navigate"],
    ["ctx.branch('x')", "session:branch"],
    ["ctx.fork('x')", "session:branch"],
    ["ctx.newSession()", "session:branch"],
    ["ctx.switchSession('x')", "session:branch"],
  ])("%s needs %s", async (source, permission) => {
    const { value, world } = await looked(source, []);
    expect(value).toMatchObject({
      code: "PERMISSION_UNDECLARED",
      message: expect.stringContaining("coppice.permissions"),
      details: { extension: "home", permission },
    });
    expect(world.sessionManager.getEntryCount()).toBe(2);
    const allowed = await looked(source, [permission]);
    expect(allowed.value).not.toMatchObject({ code: "PERMISSION_UNDECLARED" });
  });

  it("from the factory on: a command without its permission stops the load", async () => {
    const world = await home(look, []);
    expect(world.reported).toEqual(["home EXTENSION_LOAD_FAILED"]);
    expect(world.reports[0]?.message).toMatch(/PERMISSION_UNDECLARED.*commands/);
  });

  it.each([
    ["ctx.sessionManager.getLeafId() === null", false],
    ["ctx.sessionManager.getCwd()", "/project"],
    ["ctx.sessionManager.isReadOnly()", false],
    ["ctx.cwd", "/project"],
    ["ctx.mode", "tui"],
    ["ctx.isIdle()", true],
    ["ctx.model.id", "one"],
    ["api.getThinkingLevel()", "off"],
  ])("%s needs none", async (source, expected) => {
    expect((await looked(source, [])).value).toBe(expected);
  });
});

describe("without a permission of the screen", () => {
  it.each([
    ["ctx.ui.select('t', ['a'])", undefined],
    ["ctx.ui.input('t')", undefined],
    ["ctx.ui.editor('t')", undefined],
    ["ctx.ui.confirm('t', 'm')", false],
    ["ctx.ui.pickEntry({ title: 't' })", undefined],
    ["ctx.ui.panel({ title: 't', update() {}, view() {} })", undefined],
    ["ctx.ui.getEditorText()", ""],
    ["ctx.ui.notify('x')", undefined],
    ["ctx.ui.setStatus('k', 'x')", undefined],
    ["ctx.ui.setWidget('k', ['x'])", undefined],
    ["ctx.ui.setEditorText('x')", undefined],
  ])("%s answers as if nobody were there, and is reported", async (source, expected) => {
    const { value, world } = await looked(source, []);
    expect(value).toBe(expected);
    expect(world.reported).toEqual(["home PERMISSION_UNDECLARED"]);
    expect(world.ui.notes).toEqual([]);
    expect(world.ui.statuses.size + world.ui.widgets.size).toBe(0);
    expect(world.ui.editorText).toBe("");
  });
});

describe("without session:read", () => {
  it("paths and the lineage of a session are not told", async () => {
    const source = `JSON.stringify([
      String(ctx.sessionManager.getSessionFile()), String(ctx.sessionManager.getSessionDir()),
      Object.keys(ctx.sessionManager.getHeader()),
    ])`;
    const { session, id } = await diskSession({ picture: "u1 a1 u2*" });
    session.createBranchedSession(id("a1"));
    const { value } = await looked(source, [], { session });
    const [file, folder, fields] = JSON.parse(String(value));
    expect([file, folder]).toEqual(["undefined", "undefined"]);
    expect(fields).toContain("cwd");
    expect(fields).not.toContain("parentSession");
    const other = await diskSession();
    const allowed = await looked(source, ["session:read"], { session: other.session });
    expect(JSON.parse(String(allowed.value))[0]).toBe(other.path);
  });

  const notes = (name: string): Source =>
    `export default (api) => {
      api.on("${name}", (event, ctx) => ctx.ui.notify(JSON.stringify(event)));
    };`;

  it.each([
    ["session_before_tree", "session_tree"],
    ["context", "agent_end"],
  ])("%s is not delivered, and that is reported", async (name) => {
    const world = await home(notes(name), ["ui"]);
    await world.emit(name as "context", { messages: [] });
    expect(world.said).toEqual([]);
    expect(world.reports).toMatchObject([{ code: "PERMISSION_UNDECLARED", where: name }]);
  });

  it("session_tree comes without the summary, and starts without paths", async () => {
    const summary = { summary: "s", id: "x" } as never;
    const tells = { newLeafId: null, oldLeafId: null, fromExtension: true, summaryEntry: summary };
    const plain = await home(notes("session_tree"), ["ui"]);
    await plain.emit("session_tree", tells);
    expect(JSON.parse(plain.said[0] ?? "")).not.toHaveProperty("summaryEntry");
    const reader = await home(notes("session_tree"), ["ui", "session:read"]);
    await reader.emit("session_tree", tells);
    expect(JSON.parse(reader.said[0] ?? "")).toHaveProperty("summaryEntry");
    const started = await home(notes("session_start"), ["ui"]);
    await started.emit("session_start", { reason: "new", previousSessionFile: "/secret" });
    expect(started.said.at(-1)).not.toContain("secret");
  });
});

describe("a result without the permission to decide", () => {
  it.each([
    ["cancel", "{ cancel: true }", "session:gate"],
    ["a summary", "{ summary: { summary: 's' } }", "session:summarize"],
    ["a label", "{ label: 'x' }", "session:label"],
  ])("%s counts as none and is reported", async (_name, result, permission) => {
    const source = `export default (api) => { api.on("session_before_tree", () => (${result})); };`;
    const session = tree("u1 a1 u2 a2*");
    const payload = {
      preparation: {
        targetId: "x",
        oldLeafId: null,
        commonAncestorId: null,
        entriesToSummarize: [],
        userWantsSummary: false,
      },
      signal: new AbortController().signal,
    };
    const refused = await home(source, ["session:read"], { session });
    expect(await refused.emit("session_before_tree", payload)).toEqual({
      cancelled: false,
      result: {},
    });
    expect(refused.reports).toMatchObject([
      { code: "PERMISSION_UNDECLARED", message: expect.stringContaining(permission) },
    ]);
    const granted = await home(source, ["session:read", permission], { session });
    expect(await granted.emit("session_before_tree", payload)).not.toEqual({
      cancelled: false,
      result: {},
    });
    expect(granted.reports).toEqual([]);
  });
});

it("every permission of the table of methods is one of the documented ones", () => {
  const documented =
    /^(commands|tools:(register|configure)|ui|ui:render|ui:input|session:(read|append|label|gate|navigate|branch|list|summarize)|agent:(prompt|context)|model:(complete|select|provider)|host:lifecycle|bus)$/;
  const used = METHODS.flatMap(({ permission = [] }) => permission);
  expect(used.length).toBeGreaterThan(20);
  for (const permission of used) expect(permission).toMatch(documented);
});
