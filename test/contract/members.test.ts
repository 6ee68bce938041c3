import { expect, it } from "vitest";
import { tree } from "../world.ts";
import { contract, type Source, type World } from "./world.ts";

/** Evaluates expressions in a command and in an event handler, and notes what came out of them. */
const probe: Source = `
  const told = async (name, look) => {
    try {
      return name + " = " + JSON.stringify(await look());
    } catch (error) {
      return name + " ! " + error.code + " " + error.message;
    }
  };
  export default (api) => {
    const look = (source, ctx) => told(source, () => new Function("api", "ctx", "return " + source)(api, ctx));
    api.registerCommand("look", { handler: async (source, ctx) => ctx.ui.notify(await look(source, ctx)) });
    api.on("input", async ({ text }, ctx) => {
      ctx.ui.notify(await look(text, ctx));
      return { action: "handled" };
    });
  };`;

contract("members", (loadWorld) => {
  async function looked(world: World, source: string): Promise<string | undefined> {
    await world.command(`/look ${source}`);
    return world.said.at(-1)?.replace(`${source} `, "");
  }

  async function lookedInEvent(world: World, source: string): Promise<string | undefined> {
    await world.emit("input", { text: source, source: "rpc" });
    return world.said.at(-1)?.replace(`${source} `, "");
  }

  it.each([
    ["api.registerMcpServer('x')", "api.registerMcpServer"],
    ["new api.Something()", "api.Something"],
    ["api.logger.info('x')", "api.logger"],
    ["api.logger.level = 1", "api.logger"],
    ["ctx.getSystemPromptOptions()", "ctx.getSystemPromptOptions"],
    ["ctx.ui.custom(() => ({}))", "ctx.ui.custom"],
    ["ctx.ui.theme.fg('x', 'y')", "ctx.ui.theme"],
    ["ctx.sessionManager.getUsageStatistics()", "ctx.sessionManager.getUsageStatistics"],
    ["ctx.modelRegistry.classify()", "ctx.modelRegistry.classify"],
    ["ctx.reload()", "ctx.reload"],
  ])("that are not there raise when they are used: %s", async (source, member) => {
    const world = await loadWorld({ extensions: { probe } });
    const outcome = await looked(world, source);
    expect(outcome).toBe(`! NOT_SUPPORTED ${member} is not supported by this host`);
    expect(world.reports).toMatchObject([{ code: "NOT_SUPPORTED", where: member, count: 1 }]);
  });

  it.each([
    "appendMessage({})",
    "appendSomethingNew()",
    "branch('x')",
    "resetLeaf()",
    "branchWithSummary(null, 's')",
    "newSession()",
    "setSessionFile('x')",
    "createBranchedSession('x')",
  ])("that would write past the agent name the way instead: sessionManager.%s", async (call) => {
    const world = await loadWorld({ extensions: { probe } });
    const outcome = await looked(world, `ctx.sessionManager.${call}`);
    expect(outcome).toMatch(
      /^! NOT_SUPPORTED .*not supported by this host.*ctx\.navigateTree, ctx\.branch, api\.appendEntry or api\.setLabel/,
    );
  });

  it.each([
    ["typeof api.registerMcpServer", "function"],
    ["typeof api.logger", "function"],
    ["'registerMcpServer' in api", false],
    ["'registerCommand' in api", true],
    ["'branch' in ctx.sessionManager", false],
    ["'getLeafId' in ctx.sessionManager", true],
    ["'ui' in ctx", true],
    ["typeof api.then", "undefined"],
    ["typeof ctx.toJSON", "undefined"],
    ["typeof ctx.__esModule", "undefined"],
    ["String(api)", "[object Object]"],
    ["typeof api.hasOwnProperty", "function"],
    ["typeof ctx.runEphemeralTurn", "undefined"],
    ["typeof ctx.memory", "undefined"],
    ["typeof ctx.sendUserMessage", "undefined"],
    ["typeof ctx.ui.askDialog", "undefined"],
    ["typeof api.unregisterTool", "undefined"],
  ])("that are not there can be tested for: %s", async (source, value) => {
    const world = await loadWorld({ extensions: { probe } });
    expect(await looked(world, source)).toBe(`= ${JSON.stringify(value)}`);
    expect(world.reports).toEqual([]);
  });

  it.each([
    ["ctx.ui.select", true],
    ["api.registerCommand", true],
    ["ctx.navigateTree", true],
    ["ctx.sessionManager.getBranch", true],
    ["ctx.model", true],
    ["on:context", true],
    ["on:session_fork", true],
    ["ctx.ui.setFooter", false],
    ["ctx.sessionManager.branch", false],
    ["on:session_stop", false],
    ["constructor", false],
    ["", false],
  ])("api.supports(%j) is %s", async (name, works) => {
    const world = await loadWorld({ extensions: { probe } });
    expect(await looked(world, `api.supports(${JSON.stringify(name)})`)).toBe(`= ${works}`);
  });

  const control = ["navigateTree", "navigateBack", "branch", "fork", "newSession", "switchSession"];

  it.each([...control, "waitForIdle", "reload"])(
    "that control the session are on the context of commands only: %s",
    async (name) => {
      const world = await loadWorld({ extensions: { probe } });
      expect(await lookedInEvent(world, `typeof ctx.${name}`)).toBe('= "undefined"');
      expect(await looked(world, `typeof ctx.${name}`)).toBe('= "function"');
    },
  );

  it.each([
    ["api.setLabel(5, 'x')", /INVALID_ARGUMENT api\.setLabel: argument 1 must be a string/],
    ["api.registerCommand('x')", /INVALID_ARGUMENT api\.registerCommand: argument 2 must be an/],
    ["api.registerCommand('x', {})", /INVALID_ARGUMENT .*handler must be a function/],
    ["api.registerCommand('a b', { handler() {} })", /INVALID_ARGUMENT .*blank/],
    ["api.registerCommand('', { handler() {} })", /INVALID_ARGUMENT/],
    ["api.registerCommand('a/b', { handler() {} })", /INVALID_ARGUMENT/],
    [`api.registerCommand("${"x".repeat(65)}", { handler() {} })`, /INVALID_ARGUMENT/],
    ["api.on('input', 5)", /INVALID_ARGUMENT/],
    ["api.contribute('nowhere', {})", /INVALID_ARGUMENT .*tree\.filter, tree\.rowText/],
    ["api.contribute('tree.filter', { id: 'x' })", /INVALID_ARGUMENT .*title must be a string/],
    ["api.contribute('cli.command', { name: 'x', run() {} })", /INVALID_ARGUMENT .*tree\.filter/],
    ["api.appendEntry('coppice.x')", /INVALID_ARGUMENT .*reserved/],
    ["api.setLabel('nowhere', 'x')", /ENTRY_NOT_FOUND/],
    ["ctx.navigateTree(5)", /INVALID_ARGUMENT/],
    ["ctx.navigateTree('nowhere')", /ENTRY_NOT_FOUND/],
    ["ctx.navigateTree('x', { label: 5 })", /INVALID_ARGUMENT .*label must be a string/],
    ["ctx.navigateTree('x', { signal: 'x' })", /INVALID_ARGUMENT .*signal must be a signal/],
    ["ctx.fork('x', { position: 'middle' })", /INVALID_ARGUMENT .*before, at/],
    ["ctx.newSession({ setup: 'x' })", /INVALID_ARGUMENT .*setup must be a function/],
    ["ctx.branch('x', { withSession: {} })", /INVALID_ARGUMENT .*withSession must be a function/],
    ["ctx.branch('nowhere')", /ENTRY_NOT_FOUND/],
    ["api.setThinkingLevel('much')", /INVALID_ARGUMENT .*low.*high/],
    ["ctx.ui.select('x', [{ name: 'y' }])", /INVALID_ARGUMENT .*label must be a string/],
    ["ctx.ui.setWidget('x', [5])", /INVALID_ARGUMENT .*must be a string/],
    ["ctx.ui.setWidget('x', () => ({}))", /NOT_SUPPORTED ctx\.ui\.setWidget with a factory/],
    ["ctx.ui.input('x', 'y', { timeout: 'soon' })", /INVALID_ARGUMENT .*timeout must be a number/],
    ["ctx.switchSession('/nowhere.jsonl')", /SESSION_NOT_FOUND/],
    ["ctx.ui.select('x')", /INVALID_ARGUMENT/],
    ["ctx.ui.panel({ title: 'x' })", /INVALID_ARGUMENT .*update must be a function/],
  ])("refuse what is no argument of theirs: %s", async (source, outcome) => {
    const world = await loadWorld({ extensions: { probe } });
    const entries = world.sessionManager.getEntryCount();
    expect(await looked(world, source)).toMatch(outcome);
    expect(world.sessionManager.getEntryCount()).toBe(entries);
  });

  it("that give promises reject, and the others throw", async () => {
    const world = await loadWorld({ extensions: { probe } });
    const settled = "ctx.navigateTree(5).then(() => 0, (error) => error.code)";
    expect(await looked(world, settled)).toBe('= "INVALID_ARGUMENT"');
    const asked = "ctx.ui.input(5).then(() => 0, (error) => error.code)";
    expect(await looked(world, asked)).toBe('= "INVALID_ARGUMENT"');
  });

  it("keep their binding when they are taken out of their object", async () => {
    const world = await loadWorld({ extensions: { probe } });
    const source = "(({ getLeafId }) => getLeafId())(ctx.sessionManager)";
    expect(await looked(world, source)).toBe(`= ${JSON.stringify(world.id("a1"))}`);
  });

  it("cannot be replaced by an extension", async () => {
    const world = await loadWorld({ extensions: { probe } });
    await looked(world, "Object.assign(ctx.sessionManager, { getLeafId: () => 'mine' })");
    expect(await looked(world, "ctx.sessionManager.getLeafId()")).toBe(
      `= ${JSON.stringify(world.id("a1"))}`,
    );
  });
});

contract("the view of the session", (loadWorld) => {
  async function value(source: string): Promise<unknown> {
    const world = await loadWorld({ session: tree("u1 a1(u2(a2) u3*)"), extensions: { probe } });
    world.sessionManager.appendLabelChange(world.id("u2"), "two");
    world.sessionManager.branch(world.id("u3"));
    await world.command(`/look ${source}`);
    const [said = ""] = world.said;
    const names = new Map(["u1", "a1", "u2", "a2", "u3"].map((name) => [world.id(name), name]));
    const json = said.slice(`${source} = `.length);
    return JSON.parse(json.replace(/"([0-9a-f]{8})"/g, (id, bare) => `"${names.get(bare) ?? id}"`));
  }

  it.each([
    ["ctx.sessionManager.getLeafId()", "u3"],
    ["ctx.sessionManager.getLeafEntry().id", "u3"],
    ["ctx.sessionManager.getBranch().map(({ id }) => id)", ["u1", "a1", "u3"]],
    ["ctx.sessionManager.getBranch('nowhere')", []],
    ["ctx.sessionManager.getEntries().length", 6],
    ["ctx.sessionManager.getIndex().map(({ type }) => type).at(-1)", "label"],
    [
      "ctx.sessionManager.getTree()[0].children[0].children.map(({ entry }) => entry.id)",
      ["u2", "u3"],
    ],
    ["ctx.sessionManager.getTree()[0].children[0].children[0].label", "two"],
    ["ctx.sessionManager.getChildren(null).map(({ id }) => id)", ["u1"]],
    ["ctx.sessionManager.buildSessionContext().messages.length", 3],
    ["ctx.sessionManager.getHeader().cwd", "/project"],
    ["ctx.sessionManager.getCwd()", "/project"],
    ["ctx.cwd", "/project"],
    ["ctx.sessionManager.isPersisted()", false],
    ["ctx.sessionManager.isReadOnly()", false],
    ["ctx.sessionManager.getDiagnostics()", []],
    ["ctx.sessionManager.getFileVersion()", 3],
    ["String(ctx.sessionManager.getSessionFile())", "undefined"],
    ["String(ctx.sessionManager.getSessionDir())", "undefined"],
    ["String(ctx.sessionManager.getSessionName())", "undefined"],
    ["String(ctx.sessionManager.getEntry('nowhere'))", "undefined"],
    ["ctx.isIdle()", true],
    ["ctx.mode", "tui"],
    ["ctx.hasUI", true],
    ["ctx.model.id", "one"],
    ["ctx.thinkingLevel", "off"],
    ["String(ctx.signal)", "undefined"],
    ["ctx.getContextUsage().contextWindow", 1000],
    ["ctx.getSetting('treeFilterMode')", "default"],
    ["String(ctx.getSetting('no.such'))", "undefined"],
    ["ctx.modelRegistry.find('test', 'two').name", "Two"],
    ["ctx.modelRegistry.getAll().map(({ id }) => id)", ["one", "two"]],
    ["ctx.modelRegistry.getAvailable().length", 2],
    ["ctx.modelRegistry.hasConfiguredAuth(ctx.model)", true],
    ["ctx.modelRegistry.getProviderDisplayName('test')", "Test"],
    ["api.getThinkingLevel()", "off"],
    ["api.getCommands()", [{ name: "look", source: "extension", sourceInfo: "probe" }]],
  ])("%s", async (source, expected) => {
    expect(await value(source)).toEqual(expected);
  });

  it("gives a label and its time in force", async () => {
    const world = await loadWorld({ extensions: { probe } });
    world.sessionManager.appendLabelChange(world.id("u1"), "one");
    await world.command(`/look ctx.sessionManager.getLabelInForce("${world.id("u1")}").label`);
    expect(world.said.at(-1)).toMatch(/= "one"$/);
    await world.command(`/look ctx.sessionManager.getLabel("${world.id("u1")}")`);
    expect(world.said.at(-1)).toMatch(/= "one"$/);
  });

  it("gives fresh lists of frozen entries: changing them reaches nobody", async () => {
    const world = await loadWorld({
      extensions: {
        writer: (api) => {
          api.registerCommand("write", {
            handler(_args, ctx) {
              const entries = ctx.sessionManager.getEntries();
              entries.length = 0;
              const [first] = ctx.sessionManager.getEntries();
              try {
                Object.assign(first ?? {}, { type: "label" });
              } catch (error) {
                if (!(error instanceof TypeError)) throw error;
              }
            },
          });
        },
      },
    });
    const before = structuredClone(world.sessionManager.getEntries());
    await world.command("/write");
    expect(world.sessionManager.getEntries()).toEqual(before);
  });
});
