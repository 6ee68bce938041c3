import type { EventPayload, ExtensionContext, Model } from "coppice";
import type { SessionEntry } from "coppice/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { offlineProvider } from "../../../extensions/offline/provider.ts";
import { summarizeBranch } from "../../../extensions/summarizer/summarize.ts";
import { Models } from "../../../host/models.ts";
import { gate } from "../../anthropic-server.ts";
import { type WireBody, wireText } from "../../anthropic-wire.ts";
import { call, entry, reply, user } from "../../core/messages.ts";
import { anthropicWorld, type World } from "../anthropic/world.ts";

let world: World;
let models: Models;

beforeEach(async () => {
  world = await anthropicWorld();
  models = new Models();
  models.register("anthropic", world.provider);
  models.register("offline", offlineProvider({ now: () => 1000 }));
});
afterEach(() => world.server.close());

const BRANCH: readonly SessionEntry[] = [
  entry("u", user("make the tree fast")),
  entry(
    "a",
    reply([{ type: "text", text: "Reading." }, call("k", "read", { path: "core/tree.ts" })]),
  ),
  entry("b", reply([call("l", "edit", { path: "core/rows.ts" })])),
];

interface Options {
  readonly entries?: readonly SessionEntry[];
  readonly model?: Model | undefined;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly wishes?: object;
  readonly signal?: AbortSignal;
  onProgress?(progress: { text: string; tokens: number }): void;
}

function summarize(options: Options = {}) {
  const event = {
    type: "summarize_branch",
    preparation: { entriesToSummarize: options.entries ?? BRANCH, ...options.wishes },
    signal: options.signal ?? new AbortController().signal,
    onProgress: options.onProgress ?? (() => undefined),
  } as EventPayload<"summarize_branch">;
  const ctx = {
    model: "model" in options ? options.model : world.model(),
    getSetting: (key: string) => options.settings?.[key],
    modelRegistry: { streamSimple: models.stream.bind(models) },
  } as unknown as ExtensionContext;
  return summarizeBranch(event, ctx);
}

async function request(options?: Options): Promise<WireBody> {
  await summarize(options);
  return (await world.server.request(world.server.requests.length - 1)).body;
}

describe("the summarizer", () => {
  it("stores preamble, the model's text and the files, and gives the files as details", async () => {
    world.server.reply("\n## Goal\nA fast tree.\n");
    const { summary, details } = (await summarize()) ?? {};
    expect(details).toEqual({ readFiles: ["core/tree.ts"], modifiedFiles: ["core/rows.ts"] });
    const files =
      "<read-files>\ncore/tree.ts\n</read-files>\n\n<modified-files>\ncore/rows.ts\n</modified-files>";
    expect(summary?.split("\n\n").slice(1).join("\n\n")).toBe(`## Goal\nA fast tree.\n\n${files}`);
    expect(summary?.split("\n\n")[0]).toMatch(/another branch/i);
  });

  it("asks with one message, a limit, and without thinking", async () => {
    const body = await request();
    expect(body.max_tokens).toBe(2048);
    expect(body.thinking).toEqual({ type: "between_tools" });
    expect(body.system?.[0]?.text).toMatch(/the summary and nothing else/);
    expect(body.messages).toHaveLength(1);
    const text = wireText(body.messages[0]);
    expect(text).toMatch(
      /^<conversation>\n\[User\]: make the tree fast\n\n\[Assistant\]: Reading\./,
    );
    expect(text).toMatch(/\)\n<\/conversation>\n\n[\s\S]+## Goal[\s\S]+## Next Steps/);
  });

  it("adds what the person asks for as focus, or lets it replace the instructions", async () => {
    const instructions = async (wishes: object) =>
      wireText((await request({ wishes })).messages[0]).split("</conversation>\n\n")[1];
    const plain = await instructions({});
    expect(await instructions({ customInstructions: "the caches" })).toBe(
      `${plain}\n\nFocus above all on this: the caches`,
    );
    const replaced = { customInstructions: " only files ", replaceInstructions: true };
    expect(await instructions(replaced)).toBe("only files");
    expect(await instructions({ ...replaced, customInstructions: " " })).toBe(plain);
  });

  it("keeps to the window of the model, less the reserve", async () => {
    const entries = ["one", "two", "three"].map((id) => entry(id, user(id.padEnd(40, "."))));
    const conversation = async (contextWindow: number, settings?: object) => {
      const model = { ...world.model(), contextWindow };
      const body = await request({ entries, model, settings: { ...settings } });
      return wireText(body.messages[0]).match(/\[User\]: \w+/g);
    };
    const two = ["[User]: two", "[User]: three"];
    expect(await conversation(25, { "branchSummary.reserveTokens": 0 })).toEqual(two);
    expect(await conversation(16_384 + 25)).toEqual(two);
    expect(await conversation(0)).toHaveLength(3);
  });

  it("tells how far it has come", async () => {
    world.server.reply("one two three four five");
    const seen: { text: string; tokens: number }[] = [];
    await summarize({ onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toEqual({ text: "one two three four five", tokens: 6 });
  });

  it("gives no summary, and asks nobody, where there is nothing to summarise", async () => {
    expect(await summarize({ entries: [entry("i", user([]))] })).toEqual({ summary: "" });
    expect(world.server.requests).toHaveLength(0);
  });

  it("ends without an answer at an abort", async () => {
    const controller = new AbortController();
    world.server.reply({ steps: [{ text: "half" }, gate()] });
    const onProgress = () => controller.abort();
    expect(await summarize({ signal: controller.signal, onProgress })).toBeUndefined();
    expect(await (await world.server.request(0)).closed).toBe(true);
    expect(await summarize({ signal: AbortSignal.abort() })).toBeUndefined();
  });

  it("works with the offline model", async () => {
    const { summary } = (await summarize({ model: models.resolve("offline") })) ?? {};
    expect(summary).toMatch(/## Goal\nmake the tree fast/);
    expect(summary).toMatch(/<modified-files>\ncore\/rows\.ts\n/);
  });
});

describe("a summary that fails", () => {
  it("names what the model said", async () => {
    const error = { status: 400, type: "invalid_request_error", message: "too long" };
    world.server.reply({ error });
    await expect(summarize()).rejects.toMatchObject({
      code: "SUMMARY_FAILED",
      message: expect.stringMatching(/too long/),
    });
  });

  it("counts blank output as a failure", async () => {
    world.server.reply(" \n ", { steps: [] });
    await expect(summarize()).rejects.toMatchObject({ code: "SUMMARY_FAILED" });
    await expect(summarize()).rejects.toMatchObject({ code: "SUMMARY_FAILED" });
  });

  it("tells missing credentials and a missing model apart", async () => {
    world.env = {};
    await expect(summarize()).rejects.toMatchObject({ code: "MODEL_CREDENTIALS_MISSING" });
    await expect(summarize({ model: undefined })).rejects.toMatchObject({
      code: "NO_ACTIVE_MODEL",
    });
  });
});
