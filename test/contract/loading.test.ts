import { expect, it } from "vitest";
import { Settings } from "../../host/storage/settings.ts";
import { tree } from "../world.ts";
import { contract, type Source } from "./world.ts";

contract("loading", (loadWorld) => {
  const greets = (name: string): Source =>
    `export default (api) => {
      api.registerCommand("${name}", { handler: (args, ctx) => ctx.ui.notify("${name} " + args) });
    };`;

  it("runs the factory; what it registered works when it has resolved", async () => {
    const world = await loadWorld({
      extensions: {
        slow: (api) => {
          api.registerCommand("early", { handler: (_args, ctx) => ctx.ui.notify("early") });
          return Promise.resolve().then(() => {
            api.registerCommand("late", { handler: (args, ctx) => ctx.ui.notify(`late ${args}`) });
          });
        },
      },
    });
    await world.command("/early");
    await world.command("/late  two words ");
    expect(world.said).toEqual(["early", "late two words "]);
  });

  it.each([
    ["throws", `export default (api) => { REGISTER; throw new Error("boom"); };`, "boom"],
    ["rejects", `export default async (api) => { REGISTER; throw new Error("boom"); };`, "boom"],
    ["throws a text", `export default (api) => { REGISTER; throw "plain"; };`, "plain"],
    ["throws as its module runs", `throw new Error("boom"); export default () => {};`, "boom"],
    ["has no function as default export", `export default { name: "x" };`, "no function"],
    ["has no default export", `export const factory = () => {};`, "no function"],
    ["is no program", `export default (api => {`, "index.ts"],
    ["imports what is not there", `import "./nowhere.ts"; export default () => {};`, "nowhere"],
    [
      "registers what is no command",
      `export default (api) => { REGISTER; api.registerCommand("two words", { handler() {} }); };`,
      "INVALID_ARGUMENT",
    ],
  ])(
    "that %s is reported, takes nothing into effect, and stops nobody",
    async (_name, source, text) => {
      const register = `
      api.registerCommand("broken", { handler() {} });
      api.on("session_start", (event, ctx) => ctx.ui.notify("broken started"));
      api.contribute("status.item", { id: "broken", text: () => "x" })`;
      const world = await loadWorld({
        extensions: { broken: source.replace("REGISTER", register), fine: greets("fine") },
      });
      await world.command("/fine it is");
      expect(world.said).toEqual(["fine it is"]);
      await expect(world.command("/broken")).rejects.toMatchObject({ code: "COMMAND_UNKNOWN" });
      expect(world.session.runtime.contributions.get("status.item")).toEqual([]);
      expect(world.reported).toEqual(["broken EXTENSION_LOAD_FAILED"]);
      expect(world.reports[0]?.message).toContain(text);
      expect(world.reports[0]?.where).toMatch(/index\.ts$/);
    },
  );

  it("that takes too long is given up", async () => {
    const world = await loadWorld({
      settings: { "extensions.loadTimeoutMs": 2000 },
      extensions: {
        stuck: `export default (api) => {
          api.registerCommand("early", { handler() {} });
          return new Promise(() => {});
        };`,
        fine: greets("fine"),
      },
    });
    await world.command("/fine");
    await expect(world.command("/early")).rejects.toMatchObject({ code: "COMMAND_UNKNOWN" });
    expect(world.reported).toEqual(["stuck EXTENSION_LOAD_FAILED"]);
    expect(world.reports[0]?.message).toContain("2000 ms");
  });

  it("takes an undo during the factory for never having registered", async () => {
    const world = await loadWorld({
      extensions: {
        changes: (api) => {
          const undo = api.registerCommand("gone", { handler: () => undefined });
          undo();
          undo();
          const handled = api.on("session_start", (_event, ctx) => ctx.ui.notify("started"));
          handled();
        },
      },
    });
    expect(world.said).toEqual([]);
    await expect(world.command("/gone")).rejects.toMatchObject({ code: "COMMAND_UNKNOWN" });
  });

  it("sends session_start when all have loaded, and handlers added in it count from then on", async () => {
    const world = await loadWorld({
      extensions: {
        one: (api) => {
          api.on("session_start", (event, ctx) => {
            ctx.ui.notify(`${event.reason} ${api.getCommands().map(({ name }) => name)}`);
            const undo = api.registerCommand("added", { handler: () => undo() });
          });
        },
        two: greets("two"),
      },
    });
    expect(world.said).toEqual(["startup two"]);
    await world.command("/added");
    await expect(world.command("/added")).rejects.toMatchObject({ code: "COMMAND_UNKNOWN" });
  });

  it("refuses during the factory what needs a session, and names it and session_start", async () => {
    const world = await loadWorld({
      extensions: {
        eager: `export default (api) => {
          const codes = [];
          const uses = {
            appendEntry: () => api.appendEntry("x"),
            setLabel: () => api.setLabel("x", "y"),
            getCommands: () => api.getCommands(),
            getSessionName: () => api.getSessionName(),
            getThinkingLevel: () => api.getThinkingLevel(),
            setThinkingLevel: () => api.setThinkingLevel("low"),
          };
          for (const [name, use] of Object.entries(uses)) {
            try {
              use();
              codes.push(name + " works");
            } catch (error) {
              const names = ["api." + name, "session_start"].every((part) => error.message.includes(part));
              codes.push(error.code + " " + names);
            }
          }
          const set = api.setModel({}).catch((error) => codes.push(error.code));
          const works = api.supports("api.appendEntry");
          api.on("session_start", async (event, ctx) => {
            await set;
            ctx.ui.notify(JSON.stringify([works, ...new Set(codes)]));
          });
        };`,
      },
    });
    expect(world.said).toEqual([JSON.stringify([true, "NOT_READY true", "NOT_READY"])]);
  });

  it("gives the modules of the host: one core, one error class", async () => {
    const world = await loadWorld({
      session: tree("u1 a1*"),
      extensions: {
        modules: `
          import { CoppiceError, SessionManager } from "coppice";
          import * as core from "coppice/core";
          export default (api) => {
            api.on("session_start", (event, ctx) => {
              const own = SessionManager.inMemory("/elsewhere");
              own.appendMessage({ role: "user", content: "x", timestamp: 1 });
              let isOurs = false;
              try {
                own.branch("nowhere");
              } catch (error) {
                isOurs = error instanceof CoppiceError && error instanceof core.CoppiceError;
              }
              ctx.ui.notify(JSON.stringify([own.getCwd(), own.getEntries().length, isOurs]));
            });
          };`,
      },
    });
    expect(world.reports).toEqual([]);
    expect(world.said).toEqual([JSON.stringify(["/elsewhere", 1, true])]);
  });

  it("lets a package have further modules, JSON and types of its own", async () => {
    const world = await loadWorld({
      extensions: {
        typed: `
          import type { ExtensionAPI } from "coppice";
          import manifest from "./package.json";
          const later = await Promise.resolve("later");
          export default (api: ExtensionAPI): void => {
            api.on("session_start", (_event, ctx) => ctx.ui.notify(\`\${manifest.name} \${later}\`));
          };`,
      },
    });
    expect(world.reports).toEqual([]);
    expect(world.said).toEqual(["typed later"]);
  });

  it("leaves out what is switched off, and a command of it says so", async () => {
    const firstParty = {
      helper: { source: greets("help-me"), permissions: ["commands", "ui"], commands: ["help-me"] },
    };
    const world = await loadWorld({
      firstParty,
      settings: { "extensions.disabled": ["helper"] },
    });
    await expect(world.command("/help-me")).rejects.toMatchObject({
      code: "COMMAND_UNKNOWN",
      message: expect.stringContaining("helper"),
    });
    await expect(world.command("/nobody")).rejects.toMatchObject({
      code: "COMMAND_UNKNOWN",
      message: expect.stringContaining("/help"),
    });
  });
});

it("settings of the environment switch extensions off, too", () => {
  const variables = { COPPICE_EXTENSIONS_DISABLED: "one, two" };
  expect(new Settings({ cwd: "/", variables }).get("extensions.disabled")).toEqual(["one", "two"]);
});
