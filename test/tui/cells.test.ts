import { describe, expect, test } from "vitest";
import { blankGrid, Canvas, type Grid } from "../../tui/cells.ts";
import { StyleTable, themeFor } from "../../tui/styles.ts";

const styles = new StyleTable();
const look = { styles, theme: themeFor(4), glyphs: "unicode" as const };

function canvasOf(columns: number, rows: number): { canvas: Canvas; grid: Grid } {
  const grid = blankGrid(columns, rows);
  return { canvas: new Canvas(grid, look), grid };
}

const textOf = (grid: Grid): string[] => grid.map((row) => row.map(([, text]) => text).join(""));

describe("a canvas", () => {
  test("paints text into cells, a wide cluster into two", () => {
    const { canvas, grid } = canvasOf(6, 1);
    expect(canvas.text(1, 0, "a日b", "bold")).toBe(5);
    expect(grid[0]?.map(([, text]) => text)).toEqual([" ", "a", "日", "", "b", " "]);
    expect(styles.attributesOf(grid[0]?.[2]?.[0] ?? 0)).toEqual({ bold: true });
  });

  test("clips to its rectangle, a cut wide cluster leaves a blank", () => {
    const { canvas, grid } = canvasOf(8, 3);
    for (const row of grid) for (const cell of row) cell[1] = ".";
    const region = canvas.region(2, 1, 4, 1);
    region.text(-1, 0, "日本語日本語");
    region.text(0, 1, "below");
    region.text(0, -1, "above");
    expect(textOf(grid)).toEqual(["........", ".. 本 ..", "........"]);
  });

  test("a region reaches no further than its canvas", () => {
    const { canvas } = canvasOf(10, 5);
    const region = canvas.region(8, 3, 10, 10);
    expect([region.columns, region.rows]).toEqual([2, 2]);
    expect(region.position(9, 9)).toEqual({ column: 9, row: 4 });
  });

  test("a wide cluster that is half painted over leaves a blank", () => {
    const { canvas, grid } = canvasOf(6, 1);
    canvas.text(0, 0, "日本語");
    canvas.text(1, 0, "xx");
    expect(textOf(grid)).toEqual([" xx 語"]);
  });

  test("cleans whatever it is given", () => {
    const { canvas, grid } = canvasOf(10, 1);
    canvas.text(0, 0, "a\x1b]0;x\x07b\nc\u202ed");
    expect(textOf(grid)).toEqual(["a b c d   "]);
  });

  test("a selected row is inverse over its whole width, its own styles kept", () => {
    const { canvas, grid } = canvasOf(8, 1);
    canvas.row(0, { middle: [{ text: "ab", style: "error" }], selected: true });
    const attributes = grid[0]?.map(([attribute]) => styles.attributesOf(attribute));
    expect(attributes?.[0]).toEqual({ foreground: 1, inverse: true });
    expect(attributes?.[7]).toEqual({ inverse: true });
  });

  test("a row paints over what stood there", () => {
    const { canvas, grid } = canvasOf(8, 1);
    canvas.text(0, 0, "old text");
    canvas.row(0, { start: [{ text: "new" }], end: [{ text: "1" }] });
    expect(textOf(grid)).toEqual(["new    1"]);
  });

  test("shows glyphs as ASCII where only that can be shown", () => {
    const grid = blankGrid(30, 1);
    new Canvas(grid, { ...look, glyphs: "ascii" }).text(0, 0, "● ├─ ⚑ x… │ ✗");
    expect(textOf(grid)[0]?.trimEnd()).toBe("* +- # x. | !");
  });
});
