import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cellWidth, clusters, graphemes } from "../../../host/text/index.ts";

describe("width of a cluster", () => {
  test.each([
    ["a", 1],
    ["é", 1],
    ["e\u0301", 1],
    ["\u0301", 0],
    ["\u200d", 0],
    ["\u00ad", 0],
    ["日", 2],
    ["한", 2],
    ["\u1112\u1161\u11ab", 2],
    ["Ａ", 2],
    ["ㅤ", 2],
    ["😀", 2],
    ["⌚", 2],
    ["❤", 1],
    ["❤️", 2],
    ["1️⃣", 2],
    ["🇫🇷", 2],
    ["👩‍👩‍👧", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["👍🏽", 2],
    ["क्षि", 1],
    ["…", 1],
    ["│", 1],
    ["⋔", 1],
    ["\ufffd", 1],
  ])("%j takes %i", (text, width) => {
    expect(clusters(text).map((cluster) => cluster.width)).toEqual([width]);
  });
});

test("a cluster of more than 16 code points is cut to 16", () => {
  const [zalgo, ...rest] = clusters(`z${"\u0301".repeat(40)}`);
  expect([...(zalgo?.text ?? "")]).toHaveLength(16);
  expect(rest).toEqual([]);
});

test("ASCII on either side of a cluster is segmented with it", () => {
  expect(clusters("abe\u0301cd \u0301x").map(({ text }) => text)).toEqual([
    "a",
    "b",
    "e\u0301",
    "c",
    "d",
    " \u0301",
    "x",
  ]);
});

test("clusters are those of the segmenter, and nothing is lost", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const piece = fc.constantFrom(
    ..."ab 1é日😀",
    "\u0301",
    "\u200d",
    "\ufe0f",
    "🇫",
    "\u0600",
    "\r\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const expected = [...segmenter.segment(text)].map(({ segment }) => segment);
      expect(clusters(text).map((cluster) => cluster.text)).toEqual(expected);
    }),
  );
});

test("the width of a text is the sum of its clusters", () => {
  expect(cellWidth("check ✅ heart ❤️ key 1️⃣")).toBe(24);
});

test("a long text is segmented as a whole one is, in time that grows with its length", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const whole = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);
  const piece = fc.constantFrom(
    "🇫",
    "🇫🇷",
    "👩‍👩‍👧",
    "한",
    "क्षि",
    "\u0301",
    "\u200d",
    "\ud83d",
    "\udc69",
    "❤️",
  );
  const long = fc.array(piece, { minLength: 30, maxLength: 120 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(long, (text) => {
      expect([...graphemes(text)]).toEqual(whole(text));
    }),
  );
  const stacked = `z${"\u0301".repeat(500)}y`;
  expect([...graphemes(stacked)]).toEqual(whole(stacked));
  expect([...graphemes("한국어".repeat(40_000))]).toHaveLength(120_000);
});
