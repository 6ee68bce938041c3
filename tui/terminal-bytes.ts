import fs from "node:fs";
import { errorCode } from "../core/index.ts";

/** What the terminal reports and how keys are encoded; written after the alternate screen is entered. */
export function entrySequences(options: { attention?: boolean; mouse?: boolean }): string {
  const focus = options.attention === true ? "\x1b[?1004h" : "";
  const wheel = options.mouse === true ? "\x1b[?1000h\x1b[?1006h" : "";
  return `\x1b[?2004h\x1b[>1u\x1b[>4;1m${focus}${wheel}`;
}

/** The alternate screen and application keys, as blessed enters them at the start. */
export const ALTERNATE_SCREEN = "\x1b[?1049h\x1b[?1h\x1b=";

/** Takes back whatever was switched on, harmless where it was not (tui spec §1.8.2). */
export const RESTORE_SEQUENCES = [
  "\x1b[?2026l",
  "\x1b[0m",
  "\x1b[<u",
  "\x1b[>4;0m",
  "\x1b[?2004l",
  "\x1b[?1006l",
  "\x1b[?1004l",
  "\x1b[?1003l",
  "\x1b[?1002l",
  "\x1b[?1000l",
  "\x1b[?25h",
  "\x1b[r",
  "\x1b[?1l",
  "\x1b>",
  "\x1b[?7h",
  "\x1b[?1049l",
].join("");

/** Codes of a terminal or pipe that is no longer there. */
export const GONE = new Set(["EPIPE", "EIO", "EBADF", "ENOTTY", "ENXIO", "ERR_STREAM_DESTROYED"]);

const FULL = "EAGAIN";
const FULL_WAIT = 5;
const FULL_WAITS = 200;

/** Writes at once, past every buffer; a terminal that is gone or stays full for a second is let be. */
export function writeNow(fd: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  let waits = 0;
  for (let at = 0; at < bytes.length && waits < FULL_WAITS; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      const code = errorCode(error);
      if (code !== undefined && GONE.has(code)) return;
      if (code !== FULL) throw error;
      waits++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_WAIT);
    }
  }
}

/** Runs something on a terminal that may be gone. */
export function ifThere(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!GONE.has(errorCode(error) ?? "")) throw error;
  }
}
