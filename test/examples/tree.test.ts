import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { FakeModel } from "../contract/fake-model.ts";
import { loadWorld } from "../contract/world.ts";
import { Person } from "../extensions/person.ts";
import { tree } from "../world.ts";

function example(name: string): string {
  return fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
}

describe("the example of a sixth filter", () => {
  test("comes after the five and shows the points where the tree forks", async () => {
    const ui = new Person();
    const world = await loadWorld({
      builtins: ["tree-selector", "filter-modes"],
      session: tree("u1 a1(u2(a2(u3 u4)) u5*)"),
      options: { trusted: [example("sixth-filter")] },
      ui,
    });
    const running = world.command("/tree");
    const panel = await ui.panelOpened();
    await panel.press("shift+tab");
    expect(panel.screen()[0]).toContain("‹branch points› 6 of 6");
    expect(panel.screen().slice(2, 4)).toEqual(["› • assistant: a1", "  assistant: a2"]);
    expect(panel.screen().at(-2)).toBe("  (1/2) [branch points]");
    await panel.press("ctrl+c");
    await running;
  });
});

describe("the example of a scripted tour", () => {
  test("leaves a summary at the first reply, labels it, and ends in a new session", async () => {
    const world = await loadWorld({
      builtins: ["summarizer"],
      session: tree("u1 a1 u2 a2 u3 a3*"),
      model: new FakeModel(["We looked at u2 and u3."]),
      options: { trusted: [example("tour")] },
    });
    await world.command("/tour");
    expect(world.said).toEqual([
      "A summary was left at the first reply.",
      "The tour ends in a new session of 4 entries.",
    ]);
    expect(world.reports).toEqual([]);
  });

  test("needs a message and a reply", async () => {
    const world = await loadWorld({
      session: tree("u1*"),
      options: { trusted: [example("tour")] },
    });
    await world.command("/tour");
    expect(world.said).toEqual(["The tour needs a message and a reply."]);
  });
});
