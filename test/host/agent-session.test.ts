import { readFileSync } from "node:fs";
import { createAgentSession, nodeEnvironment, silentUI } from "coppice/host";
import { describe, expect, it } from "vitest";
import { openSession } from "../../host/storage/sessions.ts";
import { Settings } from "../../host/storage/settings.ts";
import { FakeModel } from "../contract/fake-model.ts";
import { seen, watching } from "../contract/watcher.ts";
import { loadWorld, type Source } from "../contract/world.ts";
import { tree } from "../world.ts";
import { diskSession } from "./disk-session.ts";

describe("starting a session", () => {
  it("without anything but a session and settings gives a working agent with all built-ins", async () => {
    const { session: sessionManager, id } = tree("u1 a1 u2*");
    const settings = new Settings({ cwd: "/", variables: { COPPICE_HOME: "/nowhere" } });
    const session = await createAgentSession({ sessionManager, settings });
    expect(session.runtime.reports.all()).toEqual([]);
    expect(session.runtime.commands.all().map(({ name }) => name)).toContain("tree");
    expect(await session.navigateTree(id("a1"))).toEqual({ cancelled: false });
    await session.close();
    expect(session.runtime.commands.all()).toEqual([]);
  });

  it("refuses a model that nobody knows, and a trusted path where nothing is", async () => {
    const { session: sessionManager } = tree("u1*");
    const settings = new Settings({ cwd: "/", variables: { COPPICE_HOME: "/nowhere" } });
    const options = { sessionManager, settings, builtins: [], env: nodeEnvironment };
    await expect(createAgentSession({ ...options, model: "nobody/x" })).rejects.toMatchObject({
      code: "MODEL_UNKNOWN",
    });
    await expect(
      createAgentSession({ ...options, trusted: ["/nowhere/at/all"] }),
    ).rejects.toMatchObject({ code: "EXTENSION_EMPTY" });
  });

  it("uses the thinking level that is recorded, else that of the settings", async () => {
    const settings = { thinkingLevel: "high" };
    const set = await loadWorld({ settings });
    expect(set.session.thinkingLevel).toBe("high");
    const recorded = tree("u1 a1*");
    recorded.session.appendThinkingLevelChange("low");
    expect((await loadWorld({ settings, session: recorded })).session.thinkingLevel).toBe("low");
  });
});

describe("ending a session", () => {
  it("stops the agent, tells the extensions, and releases the file with all that was said", async () => {
    const { session, path } = await diskSession();
    const world = await loadWorld({
      session,
      extensions: {
        last: (api) => {
          api.on("session_shutdown", () => api.appendEntry("last words"));
        },
      },
    });
    const called = world.model.called();
    const prompt = world.session.prompt("hello");
    (await called).say("half");
    await Promise.all([world.close(), prompt]);
    const text = readFileSync(path, "utf8");
    expect(text).toContain('"stopReason":"aborted"');
    expect(text).toContain("last words");
    (await openSession(path)).close();
  });
});

describe("the model of the agent", () => {
  it("is set, recorded and told; a session that is opened brings its own", async () => {
    const watch = watching("model_select");
    const first = await diskSession();
    const second = await diskSession();
    second.session.appendModelChange("test", "two");
    second.session.close();
    const world = await loadWorld({ session: first.session, extensions: { watch } });
    const { session } = world;
    expect(session.modelChoice).toMatchObject({ kind: "model", source: "session" });
    await session.switchSession(second.path);
    expect(session.model?.id).toBe("two");
    const one = session.runtime.models.find("test", "one");
    if (one) await session.setModel(one);
    expect(session.modelChoice).toMatchObject({ model: { id: "one" }, source: "chosen" });
    expect(seen(world)).toMatchObject([{ model: { id: "one" }, previousModel: { id: "two" } }]);
    session.unsetModel();
    expect(session.model).toBeUndefined();
    expect(session.contextUsage()).toBeUndefined();
  });

  it("stays when a session is new or branched", async () => {
    const world = await loadWorld({ session: tree("u1 a1 u2*") });
    const two = world.session.runtime.models.find("test", "two");
    if (two) await world.session.setModel(two);
    await world.session.branch(world.id("u2"));
    expect(world.session.model?.id).toBe("two");
    await world.session.newSession();
    expect(world.session.model?.id).toBe("two");
  });

  it("is asked nothing more for a context than is there", async () => {
    const world = await loadWorld({ model: new FakeModel(["x".repeat(400)]) });
    const before = world.session.contextUsage();
    await world.session.prompt("hello");
    const after = world.session.contextUsage();
    expect((after?.tokens ?? 0) - (before?.tokens ?? 0)).toBe(102);
    expect(after?.percent).toBeCloseTo((100 * (after?.tokens ?? 0)) / 1000);
  });
});

describe("a command", () => {
  it.each(["/say hello", "say hello", "/say   hello"])("runs as it is typed: %j", async (line) => {
    const say: Source = (api) => {
      api.registerCommand("say", { handler: (args, ctx) => ctx.ui.notify(args) });
    };
    const world = await loadWorld({ extensions: { say } });
    await world.session.runCommand(line);
    expect(world.said).toEqual(["hello"]);
  });

  it("that nobody has is COMMAND_UNKNOWN", async () => {
    const world = await loadWorld();
    await expect(world.session.runCommand("/")).rejects.toMatchObject({ code: "COMMAND_UNKNOWN" });
  });
});

it("where there is nobody to ask, questions have their quiet answers and notes are lines", async () => {
  const lines: string[] = [];
  const asks: Source = (api) => {
    api.registerCommand("ask", {
      async handler(_args, ctx) {
        const { ui } = ctx;
        ui.setStatus("k", "x");
        ui.setWidget("k", ["x"]);
        ui.setEditorText("x");
        const answers = [
          ctx.mode,
          ctx.hasUI,
          await ui.select("t", ["a"]),
          await ui.input("t"),
          await ui.editor("t"),
          await ui.confirm("t", "m"),
          ui.getEditorText(),
        ];
        ui.notify(JSON.stringify(answers));
        ctx.shutdown();
      },
    });
  };
  const ui = silentUI((line) => lines.push(line));
  const world = await loadWorld({ extensions: { asks }, options: { ui } });
  await world.command("/ask");
  expect(lines).toEqual([JSON.stringify(["print", false, null, null, null, false, ""])]);
});
