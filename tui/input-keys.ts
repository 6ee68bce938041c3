import type { KeyEvent } from "./input-events.ts";

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const SUPER_OR_HYPER = 8 | 16;
const META = 32;
const RELEASE = 3;

/** Final bytes of CSI and SS3 sequences. */
const FINAL_NAMES: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};
/** First parameter of `CSI n ~`. */
const TILDE_NAMES: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};
/** SS3 finals of the keypad in application mode, and those of rxvt for Ctrl with arrows. */
const SS3_KEYPAD: Readonly<Record<string, string>> = {
  M: "enter",
  X: "=",
  j: "*",
  k: "+",
  l: ",",
  m: "-",
  n: ".",
  o: "/",
  p: "0",
  q: "1",
  r: "2",
  s: "3",
  t: "4",
  u: "5",
  v: "6",
  w: "7",
  x: "8",
  y: "9",
};
const RXVT_ARROWS: Readonly<Record<string, string>> = {
  a: "up",
  b: "down",
  c: "right",
  d: "left",
};
const LINUX_FUNCTION_KEYS: Readonly<Record<string, string>> = {
  A: "f1",
  B: "f2",
  C: "f3",
  D: "f4",
  E: "f5",
};
/** Codes of kitty's keypad, from 57399 on, in order. */
const KITTY_KEYPAD_START = 57399;
const KITTY_KEYPAD: readonly string[] = [
  ..."0123456789./*-+",
  "enter",
  "=",
  ",",
  "left",
  "right",
  "up",
  "down",
  "pageup",
  "pagedown",
  "home",
  "end",
  "insert",
  "delete",
];
const CODE_WORDS: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
};
/** Kitty names the unshifted key, and nothing tells what Shift makes of it; this one is alike on most layouts. */
const SHIFTED: Readonly<Record<string, string>> = { "-": "_" };

const PLAIN = { ctrl: false, alt: false, shift: false };

/** A key without text. */
export function namedKey(name: string, modifiers: Partial<typeof PLAIN> = {}): KeyEvent {
  return { type: "key", name, ...PLAIN, ...modifiers };
}

/** The key that types a cluster of text. */
export function textKey(cluster: string, modifiers: Partial<typeof PLAIN> = {}): KeyEvent {
  const { ctrl, alt, shift } = { ...PLAIN, ...modifiers };
  const lower = cluster.toLowerCase();
  const name = cluster === " " ? "space" : lower;
  const key = { type: "key", name, ctrl, alt, shift: shift || lower !== cluster } as const;
  return ctrl || alt ? key : { ...key, text: cluster };
}

/** The key of a C0 byte or DEL, alone or behind ESC; ESC itself is not one of them. */
export function controlKey(byte: number, alt: boolean): KeyEvent {
  if (byte === 0x00) return namedKey("space", { ctrl: true, alt });
  if (byte === 0x08) return namedKey("backspace", { ctrl: true, alt });
  if (byte === 0x09 || byte === 0x0d || byte === 0x7f) {
    return namedKey(CODE_WORDS[byte] ?? "", { alt });
  }
  const name = String.fromCharCode(byte + 0x40).toLowerCase();
  return namedKey(name, { ctrl: true, alt });
}

/** Keys of an SS3 sequence: final byte and, from some terminals, a modifier digit. */
export function ss3Keys(final: string, modifier: string): readonly KeyEvent[] {
  const modifiers = modifiersOf(Number(modifier || 1));
  if (modifiers === undefined) return [];
  const name = FINAL_NAMES[final];
  if (name !== undefined) return [namedKey(name, modifiers)];
  const arrow = RXVT_ARROWS[final];
  if (arrow !== undefined) return [namedKey(arrow, { ...modifiers, ctrl: true })];
  const keypad = SS3_KEYPAD[final];
  if (keypad === undefined) return [];
  return [wordKey(keypad, modifiers)];
}

/** Key of `CSI [ A` to `E`, the function keys of the Linux console. */
export function linuxFunctionKey(final: string): readonly KeyEvent[] {
  const name = LINUX_FUNCTION_KEYS[final];
  return name === undefined ? [] : [namedKey(name)];
}

/** Keys of a CSI sequence without private mark and intermediate bytes; none if it is no key or a release. */
export function csiKeys(parameters: string, final: string): readonly KeyEvent[] {
  const fields = parameters.split(";").map((field) => field.split(":"));
  const first = Number(fields[0]?.[0] ?? 0);
  const isModifyOtherKeys = final === "~" && first === 27;
  if (isRelease(fields[1])) return [];
  const modifiers = modifiersOf(Number(fields[1]?.[0] || 1));
  if (modifiers === undefined) return [];
  if (isModifyOtherKeys) return codeKeys({ code: Number(fields[2]?.[0]), modifiers });
  if (final !== "u") return functionKeys(parameters, first, final, modifiers);
  return codeKeys({ code: first, shifted: fields[0]?.[1], modifiers, text: fields[2] });
}

function functionKeys(
  parameters: string,
  first: number,
  final: string,
  modifiers: typeof PLAIN,
): readonly KeyEvent[] {
  const tilde = TILDE_NAMES[first];
  if (final === "Z") return named("tab", { ...modifiers, shift: true });
  if (final === "~") return named(tilde, modifiers);
  if (final === "^") return named(tilde, { ...modifiers, ctrl: true });
  if (final === "@") return named(tilde, { ...modifiers, ctrl: true, shift: true });
  if (parameters === "" && final in RXVT_ARROWS) {
    return named(RXVT_ARROWS[final], { ...modifiers, shift: true });
  }
  return named(FINAL_NAMES[final], modifiers);
}

/** A key given by code point: `CSI code:shifted ; modifiers:event ; text u` and its older form. */
interface CodeKey {
  readonly code: number;
  readonly shifted?: string | undefined;
  readonly modifiers: typeof PLAIN;
  readonly text?: readonly string[] | undefined;
}

function codeKeys({ code, shifted, modifiers, text }: CodeKey): readonly KeyEvent[] {
  const word = CODE_WORDS[code] ?? keypadName(code);
  if (word === "escape" && modifiers.alt) return [namedKey("escape"), namedKey("escape")];
  if (word !== undefined) return [wordKey(word, modifiers)];
  if (!isTyped(code)) return [];
  return [signKey(fromCodes(text ?? []) || signOf(code, shifted, modifiers.shift), modifiers)];
}

function wordKey(word: string, modifiers: typeof PLAIN): KeyEvent {
  if (word === "space") return textKey(" ", modifiers);
  return word.length > 1 ? namedKey(word, modifiers) : textKey(word, modifiers);
}

/** Shift stays with a letter only: on a sign it is part of the sign. */
function signKey(sign: string, modifiers: typeof PLAIN): KeyEvent {
  const isLetter = sign.toLowerCase() !== sign.toUpperCase();
  return textKey(sign, { ...modifiers, shift: modifiers.shift && isLetter });
}

function signOf(code: number, shifted: string | undefined, shift: boolean): string {
  const sign = String.fromCodePoint(code);
  if (!shift) return sign;
  if (shifted !== undefined && isTyped(Number(shifted)))
    return String.fromCodePoint(Number(shifted));
  const upper = sign.toUpperCase();
  return SHIFTED[sign] ?? ([...upper].length === 1 ? upper : sign);
}

function keypadName(code: number): string | undefined {
  return KITTY_KEYPAD[code - KITTY_KEYPAD_START];
}

/** False for controls, surrogates, and the private codes that kitty gives to keys without a name here. */
function isTyped(code: number): boolean {
  if (!Number.isInteger(code) || code < 0x20 || code > 0x10ffff) return false;
  if (code >= 0x7f && code <= 0x9f) return false;
  return !(code >= 0xd800 && code <= 0xdfff) && !(code >= 57344 && code <= 63743);
}

function fromCodes(codes: readonly string[]): string {
  return codes
    .map(Number)
    .filter(isTyped)
    .map((code) => String.fromCodePoint(code))
    .join("");
}

function named(name: string | undefined, modifiers: typeof PLAIN): readonly KeyEvent[] {
  return name === undefined ? [] : [namedKey(name, modifiers)];
}

function isRelease(field: readonly string[] | undefined): boolean {
  return Number(field?.[1] ?? 1) === RELEASE;
}

/** Modifiers of a parameter (1 = none); `undefined` for Super and Hyper, whose keys are the window manager's. */
function modifiersOf(parameter: number): typeof PLAIN | undefined {
  const bits = Math.max(0, Math.trunc(parameter || 1) - 1);
  if ((bits & SUPER_OR_HYPER) !== 0) return undefined;
  return {
    shift: (bits & SHIFT) !== 0,
    alt: (bits & (ALT | META)) !== 0,
    ctrl: (bits & CTRL) !== 0,
  };
}
