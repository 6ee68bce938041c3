import { graphemes } from "coppice/tui";

/** One line of text being edited. */
export interface LineEdit {
  readonly clusters: readonly string[];
  /** Clusters before the cursor. */
  readonly at: number;
}

/** A line with its cursor at the end. */
export function lineOf(text: string): LineEdit {
  const clusters = split(text);
  return { clusters, at: clusters.length };
}

export function lineText(line: LineEdit): string {
  return line.clusters.join("");
}

/** The line with text put in at the cursor; line breaks become blanks. */
export function insertText(line: LineEdit, text: string): LineEdit {
  const added = split(text.replace(/\s*[\r\n\u2028\u2029]\s*/g, " "));
  return splice(line, line.at, line.at, added);
}

/** The line after an editing key, or `undefined` for any other key. */
export function editKey(line: LineEdit, key: string): LineEdit | undefined {
  const edit = Object.hasOwn(EDITS, key) ? EDITS[key] : undefined;
  return edit?.(line);
}

const toStart = (line: LineEdit) => moved(line, 0);
const toEnd = (line: LineEdit) => moved(line, line.clusters.length);
const deleteWord = (line: LineEdit) => splice(line, wordStart(line), line.at);
const deleteBack = (line: LineEdit) => splice(line, Math.max(0, line.at - 1), line.at);
const wordLeft = (line: LineEdit) => moved(line, wordStart(line));
const wordRight = (line: LineEdit) => moved(line, wordEnd(line));

const EDITS: Readonly<Record<string, (line: LineEdit) => LineEdit>> = {
  left: (line) => moved(line, line.at - 1),
  right: (line) => moved(line, line.at + 1),
  home: toStart,
  "ctrl+a": toStart,
  end: toEnd,
  "ctrl+e": toEnd,
  "alt+b": wordLeft,
  "alt+left": wordLeft,
  "ctrl+left": wordLeft,
  "alt+f": wordRight,
  "alt+right": wordRight,
  "ctrl+right": wordRight,
  backspace: deleteBack,
  "ctrl+backspace": deleteBack,
  delete: (line) => splice(line, line.at, line.at + 1),
  "ctrl+w": deleteWord,
  "alt+backspace": deleteWord,
  "ctrl+u": (line) => splice(line, 0, line.at),
  "ctrl+k": (line) => splice(line, line.at, line.clusters.length),
};

function split(text: string): string[] {
  return Array.from(graphemes(text));
}

function moved(line: LineEdit, at: number): LineEdit {
  return { ...line, at: Math.min(Math.max(at, 0), line.clusters.length) };
}

/** Replaces a range; the text is split anew, as clusters may join. */
function splice(
  line: LineEdit,
  start: number,
  end: number,
  added: readonly string[] = [],
): LineEdit {
  const before = split([...line.clusters.slice(0, start), ...added].join(""));
  const after = line.clusters.slice(end);
  return { clusters: split([...before, ...after].join("")), at: before.length };
}

function isBlank(cluster: string | undefined): boolean {
  return cluster === undefined || /^\s*$/.test(cluster);
}

function wordStart(line: LineEdit): number {
  let at = line.at;
  while (at > 0 && isBlank(line.clusters[at - 1])) at--;
  while (at > 0 && !isBlank(line.clusters[at - 1])) at--;
  return at;
}

function wordEnd(line: LineEdit): number {
  const { clusters } = line;
  let at = line.at;
  while (at < clusters.length && isBlank(clusters[at])) at++;
  while (at < clusters.length && !isBlank(clusters[at])) at++;
  return at;
}
