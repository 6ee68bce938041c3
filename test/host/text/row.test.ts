import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Row } from "../../../host/panel.ts";
import {
  cellWidth,
  clipText,
  layoutRow,
  rowText,
  spansWidth,
  visibleWidth,
  wrapText,
} from "../../../host/text/index.ts";

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "日本",
        "👩‍👩‍👧",
        "e\u0301",
        "\u0301",
        "\ufe0f",
        "❤",
        "\x1b[31m",
        "\t",
        "…",
        "🇫",
        "word ",
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
      fc.string({ maxLength: 12 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));
const anyWidth = fc.integer({ min: 1, max: 200 });

describe("clipping", () => {
  test.each([
    ["hello", 5, "hello"],
    ["hello", 4, "hel…"],
    ["hello", 1, "…"],
    ["hello", 0, ""],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["a\nb\x1b[31mc", 9, "a b c"],
  ])("%j to %i cells is %j", (text, width, clipped) => {
    expect(clipText(text, width)).toBe(clipped);
  });

  test("the mark can be another one, and counts", () => {
    expect(clipText("hello", 4, "...")).toBe("h...");
    expect(clipText("hello", 2, "...")).toBe("..");
  });

  test("never gives more cells than asked for", () => {
    fc.assert(
      fc.property(anyText, anyWidth, (text, width) => {
        expect(cellWidth(clipText(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

test("the visible width of a text leaves out its escape sequences", () => {
  expect(visibleWidth("\x1b[1m日本\x1b[0m x")).toBe(6);
});

describe("wrapping", () => {
  test.each([
    ["", 10, [""]],
    ["The quick brown fox", 10, ["The quick", "brown fox"]],
    ["a b\n\nc", 10, ["a b", "", "c"]],
    ["  indented text", 10, ["  indented", "text"]],
    ["abcdefghij klm", 4, ["abcd", "efgh", "ij", "klm"]],
    ["日本語のテスト", 6, ["日本語", "のテス", "ト"]],
    ["ab 日本語", 6, ["ab 日", "本語"]],
    ["日", 1, ["…"]],
    ["\tx\ty", 20, ["    x   y"]],
    ["word   ", 4, ["word", ""]],
  ])("%j at %i", (text, width, lines) => {
    expect(wrapText(text, width)).toEqual(lines);
  });

  test("no line is wider than asked for, and no painted sign is lost", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 80 }), (text, width) => {
        const lines = wrapText(text, width);
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width);
        const bare = (value: string): string => value.replace(/[^a-zA-Z日本]/g, "");
        expect(bare(lines.join(""))).toBe(bare(wrapText(text, 10_000).join("")));
      }),
    );
  });
});

describe("a row", () => {
  const level = (count: number): readonly string[] => [
    ...Array.from({ length: count - 1 }, () => "│  "),
    "├─ ",
  ];
  const row = (levels: number, text: string): Row => ({
    cursor: "  ",
    levels: level(levels),
    middle: [{ text: "• ", style: "active" }, { text }],
  });

  test("keeps levels as long as twenty cells remain behind them", () => {
    expect(rowText(row(12, "user: level 14"), 60)).toBe(`  ${"│  ".repeat(11)}├─ • user: level 14`);
    expect(rowText(row(13, "user: level 14"), 60)).toBe(
      `  …  ${"│  ".repeat(10)}├─ • user: level 14`,
    );
  });

  test("below forty columns keeps half the width", () => {
    expect(rowText(row(4, "user: level 5"), 31)).toBe("  │  │  │  ├─ • user: level 5");
    expect(rowText(row(5, "user: level 6"), 31)).toBe("  …  │  │  ├─ • user: level 6");
    expect(rowText(row(1, "user: level 2"), 10)).toBe("  ├─ • us…");
    expect(rowText(row(2, "user: level 2"), 10)).toBe("  …  • us…");
    expect(rowText(row(1, "user"), 5)).toBe("  • …");
  });

  test("cuts a span to its largest width before the row is cut", () => {
    const labelled: Row = {
      cursor: "› ",
      middle: [
        { text: "• [" },
        { text: "漢字".repeat(30), max: 40, style: "label" },
        { text: "] assistant: uno" },
      ],
    };
    expect(rowText(labelled, 120)).toBe(`› • [${"漢字".repeat(9)}漢…] assistant: uno`);
    expect(rowText(labelled, 40)).toBe(`› • [${"漢字".repeat(8)}漢…`);
    expect(cellWidth(rowText(labelled, 31))).toBe(30);
  });

  test("keeps start and end, and cuts the middle", () => {
    const parts: Row = {
      start: [{ text: "✓ bash" }],
      middle: [{ text: " npm test -- crash" }],
      end: [{ text: "8.4s", style: "dim" }],
    };
    expect(rowText(parts, 40)).toBe(`✓ bash npm test -- crash${" ".repeat(12)}8.4s`);
    expect(rowText(parts, 20)).toBe("✓ bash npm tes… 8.4s");
    expect(rowText(parts, 10)).toBe("✓ bash np…");
    expect(rowText(parts, Number.POSITIVE_INFINITY)).toBe("✓ bash npm test -- crash 8.4s");
  });

  test("is one line of clean text", () => {
    expect(rowText({ middle: [{ text: "a\nb\x1b]0;x\x07c\u2028d\u202ee" }] }, 80)).toBe(
      "a b c d e",
    );
  });

  test("is never wider than asked for, at any width from 1 to 200", () => {
    const spans = fc.array(
      fc.record(
        { text: anyText, max: fc.integer({ min: 0, max: 50 }), style: fc.constant("dim" as const) },
        { requiredKeys: ["text"] },
      ),
      { maxLength: 4 },
    );
    const anyRow = fc.record({
      cursor: fc.constantFrom("› ", "  ", "", "日本"),
      levels: fc.array(fc.constantFrom("│  ", "├─ ", "   ", "日本"), { maxLength: 60 }),
      start: spans,
      middle: spans,
      end: spans,
    });
    fc.assert(
      fc.property(anyRow, (content) => {
        for (let width = 1; width <= 200; width++) {
          expect(spansWidth(layoutRow(content, width))).toBeLessThanOrEqual(width);
          expect(visibleWidth(rowText(content, width))).toBeLessThanOrEqual(width);
        }
      }),
      { numRuns: 20 },
    );
  });
});
