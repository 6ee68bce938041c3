import type { Model } from "coppice/ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { user } from "../../core/messages.ts";
import { anthropicWorld, type World } from "./world.ts";

let world: World;

beforeEach(async () => {
  world = await anthropicWorld();
});
afterEach(() => world.server.close());

describe("the list of models", () => {
  const supported = (yes: boolean) => ({ supported: yes });
  const info = (id: string, fields: object = {}) => ({
    type: "model",
    id,
    display_name: id.toUpperCase(),
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: null,
    max_tokens: null,
    capabilities: null,
    ...fields,
  });
  const list = async (...models: object[]) => {
    await world.server.close();
    world = await anthropicWorld(models);
    return (await world.provider.refresh?.()) ?? [];
  };

  it("is known without asking, with windows and prices", () => {
    const { models } = world.provider;
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
    expect(models[0]).toMatchObject({
      id: "claude-opus-5-5",
      contextWindow: 1_000_000,
      maxTokens: 128_000,
      cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
    });
    for (const { cost } of models) expect(cost.output).toBeGreaterThan(cost.cacheRead);
  });

  it("describes models that are in no list", () => {
    const { describe: model } = world.provider;
    expect(model?.("claude-opus-5-20260724")).toMatchObject({
      cost: { input: 5 },
      reasoning: true,
    });
    expect(model?.("llama")).toMatchObject({ id: "llama", reasoning: false, maxTokens: 8192 });
  });

  it("comes from the API: known models first, with its limits, then new ones", async () => {
    const models = await list(
      info("llama-local"),
      info("claude-next-9", { max_input_tokens: 2_000_000 }),
      info("claude-haiku-4-5-20251001", { max_tokens: 32_000 }),
    );
    expect(models.map(({ id }) => id)).toEqual([
      "claude-haiku-4-5-20251001",
      "llama-local",
      "claude-next-9",
    ]);
    const [haiku, local, next] = models;
    expect(haiku).toMatchObject({ maxTokens: 32_000, contextWindow: 200_000, cost: { input: 1 } });
    expect(local).toMatchObject({ reasoning: false, maxTokens: 8192, name: "LLAMA-LOCAL" });
    expect(next).toMatchObject({ reasoning: true, contextWindow: 2_000_000 });
  });

  it("says how a model thinks", async () => {
    const types = {
      adaptive: supported(true),
      disabled: supported(false),
      between_tools: supported(true),
    };
    const effort = { supported: true, low: supported(true), medium: supported(true) };
    const thinking = { supported: true, types };
    const capabilities = { thinking, effort, image_input: supported(false) };
    const models = await list(info("claude-next-9", { capabilities }));
    expect(models[0]).toMatchObject({ reasoning: true, input: ["text"] });
    const asked = models[0] as Model;
    await world.provider
      .streamSimple(asked, { messages: [user("x")] }, { reasoning: "high" })
      .result();
    await world.provider.streamSimple(asked, { messages: [user("x")] }).result();
    const [high, off] = world.server.requests.map(({ body }) => body);
    expect(high?.output_config).toEqual({ effort: "medium" });
    expect(off?.thinking).toEqual({ type: "between_tools" });
  });

  it("fails with a code", async () => {
    world.env = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: world.server.url };
    await expect(world.provider.refresh?.()).rejects.toMatchObject({
      code: "MODEL_CREDENTIALS_MISSING",
    });
    world.env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: `${world.server.url}/elsewhere` };
    await expect(world.provider.refresh?.()).rejects.toMatchObject({
      code: "MODEL_LIST_FAILED",
      message: expect.stringMatching(/404 not_found_error/),
    });
  });
});
