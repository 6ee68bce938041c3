import { namedError } from "./errors.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The bytes of a binary string as base64. */
export function btoa(data: unknown): string {
  const text = String(data);
  let result = "";
  for (let i = 0; i < text.length; i += 3) {
    const codes = [0, 1, 2].map((offset) => text.charCodeAt(i + offset));
    if (codes.some((code) => code > 0xff)) throw invalidCharacter("btoa");
    const [a = 0, b = 0, c = 0] = codes.map((code) => code || 0);
    const group = (a << 16) | (b << 8) | c;
    const digits = [18, 12, 6, 0].map((shift) => ALPHABET[(group >> shift) & 0x3f] ?? "");
    result += digits
      .join("")
      .slice(0, Math.min(text.length - i, 3) + 1)
      .padEnd(4, "=");
  }
  return result;
}

/** Base64 as a binary string; blanks are skipped, anything else is an InvalidCharacterError. */
export function atob(data: unknown): string {
  const text = String(data).replace(/[\t\n\f\r ]/g, "");
  const digits = text.length % 4 === 0 ? text.replace(/={1,2}$/, "") : text;
  if (digits.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(digits)) throw invalidCharacter("atob");
  let result = "";
  let bits = 0;
  let count = 0;
  for (const digit of digits) {
    bits = ((bits << 6) | ALPHABET.indexOf(digit)) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    result += String.fromCharCode((bits >> count) & 0xff);
  }
  return result;
}

function invalidCharacter(name: string): Error {
  return namedError("InvalidCharacterError", `${name}: the string contains invalid characters`);
}
