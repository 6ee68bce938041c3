import { RGB, type Span, type StyleName, type TextAttributes } from "../host/index.ts";

/** Bits of colour: none, 16 colours, 256 colours, truecolour (tui spec §1.9.2). */
export type ColourDepth = 0 | 4 | 8 | 24;
export type Theme = Readonly<Record<StyleName, TextAttributes>>;
export type Style = Span["style"] | TextAttributes;

const COLOUR: Theme = {
  text: {},
  dim: { dim: true },
  bold: { bold: true },
  selection: { inverse: true },
  user: { foreground: 4, bold: true },
  assistant: { foreground: 2 },
  summary: { foreground: 5 },
  tool: { dim: true },
  error: { foreground: 1 },
  warning: { foreground: 3 },
  label: { foreground: 3, bold: true },
  active: { foreground: 6, bold: true },
  match: { foreground: 0, background: 3 },
};

const WITHOUT_COLOUR: Theme = {
  text: {},
  dim: { dim: true },
  bold: { bold: true },
  selection: { inverse: true },
  user: { bold: true },
  assistant: {},
  summary: {},
  tool: { dim: true },
  error: {},
  warning: { bold: true },
  label: { bold: true },
  active: { bold: true },
  match: { bold: true, underline: true },
};

/** The default theme (tui spec §4.1): the sixteen colours of the user's terminal, or none. */
export function themeFor(depth: ColourDepth): Theme {
  return depth === 0 ? WITHOUT_COLOUR : COLOUR;
}

/** The looks of one or more styles together, later ones on top; an unknown name is `text`. */
export function attributesOf(theme: Theme, style: Style): TextAttributes {
  if (style === undefined) return theme.text;
  if (typeof style === "string") return theme[style] ?? theme.text;
  if (!isNames(style)) return style;
  return Object.assign({}, ...style.map((name) => theme[name] ?? theme.text));
}

function isNames(style: readonly StyleName[] | TextAttributes): style is readonly StyleName[] {
  return Array.isArray(style);
}

/** Attribute of a cell without any style: blessed's own default. */
export const DEFAULT_ATTRIBUTE = (0x1ff << 9) | 0x1ff;
/** Below this a cell's attribute is blessed's own, from here on it is one of ours. */
const FIRST_OWN = 2 ** 27;

/** Gives attributes the numbers that cells hold (tui spec §1.5.2). */
export class StyleTable {
  readonly #numbers = new Map<string, number>();
  readonly #attributes: TextAttributes[] = [];

  numberOf(attributes: TextAttributes): number {
    const key = keyOf(attributes);
    if (key === "") return DEFAULT_ATTRIBUTE;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = FIRST_OWN + this.#attributes.push(attributes) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  attributesOf(number: number): TextAttributes {
    return number < FIRST_OWN
      ? blessedAttributes(number)
      : (this.#attributes[number - FIRST_OWN] ?? {});
  }
}

const FLAGS = [
  ["bold", 1],
  ["dim", 2],
  ["italic", 3],
  ["underline", 4],
  ["blink", 5],
  ["inverse", 7],
  ["strike", 9],
] as const;

function keyOf(attributes: TextAttributes): string {
  const flags = FLAGS.filter(([name]) => attributes[name]).map(([, code]) => code);
  const { foreground, background } = attributes;
  if (flags.length === 0 && foreground === undefined && background === undefined) return "";
  return `${flags.join("")},${foreground ?? ""},${background ?? ""}`;
}

/** blessed packs flags, foreground and background into 5, 9 and 9 bits; 0x1ff is the default colour. */
function blessedAttributes(number: number): TextAttributes {
  const flags = number >> 18;
  const foreground = (number >> 9) & 0x1ff;
  const background = number & 0x1ff;
  return {
    ...((flags & 1) !== 0 && { bold: true }),
    ...((flags & 2) !== 0 && { underline: true }),
    ...((flags & 4) !== 0 && { blink: true }),
    ...((flags & 8) !== 0 && { inverse: true }),
    ...(foreground !== 0x1ff && { foreground }),
    ...(background !== 0x1ff && { background }),
  };
}

/** Parameters of the SGR sequence that sets exactly these attributes, in at most so many colours. */
export function sgrParameters(attributes: TextAttributes, depth: ColourDepth): string {
  const codes: (number | string)[] = [0];
  for (const [name, code] of FLAGS) if (attributes[name]) codes.push(code);
  const { foreground, background } = attributes;
  if (depth > 0 && foreground !== undefined) codes.push(colourCode(foreground, depth, 30));
  if (depth > 0 && background !== undefined) codes.push(colourCode(background, depth, 40));
  return codes.join(";");
}

function colourCode(colour: number, depth: ColourDepth, base: 30 | 40): string {
  if (colour >= RGB && depth === 24) return `${base + 8};2;${channels(colour).join(";")}`;
  const wide = colour >= RGB ? nearestOf256(channels(colour)) : colour;
  if (wide >= 16 && depth >= 8) return `${base + 8};5;${wide}`;
  const basic = wide >= 16 ? nearestOf16(channelsOf256(wide)) : wide;
  return String(basic < 8 ? base + basic : base + 52 + basic);
}

type Channels = readonly [red: number, green: number, blue: number];

const CUBE = [0, 95, 135, 175, 215, 255];

function channels(colour: number): Channels {
  return [(colour >> 16) & 0xff, (colour >> 8) & 0xff, colour & 0xff];
}

function nearestOf256([red, green, blue]: Channels): number {
  const grey = Math.round((red + green + blue) / 3);
  const isGrey = Math.max(red, green, blue) - Math.min(red, green, blue) < 8;
  if (isGrey && grey > 3 && grey < 247) return 232 + Math.min(23, Math.round((grey - 8) / 10));
  return 16 + 36 * nearestStep(red) + 6 * nearestStep(green) + nearestStep(blue);
}

function nearestStep(value: number): number {
  const distances = CUBE.map((step) => Math.abs(step - value));
  return distances.indexOf(Math.min(...distances));
}

function channelsOf256(index: number): Channels {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const at = index - 16;
  return [CUBE[Math.floor(at / 36)] ?? 0, CUBE[Math.floor(at / 6) % 6] ?? 0, CUBE[at % 6] ?? 0];
}

/** Red, green and blue are bits 0, 1 and 2 of the sixteen colours, bit 3 makes them bright. */
function nearestOf16(colour: Channels): number {
  const strongest = Math.max(...colour);
  const hue = colour.reduce((sum, value, bit) => sum + (value * 2 > strongest ? 1 << bit : 0), 0);
  if (strongest < 64) return 0;
  if (hue === 7) return strongest < 128 ? 8 : strongest < 224 ? 7 : 15;
  return strongest > 191 ? hue + 8 : hue;
}
