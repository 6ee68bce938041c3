import type { Panel, PanelEvent } from "coppice";
import { rowText } from "coppice/tui";
import { describe, expect, test } from "vitest";
import { progressPanel } from "../../../extensions/tree-selector/progress.ts";
import { questionPanel } from "../../../extensions/tree-selector/question.ts";

const question = questionPanel({ count: 9, from: "assistant: here", to: "user: there" });

function press<M, T>(panel: Panel<M, T>, model: M, key: string) {
  const action = panel.keys?.find(({ keys }) => keys.includes(key))?.id;
  return panel.update(model, { type: "key", key, ...(action !== undefined && { action }) });
}

function screen<M, T>(panel: Panel<M, T>, model: M): string[] {
  const view = panel.view(model, { columns: 80, rows: 24 });
  return [...view.rows, ...(view.footer ?? [])].map((row) => rowText(row, 80));
}

describe("the summary question", () => {
  test("says what is left and where one goes, with no summary in focus", () => {
    const rows = screen(question, question.init);
    expect(rows[0]).toBe(" You leave 9 entries behind");
    expect(rows).toContain("  from  assistant: here");
    expect(rows).toContain("  to    user: there");
    expect(rows.find((row) => row.startsWith(" ›"))).toMatch(/^ › No summary/);
  });

  test.each([
    [["enter"], { value: "none" }],
    [["down", "enter"], { value: "summarize" }],
    [["down", "down", "down", "enter"], { value: "custom" }],
    [["up", "enter"], { value: "none" }],
    [["s"], { value: "summarize" }],
    [["f"], { value: "custom" }],
    [["escape"], {}],
    [["ctrl+c"], {}],
  ])("%j", (keys, done) => {
    let model = question.init;
    for (const key of keys.slice(0, -1)) model = press(question, model, key).model;
    expect(press(question, model, keys.at(-1) ?? "").done).toEqual(done);
  });

  test.each([
    ["n", { value: "none" }],
    ["s", { value: "summarize" }],
    ["f", { value: "custom" }],
    ["", {}],
    ["x", undefined],
  ])("in plain words: %j", (text, done) => {
    expect(question.plain?.answer(question.init, text).done).toEqual(done);
  });
});

describe("the progress of a summary", () => {
  function running() {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let stops = 0;
    const panel = progressPanel({
      title: "Summarizing 9 entries",
      ended,
      latest: () => ({ text: "## Goal", tokens: 12 }),
      stop: () => {
        stops++;
      },
      isStill: false,
    });
    return { panel, end, stops: () => stops };
  }
  const resize: PanelEvent = { type: "resize" };
  const tick: PanelEvent = { type: "effect", value: "tick" };

  test("shows spinner, time from the first second on, tokens and text", () => {
    const { panel } = running();
    let { model } = panel.update(panel.init, resize);
    for (let i = 0; i < 75; i++) ({ model } = panel.update(model, tick));
    expect(screen(panel, model).slice(0, 4)).toEqual([
      " Summarizing 9 entries",
      " ⠴ 0:07 · ↓ 12",
      "",
      "   ## Goal",
    ]);
  });

  test("closes when the work has ended", async () => {
    const { panel, end } = running();
    const step = panel.update(panel.init, resize);
    end();
    const value = await step.effect?.();
    expect(panel.update(step.model, { type: "effect", value }).done).toEqual({});
  });

  test("says at once that Escape stops it, stops it once, and waits for its end", async () => {
    const { panel, stops } = running();
    const first = press(panel, panel.init, "escape");
    expect(screen(panel, first.model)[1]).toContain("stopping…");
    const value = await first.effect?.();
    const after = panel.update(first.model, { type: "effect", value });
    expect(after.done).toBeUndefined();
    expect(press(panel, after.model, "escape").effect).toBeUndefined();
    expect(stops()).toBe(1);
  });

  test("starts one clock only, however often the size changes", () => {
    const { panel } = running();
    const { model } = panel.update(panel.init, resize);
    expect(panel.update(model, resize).effect).toBeUndefined();
  });
});
