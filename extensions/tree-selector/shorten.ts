import { cleanLine } from "coppice/tui";

/** The beginning of a text on one line. */
export interface Shortened {
  readonly text: string;
  /** Whether anything but blanks was left out. */
  readonly isCut: boolean;
}

const FIRST_LOOK = 2048;

/**
 * A text as rows show it: cleaned for one line, trimmed, at most `limit` characters (code points;
 * session tree §13.2). Reads no more of a long text than it needs. What is no text is empty.
 */
export function shorten(text: unknown, limit: number = Number.POSITIVE_INFINITY): Shortened {
  if (typeof text !== "string") return { text: "", isCut: false };
  for (let size = FIRST_LOOK; ; size *= 8) {
    const isWhole = size >= text.length;
    const line = cleanLine(isWhole ? text : text.slice(0, size)).trim();
    // The end of a look may stand in a sequence or a pair: it counts only where it is far enough.
    if (isWhole || line.length > limit * 2 + 2) return cutTo(line, limit);
  }
}

/** {@link shorten} without the mark. */
export function oneLine(text: unknown, limit?: number): string {
  return shorten(text, limit).text;
}

/** {@link shorten} with `...` behind a text that was cut. */
export function withDots(text: unknown, limit: number): string {
  const short = shorten(text, limit);
  return short.isCut ? `${short.text}...` : short.text;
}

function cutTo(line: string, limit: number): Shortened {
  if (line.length <= limit) return { text: line, isCut: false };
  let end = 0;
  let count = 0;
  for (const character of line) {
    if (count++ === limit) return { text: line.slice(0, end), isCut: true };
    end += character.length;
  }
  return { text: line, isCut: false };
}
