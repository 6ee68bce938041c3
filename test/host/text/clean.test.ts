import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cleanLine,
  cleanText,
  jsonLine,
  parseSgr,
  RGB,
  revealHidden,
} from "../../../host/text/index.ts";

/** Hostile text, and what a place of several lines and one of one line make of it. */
const corpus: readonly (readonly [text: string, lines: string, line: string])[] = [
  ["a\x1b]0;PWNED\x07b", "ab", "a b"],
  ["a\x1b]0;PWNED\x1b\\b", "ab", "a b"],
  ["a\x1b]0;PWNED", "a", "a "],
  ["a\x1b]0;PWNED\x1b", "a", "a "],
  ["a\x9d0;PWNED\x9cb", "ab", "a b"],
  ["a\x9d52;c;UFdORUQ=\x9cb", "ab", "a b"],
  ["a\x1b]52;c;UFdORUQ=\x07b", "ab", "a b"],
  ["a\x1b[2Jb", "ab", "a b"],
  ["a\x9b2Jb", "ab", "a b"],
  ["a\x1b[31", "a", "a "],
  ["a\x1b[38;2;1;2;3mb\x1b[0mc", "abc", "a b c"],
  ["a\x1bP1$r0m\x1b\\b", "ab", "a b"],
  ["a\x90secret\x9cb", "ab", "a b"],
  ["a\x1b_Gf=100;AAAA\x1b\\b", "ab", "a b"],
  ["a\x1b^pm\x1b\\b", "ab", "a b"],
  ["a\x1bXsos\x1b\\b", "ab", "a b"],
  ["a\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\b", "ab", "a    b"],
  ["a\x1bcb", "ab", "a b"],
  ["a\x1b(Bb", "ab", "a b"],
  ["a\x1b", "a", "a "],
  ["a\x07\b\x7f\x00b", "ab", "a    b"],
  ["a\u0085b", "ab", "a b"],
  ["a\tb", "a\tb", "a b"],
  ["a\r\nb\rc\nd", "a\nb\nc\nd", "a b c d"],
  ["a\u2028b\u2029c", "a\nb\nc", "a b c"],
  ["a\u202eb\u2066c\u200ed\u061ce", "abcde", "a b c d e"],
  ["a\u200bb\u2060c\u00add\ufeffe\ufff9f", "abcdef", "abcdef"],
  ["a\u{e0041}\u{e007f}b", "ab", "ab"],
  ["a\u2062\u206ab", "ab", "ab"],
  ["a\ud800b\udc00", "a\ufffdb\ufffd", "a\ufffdb\ufffd"],
  ["👩‍👩‍👧 a\u200cb ❤️", "👩‍👩‍👧 a\u200cb ❤️", "👩‍👩‍👧 a\u200cb ❤️"],
  ["{red-fg}x{/}", "{red-fg}x{/}", "{red-fg}x{/}"],
];

describe("cleaning", () => {
  test.each(corpus)("%j", (text, lines, line) => {
    expect(cleanText(text)).toBe(lines);
    expect(cleanLine(text)).toBe(line);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      "\x1b",
      "\x9b",
      "\x9d",
      "[",
      "]",
      "31m",
      "\x07",
      "\\",
      "\x9c",
      "P",
      "\r",
      "\n",
      "\u2028",
    ),
    fc.string({ unit: "binary", maxLength: 5 }),
    fc.constantFrom("\ud800", "\udc00", "\u202e", "\u200b", "\t"),
  );
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
  const forbidden =
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff\p{Cs}]/u;

  test("leaves nothing a terminal acts on, and is done after one time", () => {
    fc.assert(
      fc.property(text, (hostile) => {
        expect(cleanText(hostile)).not.toMatch(forbidden);
        expect(cleanLine(hostile)).not.toMatch(forbidden);
        expect(cleanLine(hostile)).not.toMatch(/[\n\t]/);
        expect(cleanText(cleanText(hostile))).toBe(cleanText(hostile));
        expect(cleanLine(cleanLine(hostile))).toBe(cleanLine(hostile));
      }),
      { numRuns: 1000 },
    );
  });

  test("reveals instead of removing where a person decides", () => {
    expect(revealHidden("rm\x1b[8m -rf\u202e /\x9b0m\u{e0041}\r\n\tx\ud800")).toBe(
      "rm\\x1b[8m -rf\\u202e /\\x9b0m\\u{e0041}\\x0d\n\tx\\ud800",
    );
    fc.assert(
      fc.property(text, (hostile) => {
        expect(revealHidden(hostile)).not.toMatch(forbidden);
        expect(revealHidden(hostile).length).toBeGreaterThanOrEqual(hostile.length);
      }),
    );
  });
});

describe("JSON", () => {
  test("is one line that acts on no terminal and reads as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
        const hostile = `${text}\x1b[2J\x9b\u2028\u202e\u{e0041}\ufeff`;
        const json = jsonLine({ value, hostile });
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, hostile })));
        expect(cleanText(json)).toBe(json);
        expect(json).not.toContain("\n");
      }),
    );
  });
});

describe("colours of tool output", () => {
  const looks = (text: string) => parseSgr(text).map(({ text, attributes }) => [text, attributes]);

  test("are kept as attributes, the sequences are not", () => {
    expect(looks("a\x1b[1;31mb\x1b[22mc\x1b[0md\x1b[2Je\x1b]0;x\x07f")).toEqual([
      ["a", {}],
      ["b", { bold: true, foreground: 1 }],
      ["c", { foreground: 1 }],
      ["def", {}],
    ]);
  });

  test.each([
    ["\x1b[mx", {}],
    ["\x1b[2;3;4;7;9mx", { dim: true, italic: true, underline: true, inverse: true, strike: true }],
    ["\x1b[4m\x1b[4:0mx", {}],
    ["\x1b[93;104mx", { foreground: 11, background: 12 }],
    ["\x1b[38;5;208mx", { foreground: 208 }],
    ["\x1b[38:5:208mx", { foreground: 208 }],
    ["\x1b[48;2;1;2;3mx", { background: RGB + 0x010203 }],
    ["\x1b[48:2::1:2:3mx", { background: RGB + 0x010203 }],
    ["\x1b[31m\x1b[39mx", {}],
    ["\x1b[58;5;4mx", {}],
    ["\x1b[8mx", {}],
    ["\x1b[38;5;999;1mx", { bold: true }],
    ["\x9b31mx", { foreground: 1 }],
    ["\x1b[53;60;31mx", { foreground: 1 }],
    ["\x1b[?31mx", {}],
  ])("%j", (text, attributes) => {
    expect(looks(text)).toEqual([["x", attributes]]);
  });
});
