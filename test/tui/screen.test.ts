import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { compile } from "../compile.ts";
import { openPty, type Pty, type PtyOptions } from "../pty.ts";
import type { ScreenView } from "../screen-view.ts";

const fixture = await compile(fileURLToPath(new URL("fixtures/screen.ts", import.meta.url)));

/** Text that drifts, moves the cursor, sets titles or writes the clipboard where it is let through. */
const NASTY = [
  "plain",
  "日本語のテスト",
  "😀 ❤️ ⌚ ☔ ✅",
  "👩‍👩‍👧 family 👨‍👩‍👧‍👦",
  "🇫🇷🇩🇪🇯",
  "1️⃣ keycap #️⃣",
  "e\u0301 a\u0308 \u0301lone",
  `z${"\u0301".repeat(40)}algo`,
  "zero\u200bwidth\u2060space",
  "bidi \u202egnp.exe\u202c",
  "עברית ערבי عربي",
  "हिन्दी क्षि",
  "한국어 \u1112\u1161\u11ab",
  "ㅤfillerㅤ",
  "\u{1f3fd} tone 👍🏽",
  "tab\there",
  "\x1b]0;PWNED\x07title",
  "\x9d0;PWNED\x9c8-bit title",
  "\x1b]52;c;UFdORUQ=\x07clipboard",
  "\x9d52;c;UFdORUQ=\x9c8-bit clipboard",
  "\x1b[2J\x1b[1;1Hclear",
  "\x9b2J8-bit clear",
  "\x1bP1$r\x1b\\dcs \x1b_apc\x1b\\ \x1b^pm",
  "\x1b[8mhidden\x1b[7m",
  "line one\nline two\u2028three",
  "half \ud83d pair",
  "䷀ hexagram",
  "long 👩‍👩‍👧 ".repeat(12),
];

function openFixture(options: PtyOptions & { lines?: readonly string[] } = {}): Pty {
  const env = { FIXTURE_LINES: JSON.stringify(options.lines ?? []), ...options.env };
  return openPty({ ...options, env, args: [fixture] });
}

/** Column of the mark at the end of each list row. */
function marks(screen: ScreenView, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const row = index + 3;
    const runs = Array.from({ length: screen.columns }, (_, column) => screen.cell(column, row));
    return runs.findLastIndex((cell) => cell.text !== "" && cell.text !== " ");
  });
}

test("a frame shows text, styles and the cursor", async () => {
  const pty = openFixture({ lines: ["one", "two"] });
  const screen = await pty.waitForText("ready");
  expect(screen.isAlternate).toBe(true);
  expect(screen.row(0)).toMatch(/^size 80x24 pid \d+ events 0$/);
  expect(screen.row(3)).toBe(`  one${" ".repeat(72)}|`);
  expect(screen.runs(0)[0]?.style).toBe("bold");
  expect(screen.runs(23).map((run) => run.style)).toEqual(["bold inverse fg6", "inverse"]);
  expect(screen.cursor).toEqual({ column: 6, row: 0, isVisible: true });
  expect(screen.modes.bracketedPasteMode).toBe(true);
});

test("without colour, bold and inverse stay", async () => {
  const pty = openFixture({ env: { NO_COLOR: "1" } });
  const screen = await pty.waitForText("ready");
  expect(screen.runs(23).map((run) => run.style)).toEqual(["bold inverse", "inverse"]);
});

test("where the locale is not UTF-8, glyphs are ASCII", async () => {
  const pty = openFixture({ lines: ["├─● ⚑ label"], env: { LANG: "C" } });
  const screen = await pty.waitForText("ready");
  expect(screen.row(3)).toMatch(/^ {2}\+-\* # label/);
});

test("redrawing paints all of it on a cleared screen", async () => {
  const pty = openFixture({ lines: ["one"] });
  await pty.waitForText("ready");
  const before = pty.output().length;
  pty.write("d");
  await pty.waitForText("events 1");
  expect(pty.output().slice(before)).toMatch(/\x1b\[2J[\s\S]*one[\s\S]*ready/);
});

test("keys reach the program as they are typed, one frame for all keys of a read", async () => {
  const pty = openFixture();
  await pty.waitForText("ready");
  pty.write(`${"\x1b[A".repeat(200)}f`);
  const screen = await pty.waitForText("events 201");
  expect(Number(/frames (\d+)/.exec(screen.row(1))?.[1])).toBeLessThanOrEqual(3);
  pty.write("\x1b[200~pasted\x1b[201~\x1b");
  await pty.waitForText("paste escape");
});

test("while nothing happens no timer runs", async () => {
  const pty = openFixture();
  await pty.waitForText("ready");
  pty.write("i");
  await pty.waitForText("timers 0");
});

test("31 sizes in a row end in the right picture, without a single clear", async () => {
  const pty = openFixture({ lines: ["one", "日本語"] });
  await pty.waitForText("ready");
  const before = pty.output().length;
  for (let step = 1; step <= 31; step++) pty.resize(80 - step, 24 - (step % 10));
  const screen = await pty.waitForText("size 49x23");
  expect(screen.rows.filter((row) => row.includes("|"))).toEqual([
    `  one${" ".repeat(41)}|`,
    `  日本語${" ".repeat(38)}|`,
  ]);
  expect(screen.rows.filter((row) => row === "ready")).toHaveLength(1);
  expect(pty.output().slice(before)).not.toContain("\x1b[2J");
});

test("a key's frame is one synchronised piece", async () => {
  const pty = openFixture();
  await pty.waitForText("ready");
  const before = pty.output().length;
  pty.write("a");
  await pty.waitForText("events 1");
  const bytes = pty.output().slice(before);
  expect(bytes.startsWith("\x1b[?2026h\x1b[?25l")).toBe(true);
  expect(bytes.endsWith("\x1b[?25h\x1b[?2026l")).toBe(true);
  expect(bytes.length).toBeLessThan(120);
});

describe("text that no two terminals measure alike", () => {
  test.each(["6", "11"] as const)(
    "keeps every border in place with Unicode %s",
    async (unicode) => {
      const pty = openFixture({ lines: NASTY, unicode, rows: 40 });
      const screen = await pty.waitForText("ready");
      expect(marks(screen, NASTY.length)).toEqual(NASTY.map(() => 77));
      pty.write("\x1b[A");
      expect(marks(await pty.waitForText("events 1"), NASTY.length)).toEqual(NASTY.map(() => 77));
      expect(screen.titles).toEqual([]);
      expect(screen.clipboard).toEqual([]);
    },
  );

  test("writes no cell outside of its rectangle", async () => {
    const pty = openFixture({ lines: NASTY, rows: 40 });
    const screen = await pty.waitForText("ready");
    for (const row of NASTY.keys()) {
      expect(screen.cell(0, row + 3).text.trim()).toBe("");
      expect(screen.cell(1, row + 3).text.trim()).toBe("");
      expect(screen.cell(78, row + 3).text.trim()).toBe("");
      expect(screen.cell(79, row + 3).text.trim()).toBe("");
    }
  });

  const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
  if (hasTmux) {
    test("keeps every border in place inside tmux", async () => {
      const name = `coppice-test-${process.pid}`;
      onTestFinished(() => void execFileSync("tmux", ["-L", name, "kill-server"]));
      const program = `${process.execPath} ${fixture}`;
      // Of these signs tmux itself thinks otherwise than the emulator that shows it.
      const lines = NASTY.filter((line) => !/[\u200d䷀]/.test(line));
      const pty = openPty({
        command: "tmux",
        args: ["-L", name, "-f", "/dev/null", "new-session", program],
        env: { FIXTURE_LINES: JSON.stringify(lines) },
        rows: 41,
      });
      const screen = await pty.waitForText("ready");
      expect(marks(screen, lines.length)).toEqual(lines.map(() => 77));
    });
  }
});
