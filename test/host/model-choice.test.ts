import { describe, expect, it } from "vitest";
import { chooseModel, clampThinkingLevel } from "../../host/model-choice.ts";
import { Models } from "../../host/models.ts";
import { FakeModel, oneModel } from "../contract/fake-model.ts";

const recorded = { provider: "test", modelId: "two" };

function world(fields: { readonly isKeyed?: boolean; readonly offline?: boolean } = {}) {
  const models = new Models();
  const fake = new FakeModel();
  fake.isKeyed = fields.isKeyed ?? true;
  models.register("test", fake.provider);
  if (fields.offline !== false) {
    const offline = { ...oneModel, provider: "offline", id: "offline" };
    models.register("offline", { ...new FakeModel().provider, models: [offline], priority: -1 });
  }
  return models;
}

describe("the model of a session", () => {
  it("is that of the flag before all else", () => {
    const choice = chooseModel(world(), { flag: "test/one", recorded, setting: "offline" });
    expect(choice).toMatchObject({ kind: "model", source: "flag", model: { id: "one" } });
  });

  it("is none where the flag says so", () => {
    expect(chooseModel(world(), { flag: "none", recorded })).toEqual({
      kind: "none",
      source: "flag",
    });
  });

  it("of a flag that names none is MODEL_UNKNOWN", () => {
    expect(() => chooseModel(world(), { flag: "nobody" })).toThrow(
      expect.objectContaining({ code: "MODEL_UNKNOWN" }),
    );
  });

  it("is the recorded one before the setting", () => {
    const choice = chooseModel(world(), { recorded, setting: "offline" });
    expect(choice).toMatchObject({ kind: "model", source: "session", model: { id: "two" } });
  });

  it("stays the recorded one without credentials or provider, and is missing", () => {
    const keyless = chooseModel(world({ isKeyed: false }), { recorded });
    expect(keyless).toMatchObject({ kind: "missing", source: "session", model: { id: "two" } });
    const unknown = chooseModel(world(), { recorded: { provider: "acme", modelId: "lab/m1" } });
    expect(unknown).toMatchObject({
      kind: "missing",
      model: { provider: "acme", id: "lab/m1", contextWindow: 128_000 },
    });
  });

  it("is that of the setting where nothing is recorded, and may be none", () => {
    expect(chooseModel(world(), { recorded: null, setting: "two" })).toMatchObject({
      source: "setting",
      model: { id: "two" },
    });
    expect(chooseModel(world(), { setting: "none" })).toEqual({ kind: "none", source: "setting" });
  });

  it("is the first with credentials where the setting names none that is known", () => {
    const choice = chooseModel(world(), { setting: "nobody" });
    expect(choice).toMatchObject({ source: "credentials", model: { id: "one" } });
  });

  it("is that of last resort where nobody has credentials", () => {
    const choice = chooseModel(world({ isKeyed: false }), {});
    expect(choice).toMatchObject({ source: "last resort", model: { provider: "offline" } });
  });

  it("is none where there is no last resort either", () => {
    const choice = chooseModel(world({ isKeyed: false, offline: false }), {});
    expect(choice).toEqual({ kind: "none", source: "credentials" });
  });
});

it("a model that does not reason does not think", () => {
  expect(clampThinkingLevel("high", { ...oneModel, reasoning: false })).toBe("off");
  expect(clampThinkingLevel("high", oneModel)).toBe("high");
  expect(clampThinkingLevel("high", undefined)).toBe("high");
});
