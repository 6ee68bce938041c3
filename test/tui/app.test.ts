import type { ExtensionAPI, ExtensionCommandContext } from "coppice";
import { messageOf } from "coppice/core";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../host/storage/disk.ts";
import { ScreenInterface } from "../../tui/screen-interface.ts";
import { FakeModel } from "../contract/fake-model.ts";
import { diskSession } from "../host/disk-session.ts";
import { tree } from "../world.ts";
import { openApp } from "./app-world.ts";

type Api = ExtensionAPI;

describe("a prompt", () => {
  it("is sent, its reply streams in, and both are in the session", async () => {
    const app = await openApp();
    const called = app.world.model.called();
    app.type("Hello").press("enter");
    const call = await called;
    call.say("so far");
    await app.shows("   so far");
    expect(await app.shows("writing")).toContain("Esc stops");
    call.say(" and on");
    call.finish();
    app.pass(100);
    await app.hides("Esc stops");
    expect(app.screen).toMatch(/ › Hello\n\n {3}so far and on/);
    const roles = app.world.sessionManager.getBranch().map(messageOf);
    expect(roles.slice(-2)).toMatchObject([{ role: "user" }, { role: "assistant" }]);
  });

  it("is stopped by Escape", async () => {
    const app = await openApp();
    const called = app.world.model.called();
    app.type("Hello").press("enter");
    (await called).say("half");
    await app.shows("   half");
    app.press("escape");
    await app.shows("(stopped)");
    await app.hides("stopping");
    expect(app.screen).toContain("   half");
  });

  it("whose model has no key is not sent; the text stays and the way out is told", async () => {
    const model = new FakeModel();
    const app = await openApp({ model });
    model.isKeyed = false;
    app.type("Hello").press("enter");
    await app.shows("(MODEL_CREDENTIALS_MISSING)");
    expect(app.screen).toMatch(/ ✗ no credentials for the provider test \(set TEST_KEY\)/);
    expect(app.screen).toContain(" › Hello");
    expect(model.calls).toEqual([]);
  });
});

describe("at rest", () => {
  it("no timer runs and no frame is drawn", async () => {
    const app = await openApp({ model: new FakeModel(["hi"]) });
    app.type("Hello").press("enter");
    await app.shows("   hi");
    app.pass(1000);
    await app.hides("Esc stops");
    const { frames } = app;
    app.pass(60_000);
    await new Promise(setImmediate);
    expect(app.timers).toBe(0);
    expect(app.frames).toBe(frames);
  });

  it("an event of the session without a screen change still wakes nothing for long", async () => {
    const app = await openApp();
    app.world.session.announce({ type: "tree_changed" });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(app.timers).toBe(0);
  });
});

describe("the spinner", () => {
  it("turns ten times a second and shows the time", async () => {
    const app = await openApp();
    const called = app.world.model.called();
    app.type("Hello").press("enter");
    await called;
    await app.shows("writing");
    for (let i = 0; i < 21; i++) app.pass(100);
    await app.shows("0:02");
  });
});

describe("moves", () => {
  it("repaint the chat and prefill a blank editor", async () => {
    const world = tree("u1 a1 u2 a2*");
    const app = await openApp({ session: world });
    await app.shows("   a2");
    await app.world.session.navigateTree(world.id("u2"));
    await app.shows(" › u2");
    await app.hides("   a2");
    expect(app.screen).toMatch(/ {3}a1\n(─)+\n › u2/);
  });

  it("to another session replace the text", async () => {
    const world = tree("u1 a1 u2 a2*");
    const app = await openApp({ session: world });
    app.type("mine");
    await app.shows(" › mine");
    await app.world.session.branch(world.id("u2"));
    await app.shows(/─\n › u2/);
    await app.hides("   a2");
    expect(app.screen).not.toContain("mine");
  });

  it("show what a path has in all, whether it grew or is another", async () => {
    const world = tree("u1 a1(u2(a2(u4(a4*))) u3)");
    const app = await openApp({ session: world });
    await app.shows("⋔ 1");
    app.world.sessionManager.appendLabelChange(world.id("a1"), "here");
    app.world.session.announce({ type: "tree_changed" });
    await app.shows("⚑ here");
    await app.world.session.navigateTree(world.id("a2"));
    const called = app.world.model.called();
    app.type("x").press("enter");
    (await called).finish();
    await app.shows("⋔ 2");
  });
});

describe("an extension", () => {
  function asker(api: Api) {
    const acts: Record<string, (ctx: ExtensionCommandContext) => unknown> = {
      select: ({ ui }) => ui.select("Which?", ["one", "two"]),
      input: ({ ui }) => ui.input("Name?", "a name"),
      editor: ({ ui }) => ui.editor("Text?", "one"),
      confirm: ({ ui }) => ui.confirm("Sure?", "All of it"),
      text: ({ ui }) => ui.setEditorText(`${ui.getEditorText()}set`),
      leave: (ctx) => ctx.shutdown(),
      fail: () => {
        throw new TypeError("x is not a function");
      },
    };
    const ask = async (args: string, ctx: ExtensionCommandContext) => {
      ctx.ui.notify(`got ${await acts[args]?.(ctx)}`);
    };
    const getArgumentCompletions = (prefix: string) =>
      ["select", "input"]
        .filter((value) => value.startsWith(prefix))
        .map((value) => ({ value, description: `asks with ${value}` }));
    api.registerCommand("ask", { description: "asks", getArgumentCompletions, handler: ask });
    api.registerShortcut("ctrl+x", {
      handler: (ctx) => ctx.ui.notify("pressed"),
    });
  }

  it("asks in a box that names it, and gets the answer", async () => {
    const app = await openApp({ extensions: { asker } });
    app.type("/ask select").press("enter");
    await app.shows(/┌ .*asker: Which\? ─/);
    app.press("down", "enter");
    await app.shows("got two");
    app.type("/ask confirm").press("enter");
    await app.shows("All of it");
    app.press("y");
    await app.shows("got true");
    app.type("/ask input").press("enter");
    await app.shows("│ a name");
    app.type("ann").press("enter");
    await app.shows("got ann");
    app.type("/ask editor").press("enter");
    await app.shows("│ one");
    app.press("escape");
    await app.shows("got undefined");
  });

  it("offers arguments of its commands", async () => {
    const app = await openApp({ extensions: { asker } });
    app.type("/ask in");
    await app.shows("asks with input");
    app.press("tab", "enter");
    await app.shows("Name?");
  });

  it("reads and sets the editor", async () => {
    const app = await openApp({ extensions: { asker } });
    app.type("/ask text").press("enter");
    await app.shows(" › set");
  });

  it("is pressed by its key", async () => {
    const app = await openApp({ extensions: { asker } });
    app.press("ctrl+x");
    await app.shows(" pressed");
  });

  it("whose command fails is told of in one line", async () => {
    const app = await openApp({ extensions: { asker } });
    app.type("/ask fail").press("enter");
    await app.shows(" ✗ /ask failed: x is not a function");
    expect(app.screen).not.toContain(" at ");
  });

  it("that does not load is told of in one line", async () => {
    const broken = "export default () => { throw new TypeError('broken'); };";
    const app = await openApp({ extensions: { broken } });
    await app.shows(/✗ .*broken: .*broken.*\(EXTENSION_LOAD_FAILED in/s);
  });

  it("may end the program", async () => {
    const app = await openApp({ extensions: { asker } });
    app.type("/ask leave").press("enter");
    expect(await app.exitCode).toBe(0);
  });

  it("shows items in the footer; one that fails is told of once and stays away", async () => {
    const items = (api: Api) => {
      api.contribute("status.item", {
        id: "a",
        text: ({ leafId }) => `leaf ${leafId ? "yes" : "no"}`,
      });
      api.contribute("status.item", {
        id: "b",
        side: "right",
        text: () => {
          throw new TypeError("no text");
        },
      });
    };
    const app = await openApp({ extensions: { items } });
    await app.shows("leaf yes");
    await app.shows(/items: no text \(HOOK_FAILED in status\.item\)/);
    app.world.session.announce({ type: "tree_changed" });
    expect(app.screen.match(/no text/g)).toHaveLength(1);
  });

  it("said something before the screen was there, and it is not lost", async () => {
    const early = (api: Api) => {
      api.on("session_start", (_event, ctx) => {
        ctx.ui.notify("from the start", "warning");
        ctx.ui.setStatus("s", ctx.hasUI ? "asked" : "nobody yet");
        return undefined;
      });
    };
    const app = await openApp({ extensions: { early } });
    await app.shows(" ! from the start");
    await app.shows("nobody yet");
  });
});

describe("the interface of a screen", () => {
  const attached = () => {
    const sent: unknown[] = [];
    const timers: (() => void)[] = [];
    const ui = new ScreenInterface();
    ui.attach({
      send: (event) => sent.push(event),
      editorText: () => "text",
      startTimer: (_, run) => {
        timers.push(run);
        return () => timers.splice(timers.indexOf(run), 1);
      },
    });
    return { ui, sent, timers };
  };

  it("closes a question whose signal is aborted, or whose time is up", async () => {
    const { ui, sent, timers } = attached();
    const controller = new AbortController();
    const one = ui.select("Which?", [], { signal: controller.signal });
    controller.abort();
    expect(await one).toBeUndefined();
    const two = ui.confirm("Sure?", "", { timeout: 100 });
    timers[0]?.();
    expect(await two).toBe(false);
    expect(timers).toEqual([]);
    expect(sent.slice(1)).toMatchObject([
      { type: "questionClosed", id: 1 },
      { type: "dialogOpened" },
      { type: "questionClosed", id: 2 },
    ]);
    expect(await ui.select("Which?", [], { signal: controller.signal })).toBeUndefined();
  });

  it("answers as nobody does before there is a screen, and once it is gone", async () => {
    const early = new ScreenInterface();
    expect(early.hasUI).toBe(false);
    expect(await early.confirm("Sure?", "", {})).toBe(false);
    expect(early.getEditorText()).toBe("");
    const { ui } = attached();
    const open = [ui.input("Name?", "", {}), ui.confirm("Sure?", "", {})];
    expect(ui.getEditorText()).toBe("text");
    ui.detach();
    expect(await Promise.all(open)).toEqual([undefined, false]);
  });
});

describe("leaving", () => {
  it("closes the screen, then the session", async () => {
    const app = await openApp();
    app.press("ctrl+d");
    expect(await app.exitCode).toBe(0);
    expect(app.log).toEqual(["close"]);
    expect(app.written).toEqual([]);
  });

  it("stops a reply first", async () => {
    const app = await openApp();
    const called = app.world.model.called();
    app.type("Hello").press("enter");
    await called;
    app.press("ctrl+d");
    expect(await app.exitCode).toBe(0);
    expect(app.timers).toBe(0);
  });

  it("tells what went wrong with the file in one clean line", async () => {
    const fail = () => {
      throw Object.assign(new TypeError("no\u001b[2J\ndisk"), { syscall: "fdatasync" });
    };
    const disk = { ...nodeDisk, dataSync: fail, dataSyncLater: async () => fail() };
    const { session } = await diskSession({ disk });
    const app = await openApp({ session });
    session.appendCustomEntry("to be synced", 1);
    app.press("ctrl+d");
    expect(await app.exitCode).toBe(1);
    expect(app.written[0]).toMatch(
      /^cannot write [^\n\u001b]*: no\s+disk; .*\(SESSION_WRITE_FAILED\)\n$/,
    );
  });

  it("that is not wanted, as the terminal is gone, closes the session too", async () => {
    const app = await openApp();
    await app.hangUp();
    const { frames } = app;
    app.press("a");
    await new Promise(setImmediate);
    expect(app.frames).toBe(frames);
    expect(app.ui.hasUI).toBe(false);
  });
});

describe("settings", () => {
  it("that are wrong are told of", async () => {
    const settings = { doubleEscapeAction: "jump", keys: { "app.nothing": ["x"] } };
    const app = await openApp({ settings });
    await app.shows("setting doubleEscapeAction of the command line must be");
    await app.shows("setting keys: there is no app.nothing");
  });

  it("say what double Escape does; tmux widens its window", async () => {
    const app = await openApp({ env: { TMUX: "/tmp/tmux" } });
    app.press("escape").pass(590).press("escape");
    await app.shows("no command /tree");
  });
});
