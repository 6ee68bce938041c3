import fc from "fast-check";
import { expect, it } from "vitest";
import { type JsonObject, RowTable, rowOf } from "../../../core/index.ts";
import { RowScan } from "../../../host/storage/row-scan.ts";

const SEED = Number(process.env.SCAN_SEED ?? 20260301);
const RUNS = Number(process.env.SCAN_RUNS ?? 20_000);

/** What the scan of a line found, as a row; `undefined` if it left the line to a parser. */
function scanned(line: string) {
  const table = new RowTable();
  const scan = new RowScan(table);
  const bytes = Buffer.from(`x${line}y`);
  if (!scan.scan(bytes, 1, bytes.length - 1)) return undefined;
  table.pushScanned(scan.row);
  return table.at(0);
}

function parsed(line: string): JsonObject | undefined {
  try {
    return JSON.parse(line) as JsonObject;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether strings are closed and brackets are level at the last byte and nowhere before. */
function isOneObject(line: string): boolean {
  let depth = 0;
  let isString = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string;
    if (isString && char === "\\") i++;
    else if (char === '"') isString = !isString;
    else if (!isString && "{[".includes(char)) depth++;
    else if (!isString && "}]".includes(char) && --depth === 0) return i === line.length - 1;
  }
  return false;
}

const text = fc.oneof(
  fc.constantFrom("", " ", "\u3000", "\r\n", "text", "\\", '"', '"}', "é😀", "}{"),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.stringify(json)),
  text.map((json) => JSON.stringify(json)),
  fc.constantFrom("0.25", "-1e3", "null", '"\\u0020"', "{}", "[]"),
);
const object = (fields: fc.Arbitrary<string>[], more = 3) =>
  fc
    .tuple(fc.tuple(...fields), fc.array(fc.oneof(...fields), { maxLength: more }))
    .map(([all, again]) => `{${[...all, ...again].join(",")}}`);
const field = (name: string, ...values: fc.Arbitrary<string>[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.oneof(...values).map((json) => `"${name}":${json}`) },
    { weight: 1, arbitrary: value.map((json) => `"${name}":${json}`) },
    {
      weight: 1,
      arbitrary: fc.oneof(...values).map((json) => {
        const code = name.charCodeAt(0).toString(16).padStart(4, "0");
        return `"\\u${code}${name.slice(1)}":${json}`;
      }),
    },
  );
const words = (...all: string[]) => fc.constantFrom(...all.map((word) => JSON.stringify(word)));
const block = object([
  field("type", words("text", "image", "thinking")),
  field(
    "text",
    text.map((json) => JSON.stringify(json)),
  ),
]);
const content = fc.oneof(
  text.map((json) => JSON.stringify(json)),
  fc.array(block, { maxLength: 3 }).map((blocks) => `[${blocks.join(",")}]`),
);
const cost = object([field("total", words("x"), fc.constantFrom("0.5", "0", "1e-3"))], 1);
const message = object([
  field("role", words("user", "assistant", "toolResult", "bashExecution")),
  field("content", content),
  field("stopReason", words("stop", "error")),
  field("usage", object([field("cost", cost)], 1), fc.constant("{}")),
]);
const base = [
  field("type", words("message", "custom", "custom_message", "branch_summary", "label")),
  field("id", words("0a1b2c3d", "0A1B2C3D", "x", "")),
  field("parentId", words("0a1b2c3e", ""), fc.constant("null")),
  field("timestamp", words("2026-03-01T09:00:01.000Z", "2026-02-29T09:00:01.000Z")),
];
const record = fc.oneof(
  object([...base, field("message", message)], 1),
  object([...base, field("customType", words("a", "coppice.position", ""))], 1),
  object([...base, field("summary", content)], 1),
  object([...base, field("content", content)], 1),
);
const plain = fc.oneof(
  fc.constant(
    '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}',
  ),
  record,
);
const line = fc.oneof(
  { weight: 4, arbitrary: record },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        plain,
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom("", " ", "\r", '"', "\\", "{", "}", ","),
      )
      .map(([whole, at, count, put]) => {
        const from = at % whole.length;
        return whole.slice(0, from) + put + whole.slice(from + count);
      }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(plain, fc.nat()).map(([whole, at]) => whole.slice(0, at % whole.length)),
  },
  { weight: 1, arbitrary: fc.tuple(plain, plain).map(([one, two]) => one + two) },
);

it(`takes from bytes exactly what a parser gives, or nothing (seed ${SEED})`, () => {
  let taken = 0;
  const check = fc.property(line, (made) => {
    const json = Buffer.from(made).toString();
    const row = scanned(json);
    if (row === undefined) return;
    taken++;
    const whole = parsed(json);
    if (whole === undefined) expect(isOneObject(json)).toBe(true);
    else expect(row).toEqual(rowOf(whole));
  });
  fc.assert(check, { seed: SEED, numRuns: RUNS });
  expect(taken).toBeGreaterThan(RUNS / 50);
}, 60_000);
