import { splitAtSgr } from "./clean.ts";

/** 0–255 is an entry of the palette; `RGB + 0xrrggbb` is a colour of its own. */
export type Colour = number;
export const RGB = 0x1000000;

/** How a run of cells looks; an absent field is the terminal's default. */
export interface TextAttributes {
  readonly foreground?: Colour;
  readonly background?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly blink?: boolean;
  readonly inverse?: boolean;
  readonly strike?: boolean;
}

export interface StyledText {
  readonly text: string;
  readonly attributes: TextAttributes;
}

type Flag = "bold" | "dim" | "italic" | "underline" | "blink" | "inverse" | "strike";
type Mutable = { -readonly [Name in keyof TextAttributes]: TextAttributes[Name] };

// 8 (hidden) and 28 are left out on purpose: hidden text shows as plain.
const SWITCHED_ON: Readonly<Record<number, Flag>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  5: "blink",
  6: "blink",
  7: "inverse",
  9: "strike",
};
const SWITCHED_OFF: Readonly<Record<number, readonly (keyof TextAttributes)[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  25: ["blink"],
  27: ["inverse"],
  29: ["strike"],
  39: ["foreground"],
  49: ["background"],
};
const COLOUR_RANGES: readonly {
  first: number;
  field: "foreground" | "background";
  colour: number;
}[] = [
  { first: 30, field: "foreground", colour: 0 },
  { first: 40, field: "background", colour: 0 },
  { first: 90, field: "foreground", colour: 8 },
  { first: 100, field: "background", colour: 8 },
];
/** Parameters that a colour follows; the colour of underlines is read and not used. */
const COLOUR_FOLLOWS: Readonly<Record<number, "foreground" | "background" | undefined>> = {
  38: "foreground",
  48: "background",
  58: undefined,
};

/**
 * Output of a tool as runs of clean text (several lines) with the looks its SGR sequences asked for;
 * no sequence itself passes (tui spec §1.6.3).
 */
export function parseSgr(text: string): readonly StyledText[] {
  const runs: StyledText[] = [];
  let attributes: TextAttributes = {};
  for (const token of splitAtSgr(text)) {
    if ("sgr" in token) attributes = applySgr(attributes, token.sgr);
    else if (token.text !== "") runs.push({ text: token.text, attributes });
  }
  return runs;
}

function applySgr(before: TextAttributes, parameters: string): TextAttributes {
  const list = parameters.split(";");
  let now: Mutable = { ...before };
  for (let at = 0; at < list.length; at++) {
    const [code = 0, ...sub] = (list[at] ?? "").split(":").map(Number);
    if (code in COLOUR_FOLLOWS) {
      const read = readColour(sub, list, at);
      setColour(now, COLOUR_FOLLOWS[code], read.colour);
      at += read.used;
    } else if (code === 0) now = {};
    else applyCode(now, code, sub[0]);
  }
  return now;
}

function applyCode(now: Mutable, code: number, sub: number | undefined): void {
  const on = SWITCHED_ON[code];
  if (on !== undefined) now[on] = true;
  const underlineOff = code === 4 && sub === 0;
  for (const off of SWITCHED_OFF[underlineOff ? 24 : code] ?? []) delete now[off];
  const range = COLOUR_RANGES.find(({ first }) => code >= first && code < first + 8);
  if (range !== undefined) now[range.field] = code - range.first + range.colour;
}

interface ReadColour {
  readonly colour: Colour | undefined;
  readonly used: number;
}

function readColour(sub: readonly number[], list: readonly string[], at: number): ReadColour {
  return sub.length > 0 ? colonColour(sub) : listColour(list.slice(at + 1, at + 5).map(Number));
}

/** Colour after `38;` as in `5;n` or `2;r;g;b`. */
function listColour(rest: readonly number[]): ReadColour {
  if (rest[0] === 5) return { colour: paletteColour(rest[1]), used: 2 };
  if (rest[0] === 2) return { colour: rgbColour(rest.slice(1, 4)), used: 4 };
  return { colour: undefined, used: 0 };
}

/** Colour after `38:` as in `5:n`, `2:r:g:b` or `2:space:r:g:b`. */
function colonColour(sub: readonly number[]): ReadColour {
  if (sub[0] === 5) return { colour: paletteColour(sub[1]), used: 0 };
  if (sub[0] === 2)
    return { colour: rgbColour(sub.length > 4 ? sub.slice(2, 5) : sub.slice(1, 4)), used: 0 };
  return { colour: undefined, used: 0 };
}

function paletteColour(index: number | undefined): Colour | undefined {
  return isByte(index) ? index : undefined;
}

function rgbColour([red, green, blue]: readonly number[]): Colour | undefined {
  return isByte(red) && isByte(green) && isByte(blue)
    ? RGB + red * 0x10000 + green * 0x100 + blue
    : undefined;
}

function isByte(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= 255;
}

function setColour(
  now: Mutable,
  field: "foreground" | "background" | undefined,
  colour: Colour | undefined,
): void {
  if (field !== undefined && colour !== undefined) now[field] = colour;
}
