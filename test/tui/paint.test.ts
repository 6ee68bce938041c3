import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blankGrid, Canvas, type CursorPosition, type Grid } from "../../tui/cells.ts";
import { Painter } from "../../tui/paint.ts";
import { StyleTable, sgrParameters, themeFor } from "../../tui/styles.ts";
import { emulate } from "./emulate.ts";

const styles = new StyleTable();
const look = { styles, theme: themeFor(4), glyphs: "unicode" as const };

/** A screen of cells with its painter; each frame is painted from blank cells. */
function screenOf(columns: number, rows: number) {
  const before = blankGrid(columns, rows);
  const painter = new Painter((attribute) => sgrParameters(styles.attributesOf(attribute), 4));
  return {
    painter,
    frame(draw: (canvas: Canvas) => void, cursor?: CursorPosition): string {
      const grid: Grid = blankGrid(columns, rows);
      draw(new Canvas(grid, look));
      return painter.frame(grid, before, cursor);
    },
  };
}

/** The pieces a frame writes: `row:column text`. */
function pieces(bytes: string): readonly string[] {
  return [...bytes.matchAll(/\x1b\[(\d+);(\d+)H([^\x1b]+)/g)].map(
    ([, row, column, text]) => `${row}:${column} ${text}`,
  );
}

describe("a frame", () => {
  test("is empty when nothing changed", () => {
    const screen = screenOf(20, 2);
    const draw = (canvas: Canvas): void => void canvas.text(0, 0, "hello");
    expect(screen.frame(draw)).not.toBe("");
    expect(screen.frame(draw)).toBe("");
    expect(screen.frame(draw, { column: 1, row: 0 })).toContain("\x1b[1;2H\x1b[?25h");
    expect(screen.frame(draw, { column: 1, row: 0 })).toBe("");
  });

  test("is synchronised, hides the cursor, and shows it at its place", () => {
    const screen = screenOf(20, 2);
    const bytes = screen.frame((canvas) => void canvas.text(0, 0, "x"), { column: 3, row: 1 });
    expect(bytes.startsWith("\x1b[?2026h\x1b[?25l")).toBe(true);
    expect(bytes.endsWith("\x1b[2;4H\x1b[?25h\x1b[?2026l")).toBe(true);
    expect(screen.frame((canvas) => void canvas.text(0, 0, "y"))).not.toContain("\x1b[?25h");
  });

  test("writes the changed span of a row, and skips equal runs of more than six cells", () => {
    const screen = screenOf(40, 1);
    screen.frame((canvas) => void canvas.text(0, 0, "abcdefghijklmnopqrstuvwxyz"));
    const six = screen.frame((canvas) => void canvas.text(0, 0, "Abcdefg" + "Hijklmnopqrstuvwxyz"));
    expect(pieces(six)).toEqual(["1:1 AbcdefgH"]);
    const seven = screen.frame((canvas) => void canvas.text(0, 0, "abcdefgHIjklmnopqrstuvwxyz"));
    expect(pieces(seven)).toEqual(["1:1 a", "1:9 I"]);
  });

  test("never begins or ends inside a wide cluster, old or new", () => {
    const screen = screenOf(10, 1);
    screen.frame((canvas) => void canvas.text(0, 0, "a日本b"));
    expect(pieces(screen.frame((canvas) => void canvas.text(0, 0, "ax日 b")))).toEqual([
      "1:2 x日 ",
    ]);
  });

  test("places the cursor anew around clusters of doubtful width, and writes their row whole", () => {
    const screen = screenOf(8, 1);
    screen.frame(() => undefined);
    expect(screen.frame((canvas) => void canvas.text(0, 0, "ab😀c"))).toContain(
      "\x1b[?7l\x1b[1;1Hab  \x1b[3G😀\x1b[5Gc   \x1b[?7h",
    );
    expect(pieces(screen.frame((canvas) => void canvas.text(0, 0, "abcdX")))).toEqual([
      "1:1 abcdX   ",
    ]);
  });

  test("is written whole after the picture is lost, and cleared only where that is asked for", () => {
    const screen = screenOf(4, 2);
    const draw = (canvas: Canvas): void => void canvas.text(0, 0, "x");
    screen.frame(draw);
    screen.painter.invalidate();
    const again = screen.frame(draw);
    expect(pieces(again)).toEqual(["1:1 x   ", "2:1     "]);
    expect(again).not.toContain("\x1b[2J");
    screen.painter.invalidate(true);
    expect(screen.frame(draw)).toContain("\x1b[2J");
  });

  test("ends in the default style", () => {
    const screen = screenOf(4, 1);
    expect(screen.frame((canvas) => canvas.fill("error"))).toMatch(/\x1b\[0;31m {4}\x1b\[0m/);
  });
});

test("whatever frames follow each other, the terminal shows the last one", async () => {
  const sign = fc.constantFrom("a", " ", "日", "本", "한", "é", "│", "…", "b");
  const line = fc.array(sign, { maxLength: 14 }).map((signs) => signs.join(""));
  const style = fc.constantFrom("text" as const, "error" as const, "selection" as const);
  const part = fc.record({ column: fc.integer({ min: -2, max: 12 }), row: fc.nat(3), line, style });
  const frames = fc.array(fc.array(part, { maxLength: 6 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(frames, async (all) => {
      const screen = screenOf(12, 3);
      const bytes = all.map((parts) =>
        screen.frame((canvas) => {
          for (const { column, row, line, style } of parts) canvas.text(column, row, line, style);
        }),
      );
      const last = screenOf(12, 3);
      const alone = last.frame((canvas) => {
        for (const { column, row, line, style } of all.at(-1) ?? []) {
          canvas.text(column, row, line, style);
        }
      });
      expect(await emulate(bytes.join(""), 12, 3)).toEqual(await emulate(alone, 12, 3));
    }),
    { numRuns: 150 },
  );
});
