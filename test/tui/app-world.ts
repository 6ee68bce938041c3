import { onTestFinished } from "vitest";
import { type AppClock, runApp } from "../../tui/app.ts";
import { blankGrid, Canvas } from "../../tui/cells.ts";
import type { Screen, ScreenOptions } from "../../tui/screen.ts";
import { ScreenInterface } from "../../tui/screen-interface.ts";
import { StyleTable, themeFor } from "../../tui/styles.ts";
import { loadWorld, type World, type WorldOptions } from "../contract/world.ts";
import { keyOf } from "./chat.ts";

const PATIENCE = 10_000;

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that only the test moves, and a screen in memory: the program without a terminal. */
export class AppWorld {
  readonly clock: AppClock;
  readonly ui = new ScreenInterface();
  readonly written: string[] = [];
  readonly log: string[] = [];
  frames = 0;
  exitCode: Promise<number> = Promise.resolve(0);
  #world: World | undefined;
  #now = 0;
  #timers = new Set<Timer>();
  #options: ScreenOptions | undefined;
  #rows: readonly string[] = [];
  #waiting: { isThere: (screen: string) => boolean; resolve: () => void }[] = [];

  constructor() {
    this.clock = {
      now: () => this.#now,
      startTimer: (milliseconds, run) => {
        const timer = { at: this.#now + milliseconds, run };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
      afterEvents: (run) => void setImmediate(run),
    };
  }

  async open(options: WorldOptions & { readonly env?: Record<string, string> }): Promise<this> {
    this.#world = await loadWorld({ ...options, options: { ui: this.ui, ...options.options } });
    this.exitCode = runApp({
      session: this.#world.session,
      ui: this.ui,
      settings: this.#world.session.runtime.settings,
      stdin: {} as NodeJS.ReadStream,
      stdout: { write: (text: string) => this.written.push(text) } as never,
      env: { HOME: "/home/ann", ...options.env },
      clock: this.clock,
      openScreen: async (screenOptions) => this.#openScreen(screenOptions),
    });
    onTestFinished(async () => {
      await this.hangUp();
    });
    await this.shows("› ");
    return this;
  }

  get world(): World {
    return this.#world as World;
  }

  get screen(): string {
    return this.#rows.join("\n");
  }

  get timers(): number {
    return this.#timers.size;
  }

  press(...names: readonly string[]): this {
    for (const name of names) this.#options?.onInput(keyOf(name));
    return this;
  }

  type(text: string): this {
    for (const sign of text) this.press(sign === " " ? "space" : sign);
    return this;
  }

  /** Moves the clock; timers that are due run. */
  pass(milliseconds: number): this {
    this.#now += milliseconds;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.run();
    }
    return this;
  }

  /** Waits until the screen shows a text. */
  async shows(wanted: string | RegExp): Promise<string> {
    await this.until((screen) =>
      typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen),
    );
    return this.screen;
  }

  async hides(text: string): Promise<void> {
    await this.until((screen) => !screen.includes(text));
  }

  until(isThere: (screen: string) => boolean): Promise<void> {
    if (isThere(this.screen)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not shown:\n${this.screen}`)), PATIENCE);
      const shown = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push({ isThere, resolve: shown });
    });
  }

  /** The terminal goes away, as `Terminal` tells it. */
  hangUp(): Promise<string | undefined> {
    return Promise.resolve(this.#options?.onEnd({ reason: "inputClosed", exitCode: 0 }));
  }

  #openScreen(options: ScreenOptions): Screen {
    this.#options = options;
    const styles = new StyleTable();
    const size = { columns: 80, rows: 24 };
    return {
      size: () => size,
      frame: (draw) => {
        this.frames++;
        const grid = blankGrid(size.columns, size.rows);
        draw(new Canvas(grid, { styles, theme: themeFor(0), glyphs: "unicode" }));
        this.#rows = grid.map((row) =>
          row
            .map(([, text]) => text)
            .join("")
            .trimEnd(),
        );
        this.#painted();
      },
      redraw: () => this.log.push("redraw"),
      send: (sequence) => this.log.push(sequence),
      suspend: () => this.log.push("suspend"),
      restore: () => this.log.push("restore"),
      close: () => this.log.push("close"),
    };
  }

  #painted(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      if (one.isThere(this.screen)) one.resolve();
      else this.#waiting.push(one);
    }
  }
}

export function openApp(
  options: WorldOptions & { readonly env?: Record<string, string> } = {},
): Promise<AppWorld> {
  return new AppWorld().open(options);
}
