import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionEntry } from "../../core/index.ts";
import { blankGrid, Canvas } from "../../tui/cells.ts";
import { StyleTable, themeFor } from "../../tui/styles.ts";
import { type Block, blocksOf, liveBlocks, type Note, withNotes } from "../../tui/transcript.ts";
import { linesOf } from "../../tui/transcript-lines.ts";
import {
  linesInView,
  newLines,
  paintLines,
  type Roll,
  type Scroll,
  scrollBy,
} from "../../tui/transcript-view.ts";
import { call, reply, result, user } from "../core/messages.ts";
import { pathOf, talk } from "./chat.ts";

const LOOK = { width: 60, isExpanded: false };
function shown(blocks: readonly Block[], look = LOOK): string {
  const lines = blocks.flatMap((block) => linesOf(block, look));
  const grid = blankGrid(look.width, Math.max(1, lines.length));
  const canvas = new Canvas(grid, {
    styles: new StyleTable(),
    theme: themeFor(0),
    glyphs: "unicode",
  });
  paintLines(canvas, lines);
  return grid
    .map((row) =>
      row
        .map(([, text]) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n")
    .trim();
}

describe("blocks of a path", () => {
  it("are what was said, with marks", () => {
    expect(shown(blocksOf(talk("you: Hello", "model: Hi\nthere")))).toBe(
      "› Hello\n\n   Hi\n   there",
    );
  });

  it("show thinking, and how a reply ended", () => {
    const thinking = { type: "thinking", thinking: "hm" };
    const path = pathOf(
      reply([thinking], { stopReason: "aborted" }),
      reply([], { stopReason: "error", errorMessage: "overloaded" }),
      reply("half", { stopReason: "length" }),
    );
    expect(shown(blocksOf(path))).toBe(
      "hm\n\n   (stopped)\n\n ✗ overloaded\n\n   half\n\n   (cut: the reply was too long)",
    );
  });

  it("join a tool call and its result", () => {
    const path = pathOf(
      reply([call("c1", "bash", { command: "npm test" }), call("c2", "read", { path: "a.ts" })]),
      result("c1", "one\ntwo\nthree\nfour\n"),
      { ...result("c2", "no such file\nat all\nreally"), isError: true },
    );
    expect(shown(blocksOf(path))).toBe(
      [
        "✓ bash  npm test                                 4 lines",
        "     │ one",
        "     │ two                             … 2 more lines  (^O)",
        "   ✗ read  a.ts                                     3 lines",
        "     │ no such file",
        "     │ at all",
        "     │ really",
      ].join("\n"),
    );
    expect(shown(blocksOf(path), { ...LOOK, isExpanded: true })).toContain("     │ four");
  });

  it("show a call that still runs, and a result without its call", () => {
    const path = pathOf(reply([call("c1", "bash", { command: "sleep 9" })]));
    expect(shown(blocksOf(path))).toBe("⚙ bash  sleep 9");
    expect(shown(blocksOf(pathOf(result("lost", "x"))))).toContain("✓ ");
  });

  it("show summaries, compactions, messages of extensions and bash runs", () => {
    const path = pathOf(
      { type: "branch_summary", fromId: "x", summary: "left behind" } as never,
      { type: "compaction", tokensBefore: 12_400, summary: "before" } as never,
      { type: "custom_message", customType: "todo", content: "buy tea", display: true } as never,
      { type: "custom_message", customType: "todo", content: "hidden", display: false } as never,
      { role: "bashExecution", command: "false", output: "no", exitCode: 1 } as never,
      { type: "label", targetId: "e0", label: "x" } as never,
    );
    expect(shown(blocksOf(path))).toBe(
      [
        "≡ summary of the branch that was left",
        "   left behind",
        "",
        " ≡ what came before, 12k tokens, is a summary from here on",
        "   before",
        "",
        " ≡ todo",
        "   buy tea",
        "",
        " ✗ false                                             exit 1",
        "     │ no",
      ].join("\n"),
    );
  });

  it("survive messages that are not as they should be", () => {
    const path = pathOf(
      { role: "assistant", content: null } as never,
      { role: "assistant", content: [null, { type: "text" }, { type: "toolCall" }] } as never,
      { role: "toolResult", content: null } as never,
      { role: "user" } as never,
      { type: "message" },
      { type: "branch_summary" },
      { type: "compaction" },
      { role: "weird", content: "x" } as never,
    );
    expect(() => shown(blocksOf(path))).not.toThrow();
  });

  it("keep their own colours in the output of tools, and nothing else of its escapes", () => {
    const path = pathOf(
      reply([call("c1", "bash", {})]),
      result("c1", "\x1b[31mred\x1b[0m \x1b]0;PWNED\x07plain\x1b[2J"),
    );
    const lines = blocksOf(path).flatMap((block) => linesOf(block, LOOK));
    const runs = lines.flatMap((line) => line.runs);
    expect(runs.map(({ text }) => text).join("")).not.toMatch(/\x1b|PWNED/);
    expect(runs.find(({ text }) => text === "red")?.style).toMatchObject({ foreground: 1 });
  });

  it("can be painted at any width, whatever they hold", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 80 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 50 }), (said, output, width) => {
        const path = pathOf(
          user(said),
          reply([{ type: "text", text: said }, call("c", "bash", { command: said })]),
          result("c", output),
        );
        const look = { width, isExpanded: true };
        const lines = blocksOf(path).flatMap((block) => linesOf(block, look));
        expect(lines.length).toBeGreaterThan(0);
        expect(shown(blocksOf(path), look)).not.toMatch(/[^\n\P{Cc}]/u);
      }),
      { seed: 20260102, numRuns: 100 },
    );
  });

  it("come from a reply while it is written", () => {
    const blocks = liveBlocks(reply([{ type: "text", text: "so far" }, call("c", "ls", {})]));
    expect(shown(blocks)).toBe("so far\n   ⚙ ls");
    expect(liveBlocks(user("x"))).toEqual([]);
  });
});

const ids = (entries: readonly SessionEntry[]) => entries.map(({ id }) => id);

describe("notes", () => {
  const path = talk("you: one", "model: two", "you: three");
  const note = (text: string, depth: number): Note => ({
    number: depth,
    type: "info",
    text,
    leafId: path[depth - 1]?.id ?? null,
    depth,
  });

  it("stand behind the entry that was the last when they came", () => {
    const notes = [note("later", 2), note("first", 0)];
    expect(shown(withNotes(ids(path), blocksOf(path), notes))).toBe(
      "· first\n\n › one\n\n   two\n\n · later\n\n › three",
    );
  });

  it("are gone on another path", () => {
    const notes = [note("later", 2)];
    const other = [...path.slice(0, 1), { ...path[1], id: "x" } as (typeof path)[number]];
    expect(withNotes(ids(other), blocksOf(other), notes)).toHaveLength(2);
  });
});

describe("the view", () => {
  const long = (count: number): readonly Block[] =>
    blocksOf(talk(...Array.from({ length: count }, (_, i) => `you: line ${i}`)));
  const roll = (count: number, live = 0): Roll => ({
    blocks: long(count),
    live: live === 0 ? [] : liveBlocks(reply(Array.from({ length: live }, () => "w").join("\n"))),
  });
  const words = (of: Roll, scroll: Scroll | undefined, rows = 6): string =>
    linesInView(of, scroll, rows, LOOK)
      .flatMap(({ runs }) => runs.map(({ text }) => text.trim()))
      .filter((text) => text !== "" && text !== "›")
      .join(",");

  it("shows the end", () => {
    expect(words(roll(9), undefined)).toBe("line 6,line 7,line 8");
    expect(words(roll(0), undefined)).toBe("");
  });

  it("lays out only what is in view", () => {
    const blocks = long(50_000);
    const asked = new Set<number>();
    const watched = new Proxy(blocks, {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) asked.add(Number(key));
        return Reflect.get(target, key);
      },
    });
    linesInView({ blocks: watched, live: [] }, undefined, 20, LOOK);
    expect(asked.size).toBeLessThan(15);
  });

  it("scrolls up and down by lines and follows the end again", () => {
    const all = roll(9);
    const up = scrollBy(all, undefined, -4, 6, LOOK);
    expect(words(all, up)).toBe("line 4,line 5,line 6");
    expect(words(all, scrollBy(all, up, 2, 6, LOOK))).toBe("line 5,line 6,line 7");
    expect(scrollBy(all, up, 4, 6, LOOK)).toBeUndefined();
  });

  it("stops where the first line stands at the top", () => {
    const all = roll(9);
    expect(words(all, scrollBy(all, undefined, -400, 6, LOOK))).toBe("line 0,line 1,line 2");
    expect(scrollBy(roll(2), undefined, -400, 6, LOOK)).toBeUndefined();
  });

  it("stands still while lines come, and counts them", () => {
    const up = scrollBy(roll(9), undefined, -4, 6, LOOK) as Scroll;
    expect(newLines(roll(9), up, LOOK)).toBe(0);
    expect(words(roll(11, 3), up)).toBe("line 4,line 5,line 6");
    expect(newLines(roll(11, 3), up, LOOK)).toBe(8);
  });

  it("stands still in a reply that grows", () => {
    const up = scrollBy(roll(1, 20), undefined, -5, 6, LOOK) as Scroll;
    expect(newLines(roll(1, 24), up, LOOK)).toBe(4);
  });

  it("has no gap and no overlap, however it is scrolled", () => {
    const all = roll(12, 9);
    const lines = [...all.blocks, ...all.live].flatMap((block) => linesOf(block, LOOK));
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -12, max: 12 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 12 }),
        (steps, rows) => {
          let bottom = lines.length;
          let scroll: Scroll | undefined;
          for (const step of steps) {
            scroll = scrollBy(all, scroll, step, rows, LOOK);
            bottom = Math.max(rows, Math.min(lines.length, bottom + step));
          }
          const expected = lines.slice(Math.max(0, bottom - rows), bottom);
          expect(linesInView(all, scroll, rows, LOOK)).toEqual(expected);
        },
      ),
      { seed: 20260103, numRuns: 300 },
    );
  });
});
