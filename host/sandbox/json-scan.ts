/** Bounds of a text that may be parsed (sandbox spec §3.4). */
export const MAX_VALUES = 100_000;
export const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Per byte: how much deeper it leads, and how many values it begins. */
const DEPTH = table({ "[": 1, "{": 1, "]": -1, "}": -1 });
const VALUES = table({ "[": 1, "{": 1, ",": 1 });

/**
 * Why a JSON text must not be parsed, or `undefined`. Looks at bytes only and skips strings, so that
 * neither nesting nor a heap of tiny values can hold up the event loop. It is no check of the grammar.
 */
export function scanJson(text: Uint8Array): string | undefined {
  let values = 1;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] as number;
    if (byte === QUOTE) i = endOfString(text, i);
    depth += DEPTH[byte] as number;
    values += VALUES[byte] as number;
    if (depth > MAX_DEPTH) return `more than ${MAX_DEPTH} levels`;
    if (values > MAX_VALUES) return `more than ${MAX_VALUES} values`;
  }
  return undefined;
}

function table(steps: Readonly<Record<string, number>>): Int8Array {
  const bytes = new Int8Array(256);
  for (const [character, step] of Object.entries(steps)) bytes[character.charCodeAt(0)] = step;
  return bytes;
}

/** Position of the quote that ends the string, or the end of the text. */
function endOfString(text: Uint8Array, start: number): number {
  let end = text.indexOf(QUOTE, start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf(QUOTE, end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (text[before] === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}
