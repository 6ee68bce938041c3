import type { InputEvent, KeyEvent } from "./input-events.ts";
import { controlKey, linuxFunctionKey, namedKey, ss3Keys, textKey } from "./input-keys.ts";
import { csiEvents, x10Mouse } from "./input-reports.ts";

/**
 * What stands at one place of the input. Input is a string with one character per byte.
 * `pasteStart`: what follows is pasted text. `undefined`: the sequence is not finished.
 */
export type Step =
  | { readonly used: number; readonly events: readonly InputEvent[]; readonly pasteStart?: boolean }
  | undefined;

const ESC = "\x1b";
const CSI = /\x1b\[([\x30-\x3f]*)([\x20-\x2f]*)([\x40-\x7e])/y;
const CSI_BEGINNING = /\x1b\[[\x30-\x3f]*[\x20-\x2f]*/y;
const SS3 = /\x1bO([0-9]?)([\x40-\x7e])/y;
const SS3_BEGINNING = /\x1bO[0-9]?/y;
const OSC = /\x1b\]([^\x07\x1b]*)(?:(\x07|\x1b\\)|(?=\x1b[^\\]))/y;
const DCS_OR_APC = /\x1b[P_]([^\x1b]*)(?:(\x1b\\)|(?=\x1b[^\\]))/y;
const UTF8 =
  /[\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/y;
const UTF8_BEGINNING = /[\xc2-\xdf]$|[\xe0-\xef][\x80-\xbf]?$|[\xf0-\xf4][\x80-\xbf]{0,2}$/y;
const STRING_KINDS = { "]": "osc", P: "dcs", _: "apc" } as const;

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of bytes, without what is no UTF-8 and without C1 codes. */
export function typedText(bytes: string): string {
  return decodeUtf8(bytes).replace(/[\ufffd\x80-\x9f]/g, "");
}

/** The text of bytes; what is no UTF-8 shows as U+FFFD. */
export function decodeUtf8(bytes: string): string {
  return DECODER.decode(Buffer.from(bytes, "latin1"));
}

/** The event of a control byte other than ESC. */
export function controlStep(input: string, at: number): Step {
  return { used: 1, events: [controlKey(input.charCodeAt(at), false)] };
}

/** What an ESC at `at` begins (tui spec §1.3). */
export function escapeStep(input: string, at: number): Step {
  const next = input[at + 1];
  if (next === undefined) return undefined;
  if (next === ESC) return doubleEscape(input, at);
  if (next === "[") return csiStep(input, at);
  if (next === "O") return ss3Step(input, at);
  if (next === "]" || next === "P" || next === "_") return stringStep(input, at, next);
  return altStep(input, at);
}

/** What becomes of an unfinished sequence when nothing more comes. */
export function endOfSequence(rest: string): readonly KeyEvent[] {
  if (rest === ESC) return [namedKey("escape")];
  if (rest.startsWith(ESC + ESC)) return [namedKey("escape"), ...endOfSequence(rest.slice(1))];
  // The introducers of CSI, OSC and APC are Alt with a sign that is bound to something.
  return /^\x1b[[\]_]$/.test(rest) ? [textKey(rest.slice(1), { alt: true })] : [];
}

function doubleEscape(input: string, at: number): Step {
  const first = { used: 1, events: [namedKey("escape")] };
  const third = input[at + 2];
  if (third !== "[" && third !== "O") return first;
  const step = escapeStep(input, at + 1);
  if (step === undefined) return undefined;
  const keys = step.events.filter((event) => event.type === "key");
  if (step.pasteStart || keys.length < step.events.length) return first;
  return { used: step.used + 1, events: keys.map((event) => ({ ...event, alt: true })) };
}

function csiStep(input: string, at: number): Step {
  if (input[at + 2] === "M") return x10Step(input, at);
  if (input[at + 2] === "[") return linuxStep(input, at);
  const match = matchAt(CSI, input, at);
  if (match === null) return brokenStep(CSI_BEGINNING, input, at);
  const [whole, parameters = "", intermediates = "", final = ""] = match;
  if (whole === "\x1b[200~") return { used: whole.length, events: [], pasteStart: true };
  return { used: whole.length, events: csiEvents({ parameters, intermediates, final }) };
}

function x10Step(input: string, at: number): Step {
  const bytes = input.slice(at + 3, at + 6);
  return bytes.length < 3 ? undefined : { used: 6, events: x10Mouse(bytes) };
}

function linuxStep(input: string, at: number): Step {
  const final = input[at + 3];
  return final === undefined ? undefined : { used: 4, events: linuxFunctionKey(final) };
}

function ss3Step(input: string, at: number): Step {
  const match = matchAt(SS3, input, at);
  if (match === null) return brokenStep(SS3_BEGINNING, input, at);
  const [whole, modifier = "", final = ""] = match;
  return { used: whole.length, events: ss3Keys(final, modifier) };
}

/** A sequence is dropped before a byte that cannot be part of it; one that has no bytes yet is Alt with its sign. */
function brokenStep(beginning: RegExp, input: string, at: number): Step {
  const begun = matchAt(beginning, input, at)?.[0] ?? "";
  if (at + begun.length === input.length) return undefined;
  return { used: begun.length, events: endOfSequence(begun) };
}

function stringStep(input: string, at: number, introducer: keyof typeof STRING_KINDS): Step {
  const first = input[at + 2];
  if (first === undefined) return undefined;
  // Answers of a terminal begin with these; anything else is a key pressed with Alt.
  if (introducer === "]" && !/[0-9lL]/.test(first)) return altStep(input, at);
  if (introducer === "_" && first !== "G") return altStep(input, at);
  const match = matchAt(introducer === "]" ? OSC : DCS_OR_APC, input, at);
  if (match === null) return undefined;
  const [whole, data = "", end] = match;
  if (end === undefined) return { used: whole.length, events: [] };
  const kind = STRING_KINDS[introducer];
  return { used: whole.length, events: [{ type: "reply", kind, data: decodeUtf8(data) }] };
}

function altStep(input: string, at: number): Step {
  const byte = input.charCodeAt(at + 1);
  if (byte < 0x20 || byte === 0x7f) return { used: 2, events: [controlKey(byte, true)] };
  const sign = matchAt(UTF8, input, at + 1)?.[0];
  const text = sign === undefined ? "" : typedText(sign);
  if (text !== "") return { used: 1 + (sign?.length ?? 0), events: [textKey(text, { alt: true })] };
  if (matchAt(UTF8_BEGINNING, input, at + 1) !== null) return undefined;
  return { used: 1, events: [namedKey("escape")] };
}

function matchAt(pattern: RegExp, input: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(input);
}
