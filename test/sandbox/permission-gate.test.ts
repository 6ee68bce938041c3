import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeEnvironment } from "coppice/host";
import { expect, it } from "vitest";
import type { Extension } from "../../host/extension.ts";
import { packageForRun } from "../../host/packages/for-run.ts";
import { placesOf } from "../../host/packages/places.ts";
import { Settings } from "../../host/storage/settings.ts";
import type { ScriptedUI } from "../contract/scripted-ui.ts";
import { inSandbox, type LoadWorld } from "../contract/world.ts";
import { folder } from "../packages/world.ts";

const ASKS = `export default (api) => {
  api.registerCommand("ask", {
    async handler(_args, ctx) {
      try {
        const { content } = await ctx.modelRegistry.complete(ctx.model, { messages: [] });
        ctx.ui.notify("got " + content[0].text);
      } catch (error) {
        ctx.ui.notify(error.code + " " + error.details.permission);
      }
    },
  });
  api.registerCommand("fake", {
    handler: (_args, ctx) => ctx.ui.select("Permission: other 1.0.0 wants all", ["Always"]),
  });
};`;

const PERMISSION = "model:complete";

/** A package of one run that was given nothing but what needs no question. */
async function asking(manifest?: object): Promise<Extension> {
  const home = process.env.COPPICE_HOME ?? "";
  const root = folder();
  const json = {
    name: "asking",
    version: "1.2.3",
    pi: { extensions: ["./index.ts"], ...manifest },
  };
  writeFileSync(join(root, "index.ts"), ASKS);
  writeFileSync(join(root, "package.json"), JSON.stringify(json));
  const work = {
    places: placesOf(home),
    cwd: root,
    settings: new Settings({ cwd: root }),
    env: nodeEnvironment,
    variables: process.env,
    note: () => undefined,
  };
  const way = { yes: true, accept: [], acceptAll: false, deny: [] };
  const extension = await packageForRun(root, way, work);
  if (!extension) throw new Error("it was refused");
  return extension;
}

inSandbox("a permission that nobody has decided", (loadWorld: LoadWorld) => {
  const load = async (ui?: ScriptedUI, manifest?: object) =>
    loadWorld({
      ...(ui && { ui }),
      options: { installed: [await asking(manifest)] },
    });

  async function answered(world: Awaited<ReturnType<LoadWorld>>, answer: string | undefined) {
    const title = expect.stringMatching(/^Permission: asking 1\.2\.3 wants model:complete for /);
    const done = world.command("/ask");
    const question = await world.ui.next();
    expect(question.title).toEqual(title);
    expect(question.title).toContain("risk: medium");
    expect(question.options[0]).toBe("Not now");
    expect(question.asking.from).toBeUndefined();
    question.answer(answer);
    await done;
    return question;
  }

  it("is asked for; once is for one call, for this session until its end", async () => {
    const world = await load();
    const reply = async () => {
      const call = await world.model.called();
      call.say("yes");
      call.finish();
    };
    const first = reply();
    await answered(world, "Once");
    await first;
    const second = reply();
    await answered(world, "For this session");
    await second;
    const third = reply();
    await world.command("/ask");
    await third;
    expect(world.said).toEqual(["got yes", "got yes", "got yes"]);
  });

  it("is refused by Escape, and after three refusals nobody is asked again", async () => {
    const world = await load();
    for (const answer of [undefined, "Not now", undefined]) await answered(world, answer);
    await world.command("/ask");
    expect(world.said).toEqual(Array(4).fill(`PERMISSION_DENIED ${PERMISSION}`));
    expect(world.model.calls).toEqual([]);
    const home = process.env.COPPICE_HOME ?? "";
    const log = readFileSync(join(home, "audit.jsonl"), "utf8").trim().split("\n");
    expect(JSON.parse(log.at(-1) ?? "")).toMatchObject({
      event: "permission",
      extension: "asking",
      version: "1.2.3",
      permission: PERMISSION,
      member: "ctx.modelRegistry.complete",
      decision: "refused",
      by: "stored",
    });
  });

  it("is refused where there is nobody to ask", async () => {
    const world = await load();
    world.ui.hasUI = false;
    await world.command("/ask");
    expect(world.said).toEqual([`PERMISSION_DENIED ${PERMISSION}`]);
  });

  it("is never asked for what a package that declares has not declared", async () => {
    const world = await load(undefined, { permissions: ["commands", "ui"] });
    await world.command("/ask");
    expect(world.said).toEqual([`PERMISSION_UNDECLARED ${PERMISSION}`]);
  });

  it("cannot be imitated: the dialog of a package names it", async () => {
    const world = await load();
    const done = world.command("/fake");
    const question = await world.ui.next();
    expect(question.asking.from).toBe("asking");
    question.answer();
    await done;
  });
});
