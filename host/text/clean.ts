/** What the classes of characters of a text become; `undefined` leaves the match as it is. */
interface Replacements {
  readonly sequence: string;
  readonly lineBreak: string;
  readonly control: string;
  readonly bidirectional: string;
  readonly tab: string;
}

const MULTI_LINE: Replacements = {
  sequence: "",
  lineBreak: "\n",
  control: "",
  bidirectional: "",
  tab: "\t",
};
const ONE_LINE: Replacements = {
  sequence: " ",
  lineBreak: " ",
  control: " ",
  bidirectional: " ",
  tab: " ",
};
const REPLACEMENT_CHARACTER = "\ufffd";

// Parts of expressions, in the 7- and the 8-bit form. A sequence that a foreign character breaks ends before it;
// one that the end of the text breaks goes to the end (tui spec §1.6.1).
const CSI = String.raw`(?:\x1b\[|\x9b)[\x20-\x3f]*[\x40-\x7e]?`;
const OSC = String.raw`(?:\x1b\]|\x9d)[^\x07\x18\x1a\x1b\x9c]*(?:[\x07\x18\x1a\x9c]|\x1b(?:\\|$))?`;
const OTHER_STRING = String.raw`(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x18\x1a\x1b\x9c]*(?:[\x18\x1a\x9c]|\x1b(?:\\|$))?`;
const OTHER_ESCAPE = String.raw`\x1b[\x20-\x2f]*[\x30-\x7e]?`;
const CONTROLS = String.raw`\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f`;
const BIDIRECTIONAL = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
const INVISIBLE = String.raw`\xad\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}`;

const CLASSES = new RegExp(
  [
    `(?<sequence>${CSI}|${OSC}|${OTHER_STRING}|${OTHER_ESCAPE})`,
    String.raw`(?<lineBreak>\r\n?|[\n\u2028\u2029])`,
    String.raw`(?<tab>\t)`,
    `(?<control>[${CONTROLS}])`,
    `(?<bidirectional>[${BIDIRECTIONAL}])`,
    `(?<invisible>[${INVISIBLE}])`,
    String.raw`(?<surrogate>\p{Cs})`,
  ].join("|"),
  "gu",
);
const HIDDEN = new RegExp(
  String.raw`[\r\u2028\u2029\p{Cs}${CONTROLS}${BIDIRECTIONAL}${INVISIBLE}]`,
  "gu",
);
const SGR = /(?:\x1b\[|\x9b)(?<parameters>[0-9:;]*)m/y;
const NOT_PLAIN_LINE = /[^ -~]/;
const NOT_PLAIN_TEXT = /[^ -~\n\t]/;

/**
 * Text for a place of several lines: escape sequences, controls and invisible characters are gone,
 * every kind of line break is LF, tabs stay (tui spec §1.6.1). Safe to print.
 */
export function cleanText(text: string): string {
  return NOT_PLAIN_TEXT.test(text) ? replaceClasses(text, MULTI_LINE) : text;
}

/**
 * Text for a place of one line: each sequence, control, line break and tab is one blank, the other
 * invisible characters leave nothing (tui spec §1.6.2). Safe to print, never holds a line break.
 */
export function cleanLine(text: string): string {
  return NOT_PLAIN_LINE.test(text) ? replaceClasses(text, ONE_LINE) : text;
}

/**
 * Text a person decides on: nothing is removed, each character that `cleanText` would remove or
 * turn into a line break shows as an escape such as `\x1b` or `\u202e` (tui spec §1.6.4). LF and TAB stay.
 */
export function revealHidden(text: string): string {
  return text.replace(HIDDEN, escapeOf);
}

/**
 * The JSON text of a value, on one line. Characters that `cleanText` would remove stand as escapes, so
 * it is safe to print, and reading it gives the same value.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN, (character) =>
    Array.from({ length: character.length }, (_, i) => jsonEscape(character.charCodeAt(i))).join(
      "",
    ),
  );
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** A piece of text as it stood between SGR sequences, or the parameters of such a sequence. */
export type SgrToken = { readonly text: string } | { readonly sgr: string };

/** Splits a text at its SGR sequences, cleaning the rest as `cleanText` does. */
export function splitAtSgr(text: string): readonly SgrToken[] {
  const tokens: SgrToken[] = [];
  let from = 0;
  for (const match of text.matchAll(CLASSES)) {
    if (match.groups?.sequence === undefined) continue;
    SGR.lastIndex = match.index;
    const parameters = SGR.exec(text)?.groups?.parameters;
    if (parameters === undefined) continue;
    tokens.push({ text: cleanText(text.slice(from, match.index)) }, { sgr: parameters });
    from = match.index + match[0].length;
  }
  tokens.push({ text: cleanText(text.slice(from)) });
  return tokens;
}

function replaceClasses(text: string, by: Replacements): string {
  return text.replace(CLASSES, (...parts) => {
    const groups = parts.at(-1) as Partial<Record<string, string>>;
    for (const name of Object.keys(by) as (keyof Replacements)[]) {
      if (groups[name] !== undefined) return by[name];
    }
    return groups.surrogate === undefined ? "" : REPLACEMENT_CHARACTER;
  });
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}
