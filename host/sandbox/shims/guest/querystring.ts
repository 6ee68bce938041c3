type Values = Record<string, string | string[]>;

function encode(text: string): string {
  return encodeURIComponent(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
}

function stringify(
  values: Record<string, unknown> | null | undefined,
  separator = "&",
  equals = "=",
  options: { encodeURIComponent?: (text: string) => string } = {},
): string {
  const text = options.encodeURIComponent ?? encode;
  return Object.entries(values ?? {})
    .flatMap(([key, value]) =>
      (Array.isArray(value) ? value : [value]).map(
        (item) => `${text(key)}${equals}${text(textOf(item))}`,
      ),
    )
    .join(separator);
}

function textOf(value: unknown): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  return ["string", "bigint", "boolean"].includes(typeof value) ? String(value) : "";
}

function parse(
  text: string,
  separator = "&",
  equals = "=",
  { maxKeys = 1000, decodeURIComponent: decoded = decode } = {},
): Values {
  const values: Values = Object.create(null);
  const pairs = text.split(separator).filter((pair) => pair !== "");
  for (const pair of maxKeys > 0 ? pairs.slice(0, maxKeys) : pairs) {
    const place = pair.indexOf(equals);
    const [key, value] =
      place < 0 ? [pair, ""] : [pair.slice(0, place), pair.slice(place + equals.length)];
    add(values, decoded(key.replaceAll("+", " ")), decoded(value.replaceAll("+", " ")));
  }
  return values;
}

function add(values: Values, key: string, value: string): void {
  const old = values[key];
  values[key] = old === undefined ? value : [...(Array.isArray(old) ? old : [old]), value];
}

export default {
  escape: encode,
  unescape: decode,
  stringify,
  parse,
  encode: stringify,
  decode: parse,
};
