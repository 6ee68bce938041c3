import type { Glyphs } from "./glyphs.ts";
import { InputDecoder, type StartTimer } from "./input.ts";
import type { InputEvent } from "./input-events.ts";
import type { ColourDepth } from "./styles.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const MANY_COLOURS = /256|kitty|ghostty|alacritty|wezterm|foot|direct/;
const TRUECOLOUR = /^(truecolor|24bit)$/;
const KNOWN_TERMINAL =
  /^(xterm|screen|tmux|linux|rxvt|konsole|gnome|vte|st|stterm|putty|cygwin|iterm|mlterm|contour|rio|eterm)(?![a-z])|kitty|ghostty|alacritty|wezterm|foot/i;
/** How long an unknown terminal may take to say that it understands control sequences, in milliseconds. */
const ANSWER_WAIT = 200;

/** How many colours to use (tui spec §1.9.2). `noColour` is the flag `--no-color`. */
export function colourDepth(env: Environment, noColour = false): ColourDepth {
  if (noColour || (env.NO_COLOR ?? "") !== "") return 0;
  if (TRUECOLOUR.test(env.COLORTERM ?? "")) return 24;
  return MANY_COLOURS.test(env.TERM ?? "") ? 8 : 4;
}

/** Glyphs where nothing is set: ASCII on the Linux console and where the locale is not UTF-8 (§4.2). */
export function defaultGlyphs(env: Environment): Glyphs {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return env.TERM === "linux" || !/utf-?8/i.test(locale) ? "ascii" : "unicode";
}

/** `ask`: the full screen if the terminal answers `answersQuery`, else plain mode. */
export type ScreenMode = "screen" | "plain" | "ask";

/** Whether to take the full screen (tui spec §1.9.4, §4.3). `plain` is the flag `--plain`. */
export function screenMode(facts: {
  readonly env: Environment;
  readonly isTerminal: boolean;
  readonly plain?: boolean;
}): ScreenMode {
  const { TERM = "", ACCESSIBLE } = facts.env;
  const isPlain = facts.plain === true || ACCESSIBLE === "1" || TERM === "" || TERM === "dumb";
  if (isPlain || !facts.isTerminal) return "plain";
  return KNOWN_TERMINAL.test(TERM) ? "screen" : "ask";
}

/** The parts of a terminal's streams that a query needs. */
export interface QueryStreams {
  readonly stdin: Pick<NodeJS.ReadStream, "setRawMode" | "on" | "off" | "resume" | "pause">;
  readonly stdout: Pick<NodeJS.WriteStream, "write">;
}

export interface QueryAnswer {
  readonly isAnswered: boolean;
  /** What the person typed meanwhile. */
  readonly typed: readonly InputEvent[];
}

/** Asks the terminal what it is (DA1) and waits for any answer, at most 200 ms. */
export function answersQuery(streams: QueryStreams, startTimer: StartTimer): Promise<QueryAnswer> {
  const { stdin, stdout } = streams;
  const typed: InputEvent[] = [];
  return new Promise((resolve) => {
    const end = (isAnswered: boolean): void => {
      stopTimer();
      stdin.off("data", feed);
      stdin.pause();
      stdin.setRawMode(false);
      resolve({ isAnswered, typed });
    };
    const input = new InputDecoder({
      startTimer,
      emit: (event) => {
        if (event.type !== "reply") typed.push(event);
        else if (event.kind === "attributes") end(true);
      },
    });
    const feed = (bytes: Buffer): void => input.feed(bytes);
    const stopTimer = startTimer(ANSWER_WAIT, () => end(false));
    stdin.setRawMode(true);
    stdin.on("data", feed);
    stdin.resume();
    stdout.write("\x1b[c");
  });
}
