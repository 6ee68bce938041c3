import { expect, it, vi } from "vitest";
import { FakeModel, oneModel } from "./fake-model.ts";
import { namesSeen, seen, watching } from "./watcher.ts";
import { contract, type Source, type World } from "./world.ts";

/** Runs a piece of code as a command. */
const runs: Source = `export default (api) => {
  api.registerCommand("run", {
    handler: (source, ctx) => new Function("api", "ctx", "return (async () => {" + source + "})()")(api, ctx),
  });
};`;

contract("what an extension writes", (loadWorld) => {
  /** What the session tells a screen while a command runs. */
  async function told(world: World, line: string): Promise<readonly string[]> {
    const types: string[] = [];
    const stop = world.session.subscribe(({ type }) => types.push(type));
    await world.command(line);
    stop();
    return types;
  }

  it("appendEntry stores state at the leaf, which the next read sees", async () => {
    const world = await loadWorld({ extensions: { runs } });
    const source = `
      api.appendEntry("state", { n: [1] });
      const { type, customType, data, parentId } = ctx.sessionManager.getLeafEntry();
      ctx.ui.notify(JSON.stringify([type, customType, data, parentId]));`;
    expect(await told(world, `/run ${source}`)).toEqual(["tree_changed"]);
    expect(world.said).toEqual([JSON.stringify(["custom", "state", { n: [1] }, world.id("a1")])]);
    expect(world.session.messages).toHaveLength(2);
  });

  it("setLabel labels, trims and clears", async () => {
    const world = await loadWorld({ extensions: { runs } });
    const id = JSON.stringify(world.id("u1"));
    const label = `ctx.ui.notify(String(ctx.sessionManager.getLabel(${id})))`;
    await world.command(`/run api.setLabel(${id}, " one "); ${label}`);
    await world.command(`/run api.setLabel(${id}, undefined); ${label}`);
    await world.command(`/run api.setLabel(${id}, "two"); api.setLabel(${id}, " "); ${label}`);
    expect(world.said).toEqual(["one", "undefined", "undefined"]);
  });

  it("setSessionName names the session, says so, and clears with a blank", async () => {
    const watch = watching("session_info_changed");
    const world = await loadWorld({ extensions: { runs, watch } });
    const name = "ctx.ui.notify(String(api.getSessionName()))";
    await world.command(`/run api.setSessionName(" mine "); ${name}`);
    await world.command(`/run api.setSessionName(" "); ${name}`);
    const notes = world.said.filter((note) => !note.startsWith("event"));
    expect(notes).toEqual(["mine", "undefined"]);
    const told = [{ type: "session_info_changed", name: "mine" }, { type: "session_info_changed" }];
    await vi.waitFor(() => expect(seen(world)).toEqual(told));
  });

  it("setModel uses a model from now on, records it and says so", async () => {
    const watch = watching("model_select", "thinking_level_select");
    const world = await loadWorld({ extensions: { runs, watch } });
    const source = `
      const two = ctx.modelRegistry.find("test", "two");
      ctx.ui.notify(String(await api.setModel(two)) + " " + ctx.model.id);`;
    await world.command(`/run ${source}`);
    expect(world.said.at(-1)).toBe("true two");
    expect(world.sessionManager.getLeafEntry()).toMatchObject({
      type: "model_change",
      model: "test/two",
    });
    expect(seen(world)).toMatchObject([
      { type: "model_select", model: { id: "two" }, previousModel: { id: "one" }, source: "set" },
    ]);
  });

  it("setModel is false without credentials, and changes nothing", async () => {
    const model = new FakeModel();
    const world = await loadWorld({ extensions: { runs }, model });
    model.isKeyed = false;
    await world.command(
      `/run ctx.ui.notify(String(await api.setModel(${JSON.stringify({ ...oneModel, id: "two" })})))`,
    );
    expect(world.said).toEqual(["false"]);
    expect(world.session.model?.id).toBe("one");
  });

  it("setThinkingLevel is clamped to the model, recorded and said", async () => {
    const watch = watching("thinking_level_select");
    const world = await loadWorld({ extensions: { runs, watch } });
    await world.command(`/run api.setThinkingLevel("high"); api.setThinkingLevel("high")`);
    expect(world.sessionManager.getLeafEntry()).toMatchObject({ thinkingLevel: "high" });
    const told = [{ type: "thinking_level_select", level: "high", previousLevel: "off" }];
    await vi.waitFor(() => expect(seen(world)).toEqual(told));
    await world.command(`/run await api.setModel(ctx.modelRegistry.find("test", "two"))`);
    await world.command(`/run api.setThinkingLevel("high"); ctx.ui.notify(api.getThinkingLevel())`);
    expect(world.said.at(-1)).toBe("off");
  });

  it("registers a provider whose models are there at once, and takes it away again", async () => {
    const world = await loadWorld({ extensions: { runs } });
    const source = `
      const model = { ...ctx.model, provider: "own", id: "m" };
      const config = { models: [model], hasCredentials: () => true, streamSimple() {} };
      const all = () => ctx.modelRegistry.getAll().map(({ id }) => id).join();
      const undo = api.registerProvider("own", config);
      ctx.ui.notify(all());
      undo();
      ctx.ui.notify(all());
      api.registerProvider("own", config);
      api.unregisterProvider("own");
      ctx.ui.notify(all());`;
    await world.command(`/run ${source}`);
    expect(world.said).toEqual(["one,two,m", "one,two", "one,two"]);
  });
});

contract("navigation by a command", (loadWorld) => {
  it("gives the result of the move and moves back", async () => {
    const watch = watching("session_tree");
    const world = await loadWorld({ extensions: { runs, watch } });
    const source = `
      const results = [
        await ctx.navigateBack(),
        await ctx.navigateTree("${world.id("u1")}", { label: "start" }),
        await ctx.navigateBack(),
      ];
      ctx.ui.notify(JSON.stringify(results));`;
    await world.command(`/run ${source}`);
    expect(world.said.at(-1)).toBe(
      JSON.stringify([null, { cancelled: false, editorText: "u1" }, { cancelled: false }]),
    );
    expect(namesSeen(world)).toHaveLength(2);
  });

  it("tells of its progress and is aborted by a signal", async () => {
    const world = await loadWorld({ extensions: { runs }, builtins: ["summarizer"] });
    const called = world.model.called();
    const moving = world.command(`/run
      const controller = new AbortController();
      const onProgress = ({ text, tokens }) => {
        ctx.ui.notify(text + " " + typeof tokens);
        controller.abort();
      };
      const options = { summarize: true, signal: controller.signal, onProgress };
      ctx.ui.notify(JSON.stringify(await ctx.navigateTree("${world.id("u1")}", options)));`);
    (await called).say("half");
    await moving;
    expect(world.said).toEqual(["half number", JSON.stringify({ cancelled: true, aborted: true })]);
    expect(world.sessionManager.getLeafId()).toBe(world.id("a1"));
  });

  it("waits until the agent is idle", async () => {
    const world = await loadWorld({ extensions: { runs } });
    await world.command(`/run await ctx.waitForIdle(); ctx.ui.notify("idle")`);
    const called = world.model.called();
    const prompt = world.session.prompt("go on");
    const call = await called;
    const waiting = world.command(
      `/run await ctx.waitForIdle(); ctx.ui.notify(String(ctx.isIdle()))`,
    );
    const refused = world.command(`/run await ctx.navigateTree("${world.id("u1")}")`);
    await expect(refused).rejects.toMatchObject({ code: "AGENT_BUSY" });
    expect(world.said).toEqual(["idle"]);
    call.finish();
    await Promise.all([prompt, waiting]);
    expect(world.said).toEqual(["idle", "true"]);
  });
});

contract("the person's side", (loadWorld) => {
  it("asks, tells and shows", async () => {
    const world = await loadWorld({
      extensions: { runs },
      ui: { which: "b", name: "Ann", note: "long text", sure: true },
    });
    await world.command(`/run
      const answers = [
        await ctx.ui.select("which", ["a", { label: "b", description: "second" }]),
        await ctx.ui.input("name", "placeholder"),
        await ctx.ui.editor("note", "prefill"),
        await ctx.ui.confirm("sure", "really?"),
      ];
      ctx.ui.notify(JSON.stringify(answers), "warning");
      ctx.ui.setStatus("key", "busy");
      ctx.ui.setWidget("key", ["line"]);
      ctx.ui.setEditorText("typed");
      ctx.ui.notify(ctx.ui.getEditorText());`);
    expect(world.said).toEqual([JSON.stringify(["b", "Ann", "long text", true]), "typed"]);
    expect([...world.ui.statuses]).toEqual([["runs/key", "busy"]]);
    expect([...world.ui.widgets]).toEqual([["runs/key", ["line"]]]);
  });

  it("names who asks, and closes a dialog with its signal", async () => {
    const world = await loadWorld({ extensions: { runs } });
    const asking = world.command(`/run
      const controller = new AbortController();
      const answer = ctx.ui.select("which", ["a"], { signal: controller.signal, timeout: 5 });
      controller.abort();
      ctx.ui.notify(String(await answer));`);
    const question = await world.ui.asked("which");
    expect(question.asking).toMatchObject({ from: "runs", timeout: 5 });
    await asking;
    expect(world.said).toEqual(["undefined"]);
  });

  it("shows a panel until it is done", async () => {
    const world = await loadWorld({ extensions: { runs } });
    const showing = world.command(`/run
      const panel = { title: "p", init: 0, update: (model) => ({ model }), view: () => ({ rows: [] }) };
      ctx.ui.notify(JSON.stringify(await ctx.ui.panel(panel)));`);
    (await world.ui.asked("p")).answer({ chosen: 1 });
    await showing;
    expect(world.said).toEqual(['{"chosen":1}']);
  });

  it("ends the program and stops the agent", async () => {
    const world = await loadWorld({ extensions: { runs } });
    const called = world.model.called();
    const prompt = world.session.prompt("go on");
    const call = await called;
    await world.command("/run ctx.abort(); ctx.shutdown()");
    await prompt;
    expect(call.options?.signal?.aborted).toBe(true);
    expect(world.ui.isShutDown).toBe(true);
  });
});
