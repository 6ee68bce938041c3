import { PassThrough } from "node:stream";
import type { Blessed, BlessedBox, BlessedProgram, BlessedScreen } from "./blessed-types.ts";
import { colourDepth, defaultGlyphs, type Environment } from "./capabilities.ts";
import { Canvas, type CursorPosition } from "./cells.ts";
import { tuiError } from "./errors.ts";
import type { Glyphs } from "./glyphs.ts";
import { InputDecoder, type StartTimer } from "./input.ts";
import type { InputEvent } from "./input-events.ts";
import { Painter } from "./paint.ts";
import { type ColourDepth, StyleTable, sgrParameters, themeFor } from "./styles.ts";
import { type Ending, Terminal, type TerminalOutput } from "./terminal.ts";
import { entrySequences } from "./terminal-bytes.ts";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Paints one frame; gives the cell of the hardware cursor, which is hidden otherwise. */
export type Draw = (canvas: Canvas) => CursorPosition | undefined;

export interface ScreenOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: TerminalOutput;
  readonly env: Environment;
  readonly onInput: (event: InputEvent) => void;
  /** The terminal has another size now and shows nothing: the next `frame` paints all. */
  readonly onResize: (size: ScreenSize) => void;
  /** The program is about to end; see `TerminalOptions.onEnd`. */
  readonly onEnd: (ending: Ending) => string | undefined | Promise<string | undefined>;
  readonly depth?: ColourDepth;
  readonly glyphs?: Glyphs;
  /** Reports the wheel and clicks; off, the terminal selects text as everywhere. */
  readonly mouse?: boolean;
  /** Reports whether the terminal is focused. */
  readonly attention?: boolean;
  /** Loads the screen package. */
  readonly load?: () => Promise<{ readonly default: unknown }>;
}

export interface Screen {
  size(): ScreenSize;
  /** Paints a frame from blank cells and writes what changed, in one write. Does nothing while not shown. */
  frame(draw: Draw): void;
  /** Paints the last frame again, every cell of it, on a cleared screen. */
  redraw(): void;
  /** Writes a control sequence of our own, such as a bell or a query; never content. */
  send(sequence: string): void;
  /** Stops the program as Ctrl+Z does in a shell. */
  suspend(): void;
  /** Gives the normal screen back at once; the program is about to end. Idempotent. */
  restore(): void;
  /** Restores, and gives back signals and input, so that the program can go on without the screen. */
  close(): void;
}

const PACKAGE = "blessed";
const RESIZE_PAUSE = 30;

/**
 * Takes the terminal for a full screen (tui spec §7). Whether there is one to take is decided before,
 * by `screenMode`. Raises SCREEN_UNSUPPORTED, with the terminal untouched.
 */
export async function openScreen(options: ScreenOptions): Promise<Screen> {
  const loaded = await (options.load ?? (() => import("blessed")))();
  const parts = startBlessed(loaded.default as Blessed, options.stdout);
  const opened = new OpenScreen(parts, options);
  opened.start();
  return opened;
}

interface Parts {
  readonly program: BlessedProgram;
  readonly screen: BlessedScreen;
  readonly box: BlessedBox;
}

/** Creates blessed's screen and takes the process back from it; nothing has been written when it returns. */
function startBlessed(blessed: Blessed, output: TerminalOutput): Parts {
  requirePart(Array.isArray(blessed?.Tput?.ipaths), "Tput.ipaths");
  for (const name of ["program", "screen", "box"] as const) {
    requirePart(typeof blessed[name] === "function", name);
  }
  // The terminfo of the host is neither needed nor readable to blessed.
  blessed.Tput.ipaths.length = 0;
  const silent = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const program = blessed.program({
    input: silent,
    output,
    terminal: "xterm-256color",
    forceUnicode: true,
    buffer: true,
    zero: true,
    tput: true,
  });
  const screen = blessed.screen({
    program,
    fullUnicode: false,
    smartCSR: false,
    resizeTimeout: RESIZE_PAUSE,
  });
  const missing = [...takeProcessBack(blessed), ...missingParts(screen)];
  if (missing[0] !== undefined) {
    forgetOutput(program);
    throw tuiError("SCREEN_UNSUPPORTED", { package: PACKAGE, missing: missing[0] });
  }
  screen.tput.brokenACS = true;
  program.clear = () => undefined;
  program.removeAllListeners("resize");
  const box = blessed.box({ parent: screen, top: 0, left: 0, width: "100%", height: "100%" });
  return { program, screen, box };
}

/** Removes exactly blessed's own listeners (§1.8.1); gives the names of those that are not there. */
function takeProcessBack({ Screen, Program }: Blessed): readonly string[] {
  const handlers = [
    ["uncaughtException", "Screen._exceptionHandler", Screen?._exceptionHandler],
    ["SIGTERM", "Screen._sigtermHandler", Screen?._sigtermHandler],
    ["SIGINT", "Screen._sigintHandler", Screen?._sigintHandler],
    ["SIGQUIT", "Screen._sigquitHandler", Screen?._sigquitHandler],
    ["exit", "Screen._exitHandler", Screen?._exitHandler],
    ["exit", "Program._exitHandler", Program?._exitHandler],
  ] as const;
  for (const [event, , handler] of handlers) {
    if (handler !== undefined) process.removeListener(event, handler);
  }
  return handlers.filter(([, , handler]) => handler === undefined).map(([, name]) => name);
}

function missingParts(screen: BlessedScreen): readonly string[] {
  const found = {
    "screen.draw": typeof screen.draw === "function",
    "screen.lines": Array.isArray(screen.lines?.[0]?.[0]),
  };
  return Object.entries(found).flatMap(([name, isThere]) => (isThere ? [] : [name]));
}

function requirePart(isThere: boolean, missing: string): void {
  if (!isThere) throw tuiError("SCREEN_UNSUPPORTED", { package: PACKAGE, missing });
}

function forgetOutput(program: BlessedProgram): void {
  program.isAlt = false;
  program._buf = "";
}

class OpenScreen implements Screen {
  readonly #parts: Parts;
  readonly #options: ScreenOptions;
  readonly #terminal: Terminal;
  readonly #painter: Painter;
  readonly #input: InputDecoder;
  readonly #look: ConstructorParameters<typeof Canvas>[1];
  readonly #onData = (bytes: Buffer): void =>
    this.#input.feed(this.#isEarly ? asRaw(bytes) : bytes);
  #isEarly = true;
  #draw: Draw = () => undefined;
  #cursor: CursorPosition | undefined;

  constructor(parts: Parts, options: ScreenOptions) {
    this.#parts = parts;
    this.#options = options;
    const depth = options.depth ?? colourDepth(options.env);
    const styles = new StyleTable();
    const glyphs = options.glyphs ?? defaultGlyphs(options.env);
    this.#look = { styles, theme: themeFor(depth), glyphs };
    this.#painter = new Painter((attribute) =>
      sgrParameters(styles.attributesOf(attribute), depth),
    );
    this.#input = new InputDecoder({ emit: options.onInput, startTimer: startReadTimer });
    this.#terminal = new Terminal({
      stdin: options.stdin,
      stdout: options.stdout,
      entry: entrySequences(options),
      onRestore: () => forgetOutput(parts.program),
      onResume: () => this.#resumed(),
      onEnd: options.onEnd,
    });
  }

  start(): void {
    const { program, screen, box } = this.#parts;
    this.#terminal.install();
    screen.draw = () => this.#paint();
    box.parseContent = () => false;
    box.render = () => {
      box.lpos = box._getCoords();
      this.#drawCanvas();
    };
    program.on("resize", () => this.#resized());
    // The alternate screen first: keyboard modes belong to the screen they were set on (§1.3.10).
    program.flush();
    this.#terminal.enter();
    this.#options.stdin.on("data", this.#onData);
    // What waits to be read is read in the next turn of the loop; all later bytes came in raw mode.
    setImmediate(() =>
      setImmediate(() => {
        this.#isEarly = false;
      }),
    );
  }

  size(): ScreenSize {
    return { columns: this.#parts.screen.cols, rows: this.#parts.screen.rows };
  }

  frame(draw: Draw): void {
    this.#draw = draw;
    if (this.#terminal.isOurs) this.#parts.screen.render();
  }

  redraw(): void {
    this.#painter.invalidate(true);
    this.frame(this.#draw);
  }

  send(sequence: string): void {
    if (this.#terminal.isOurs) this.#options.stdout.write(sequence);
  }

  suspend(): void {
    this.#terminal.suspend();
  }

  restore(): void {
    this.#terminal.restore();
  }

  close(): void {
    this.#options.stdin.off("data", this.#onData);
    this.#input.reset();
    this.#terminal.close();
    this.#parts.screen.destroy();
  }

  #drawCanvas(): void {
    const canvas = new Canvas(this.#parts.screen.lines, this.#look);
    canvas.fill();
    this.#cursor = this.#draw(canvas);
  }

  #paint(): void {
    const { lines, olines } = this.#parts.screen;
    const bytes = this.#painter.frame(lines, olines, this.#cursor);
    if (bytes !== "") this.#options.stdout.write(bytes);
  }

  #resized(): void {
    this.#parts.screen.alloc(true);
    this.#painter.invalidate();
    this.#options.onResize(this.size());
  }

  #resumed(): void {
    this.#input.reset();
    this.#parts.program.isAlt = true;
    this.#parts.screen.alloc(true);
    this.#painter.invalidate();
    this.frame(this.#draw);
  }
}

/** What was typed before raw mode: there the terminal has made Enter a line feed. */
function asRaw(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === LF ? CR : byte)));
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * A timer that lets the reads of the same turn go first: where the program was busy, the rest of a
 * sequence may be waiting although its time is up.
 */
const startReadTimer: StartTimer = (milliseconds, run) => {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(run);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
};
