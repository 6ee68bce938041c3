import { describe, expect, it } from "vitest";
import { Models } from "../../host/models.ts";
import { FakeModel, oneModel } from "../contract/fake-model.ts";

function provider(title: string, fields: object = {}) {
  return { ...new FakeModel().provider, title, ...fields };
}

describe("providers", () => {
  it("of one name the last that was registered is in force, and an undone one never returns", () => {
    const models = new Models();
    const undoFirst = models.register("test", provider("first"));
    const undoSecond = models.register("test", provider("second"));
    expect(models.title("test")).toBe("second");
    undoFirst();
    undoSecond();
    expect(models.all()).toEqual([]);
    expect(models.find("test", "one")).toBeUndefined();
  });

  it("gives way to the one before when it is undone, and undoing twice does nothing", () => {
    const models = new Models();
    models.register("test", provider("first"));
    const undo = models.register("test", provider("second"));
    undo();
    undo();
    expect(models.title("test")).toBe("first");
  });

  it("come by priority, and a negative one is the last resort", () => {
    const models = new Models();
    models.register("late", provider("late", { models: [{ ...oneModel, provider: "late" }] }));
    models.register("sure", provider("sure", { models: [oneModel], priority: -1 }));
    models.register("early", provider("early", { models: [oneModel], priority: 5 }));
    expect(models.providers()).toEqual(["early", "late", "sure"]);
    expect(models.isLastResort({ ...oneModel, provider: "sure" })).toBe(true);
    expect(models.isLastResort({ ...oneModel, provider: "late" })).toBe(false);
  });

  it("without credentials have no available model and are not called", () => {
    const models = new Models();
    const fake = new FakeModel();
    fake.isKeyed = false;
    models.register("test", fake.provider);
    expect(models.available()).toEqual([]);
    expect(models.firstAvailable()).toBeUndefined();
    expect(() => models.stream(oneModel, { messages: [] })).toThrow(
      expect.objectContaining({
        code: "MODEL_CREDENTIALS_MISSING",
        message: expect.stringContaining("set TEST_KEY"),
      }),
    );
    expect(fake.calls).toEqual([]);
  });

  it("are called at their own address, never at one that the caller wrote into the model", () => {
    const models = new Models();
    const fake = new FakeModel();
    const baseUrl = "https://own.example";
    const placed = { ...oneModel, id: "placed", baseUrl };
    models.register("test", { ...fake.provider, models: [oneModel, placed] });
    for (const model of [oneModel, placed, { ...oneModel, id: "unlisted" }]) {
      models.stream({ ...model, baseUrl: "https://elsewhere.example" }, { messages: [] });
    }
    expect(fake.calls.map(({ model }) => model.baseUrl)).toEqual([undefined, baseUrl, undefined]);
  });

  it("are asked for their models on refresh, those without credentials not", async () => {
    const models = new Models();
    const more = { ...oneModel, id: "more" };
    const refresh = async () => [more];
    models.register("test", provider("test", { refresh }));
    models.register("dark", provider("dark", { refresh, hasCredentials: () => false }));
    await models.refresh();
    expect(models.find("test", "more")).toEqual(more);
    expect(models.find("dark", "more")).toBeUndefined();
  });
});

describe("a model is found", () => {
  const models = new Models();
  const slashed = { ...oneModel, provider: "hub", id: "lab/m1" };
  models.register("test", new FakeModel().provider);
  const describe = (id: string) => ({ ...oneModel, provider: "hub", id });
  models.register("hub", provider("hub", { models: [slashed], describe }));

  it.each([
    ["test/two", "two"],
    ["hub/lab/m1", "lab/m1"],
    ["lab/m1", "lab/m1"],
    ["two", "two"],
    ["test", "one"],
    ["hub/unlisted", "unlisted"],
  ])("%s", (spec, id) => {
    expect(models.resolve(spec)?.id).toBe(id);
  });

  it("but not where nobody knows the name", () => {
    expect(models.resolve("nobody")).toBeUndefined();
    expect(models.resolve("test/three")).toBeUndefined();
  });
});
