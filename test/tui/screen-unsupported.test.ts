import { Writable } from "node:stream";
import blessed from "blessed";
import { describe, expect, test } from "vitest";
import { openScreen, type ScreenOptions } from "../../tui/screen.ts";

const HANDLED = ["uncaughtException", "SIGTERM", "SIGINT", "SIGQUIT", "exit"];

/** The real package with one part of it changed, as a fork might have it. */
type Blessed = typeof blessed & { readonly Screen: object };
const forks: Record<string, () => object> = {
  "Tput.ipaths": () => ({ ...blessed, Tput: {} }),
  screen: () => ({ ...blessed, screen: undefined }),
  "screen.draw": () => withScreen((screen) => Object.assign(screen, { draw: undefined })),
  "screen.lines": () => withScreen((screen) => Object.assign(screen, { lines: [] })),
  "Screen._sigintHandler": () => ({
    ...blessed,
    // Read when the process is taken back, after the screen exists.
    get Screen() {
      return { ...(blessed as Blessed).Screen, _sigintHandler: undefined };
    },
  }),
};

function withScreen(change: (screen: object) => object): object {
  return { ...blessed, screen: (options: never) => change(blessed.screen(options)) };
}

describe("a screen package that is not the pinned one", () => {
  test.each(Object.entries(forks))(
    "without %s is refused, the terminal untouched",
    async (missing, fork) => {
      const before = HANDLED.map((event) => process.listeners(event as "exit"));
      const written: string[] = [];
      const stdout = Object.assign(
        new Writable({
          write(chunk, _encoding, done) {
            written.push(String(chunk));
            done();
          },
        }),
        { isTTY: true, columns: 80, rows: 24, fd: 1 },
      );
      const options = {
        stdin: process.stdin,
        stdout,
        env: {},
        onInput: () => undefined,
        onResize: () => undefined,
        onEnd: () => undefined,
        load: async () => ({ default: fork() }),
      } as unknown as ScreenOptions;
      await expect(openScreen(options)).rejects.toMatchObject({
        code: "SCREEN_UNSUPPORTED",
        details: { package: "blessed", missing },
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(written).toEqual([]);
      if (missing !== "Screen._sigintHandler") {
        expect(HANDLED.map((event) => process.listeners(event as "exit"))).toEqual(before);
      }
    },
  );
});
