const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes of a string that are looked at one by one before the native search is called. */
const NEAR = 48;

/**
 * Position of the quote that ends a string, -1 if none does before `end`. `start` is the position after
 * the quote that opens it.
 */
export function stringEnd(bytes: Buffer, start: number, end: number): number {
  const near = Math.min(end, start + NEAR);
  let at = start;
  while (at < near) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return farStringEnd(bytes, start, at, end);
}

function farStringEnd(bytes: Buffer, start: number, from: number, end: number): number {
  for (let at = from; ; at++) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0 || at >= end) return -1;
    let slashes = 0;
    while (at - slashes > start && bytes[at - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
}

/**
 * Position after the value that begins at `start`, -1 if it has no end before `end`. Only strings and
 * nesting are looked at: whether it is JSON is known when it is parsed.
 */
export function valueEnd(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start + 1, end) + 1 || -1;
  if (isOpening(first)) return nestedEnd(bytes, start, end);
  let at = start;
  for (; at < end && !isStop(bytes[at] as number); at++) {
    if (bytes[at] === QUOTE || isOpening(bytes[at])) return -1;
  }
  return at > start && at < end ? at : -1;
}

function nestedEnd(bytes: Buffer, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at + 1, end);
      if (at < 0) return -1;
    } else if (isOpening(byte)) depth++;
    else if (isClosing(byte) && --depth === 0) return at + 1;
  }
  return -1;
}

/** True if the bytes from `start` on are those of an ASCII text, and it ends at `end`. */
export function isText(bytes: Buffer, start: number, end: number, text: Uint8Array): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false;
  return true;
}

/** Whether the text between the quotes of a string is not blank. */
export function isFilled(bytes: Buffer, start: number, end: number): boolean {
  if (start === end) return false;
  const first = bytes[start] as number;
  if (first > 0x20 && first < 0x7f && first !== BACKSLASH) return true;
  return !BLANK.test(bytes.toString("utf8", start, end));
}

/** White space as in ECMAScript's `trim`, as it may stand in a JSON string. */
const BLANK =
  /^(?:\s|\\[tnrf]|\\u(?:0009|000[a-d]|0020|00a0|1680|200[0-9a]|202[89f]|205f|3000|feff))*$/i;

/** Milliseconds of `YYYY-MM-DDTHH:MM:SS.mmmZ`, the form that is written; NaN for any other text. */
export function writtenTime(bytes: Buffer, start: number, end: number): number {
  if (end - start !== 24 || !hasPunctuation(bytes, start)) return Number.NaN;
  const year = digits(bytes, start, 4);
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  const hour = digits(bytes, start + 11, 2);
  const minute = digits(bytes, start + 14, 2);
  const second = digits(bytes, start + 17, 2);
  const ms = digits(bytes, start + 20, 3);
  const isTime = hour < 24 && minute < 60 && second < 60 && ms >= 0 && minute >= 0 && second >= 0;
  // Of days that every month has it is known without a calendar that they exist.
  if (!isTime || hour < 0 || year < 100 || month < 1 || month > 12 || day < 1 || day > 28) {
    return otherTime(bytes.toString("latin1", start, end));
  }
  return (
    daysBefore(year, month, day) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000 + ms
  );
}

function otherTime(text: string): number {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text ? time : Number.NaN;
}

/** Days from 1970-01-01 to a date of the Gregorian calendar (H. Hinnant, days_from_civil). */
function daysBefore(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function hasPunctuation(bytes: Buffer, start: number): boolean {
  return (
    bytes[start + 4] === 0x2d &&
    bytes[start + 7] === 0x2d &&
    bytes[start + 10] === 0x54 &&
    bytes[start + 13] === 0x3a &&
    bytes[start + 16] === 0x3a &&
    bytes[start + 19] === 0x2e &&
    bytes[start + 23] === 0x5a
  );
}

/** The number that so many digits give, negative if one of them is none. */
function digits(bytes: Buffer, start: number, count: number): number {
  let value = 0;
  for (let i = start; i < start + count; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function isOpening(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}

/** What ends a number or a word: a comma, a closing bracket, or a blank. */
function isStop(byte: number): boolean {
  return byte === 0x2c || isClosing(byte) || byte <= 0x20;
}
