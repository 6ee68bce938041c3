import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import {
  answersQuery,
  colourDepth,
  defaultGlyphs,
  type QueryStreams,
  screenMode,
} from "../../tui/capabilities.ts";
import { attributesOf, sgrParameters, themeFor } from "../../tui/styles.ts";
import { describeEvent } from "./typing.ts";

describe("colours", () => {
  test.each([
    [{ TERM: "xterm" }, 4],
    [{ TERM: "linux" }, 4],
    [{ TERM: "xterm-256color" }, 8],
    [{ TERM: "xterm-kitty" }, 8],
    [{ TERM: "alacritty" }, 8],
    [{ TERM: "xterm", COLORTERM: "truecolor" }, 24],
    [{ TERM: "xterm", COLORTERM: "24bit" }, 24],
    [{ TERM: "xterm", COLORTERM: "yes" }, 4],
    [{ TERM: "xterm-256color", NO_COLOR: "1" }, 0],
    [{ TERM: "xterm-256color", NO_COLOR: "" }, 8],
  ])("%j gives %i bits", (env, depth) => {
    expect(colourDepth(env)).toBe(depth);
    expect(colourDepth(env, true)).toBe(0);
  });

  test.each([
    [{ foreground: 1, bold: true }, 4, "0;1;31"],
    [{ foreground: 9, background: 12 }, 4, "0;91;104"],
    [{ foreground: 208 }, 8, "0;38;5;208"],
    [{ foreground: 208 }, 4, "0;93"],
    [{ foreground: 0x1000000 + 0x1e90ff }, 24, "0;38;2;30;144;255"],
    [{ foreground: 0x1000000 + 0x1e90ff }, 8, "0;38;5;33"],
    [{ background: 0x1000000 + 0x808080 }, 8, "0;48;5;244"],
    [{ foreground: 0x1000000 + 0xff0000 }, 4, "0;91"],
    [{ foreground: 1, underline: true, inverse: true }, 0, "0;4;7"],
    [{}, 4, "0"],
  ] as const)("%j in %i bits is %s", (attributes, depth, parameters) => {
    expect(sgrParameters(attributes, depth)).toBe(parameters);
  });

  test("meaning hangs on bold, dim, underline and inverse where there is no colour", () => {
    const plain = themeFor(0);
    expect(attributesOf(plain, "match")).toEqual({ bold: true, underline: true });
    expect(attributesOf(plain, ["label", "selection"])).toEqual({ bold: true, inverse: true });
    expect(Object.values(plain).some(({ foreground }) => foreground !== undefined)).toBe(false);
  });

  test("the default theme uses the sixteen colours of the terminal only", () => {
    for (const { foreground = 0, background = 0 } of Object.values(themeFor(24))) {
      expect(Math.max(foreground, background)).toBeLessThan(16);
    }
  });
});

test.each([
  [{ TERM: "xterm", LANG: "de_DE.UTF-8" }, "unicode"],
  [{ TERM: "xterm", LANG: "C.utf8" }, "unicode"],
  [{ TERM: "xterm", LANG: "C" }, "ascii"],
  [{ TERM: "xterm", LC_ALL: "C", LANG: "de_DE.UTF-8" }, "ascii"],
  [{ TERM: "xterm" }, "ascii"],
  [{ TERM: "linux", LANG: "de_DE.UTF-8" }, "ascii"],
])("%j shows %s glyphs", (env, glyphs) => {
  expect(defaultGlyphs(env)).toBe(glyphs);
});

test.each([
  [{ env: { TERM: "xterm-256color" }, isTerminal: true }, "screen"],
  [{ env: { TERM: "tmux-256color" }, isTerminal: true }, "screen"],
  [{ env: { TERM: "xterm-ghostty" }, isTerminal: true }, "screen"],
  [{ env: { TERM: "xterm-256color" }, isTerminal: false }, "plain"],
  [{ env: { TERM: "xterm-256color" }, isTerminal: true, plain: true }, "plain"],
  [{ env: { TERM: "xterm-256color", ACCESSIBLE: "1" }, isTerminal: true }, "plain"],
  [{ env: { TERM: "dumb" }, isTerminal: true }, "plain"],
  [{ env: { TERM: "" }, isTerminal: true }, "plain"],
  [{ env: {}, isTerminal: true }, "plain"],
  [{ env: { TERM: "vt100" }, isTerminal: true }, "ask"],
  [{ env: { TERM: "strange-9" }, isTerminal: true }, "ask"],
] as const)("%j takes mode %s", (facts, mode) => {
  expect(screenMode(facts)).toBe(mode);
});

describe("a terminal nobody knows", () => {
  function streams(answer: string) {
    const stdin = Object.assign(new PassThrough(), {
      modes: [] as boolean[],
      setRawMode(mode: boolean) {
        stdin.modes.push(mode);
        return stdin;
      },
    });
    const stdout = {
      write: () => {
        if (answer !== "") stdin.write(answer);
        return true;
      },
    };
    return { stdin, streams: { stdin, stdout } as unknown as QueryStreams };
  }

  test("is asked, and what was typed meanwhile is kept", async () => {
    const { stdin, streams: ask } = streams("ab\x1b[?1;2c");
    const { isAnswered, typed } = await answersQuery(ask, () => () => undefined);
    expect(isAnswered).toBe(true);
    expect(typed.map(describeEvent)).toEqual(['a"a"', 'b"b"']);
    expect(stdin.modes).toEqual([true, false]);
    expect(stdin.listenerCount("data")).toBe(0);
  });

  test("gets plain mode if it says nothing for 200 ms", async () => {
    const { streams: ask } = streams("");
    const waits: number[] = [];
    const answer = answersQuery(ask, (milliseconds, run) => {
      waits.push(milliseconds);
      setImmediate(run);
      return () => undefined;
    });
    expect((await answer).isAnswered).toBe(false);
    expect(waits).toEqual([200]);
  });
});
