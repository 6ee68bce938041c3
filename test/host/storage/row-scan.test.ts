import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isJsonObject,
  type JsonObject,
  RowTable,
  recordProblem,
  rowOf,
} from "../../../core/index.ts";
import { writtenTime } from "../../../host/storage/byte-json.ts";
import { RowScan } from "../../../host/storage/row-scan.ts";

/** What a scan finds in a line that stands between others; `undefined` if it leaves it to a parser. */
function scanned(line: string | Buffer) {
  const table = new RowTable();
  const scan = new RowScan(table);
  const before = Buffer.from('{"type":"message"}\n');
  const bytes = Buffer.concat([before, Buffer.from(line), Buffer.from('\n{"id":"x"}\n')]);
  const end = bytes.length - '\n{"id":"x"}\n'.length;
  if (!scan.scan(bytes, before.length, end)) return undefined;
  scan.row.line = 7;
  table.pushScanned(scan.row);
  return table.at(0);
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const id = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((n) => n.toString(16).padStart(8, "0")),
  fc.constantFrom("ABCDEF12", "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", "é", "1234567", "123456789"),
);
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", " ", "\n\t", "\u00a0\u3000", '"}{"type":"x"}', "\\", '\\"', "x".repeat(200)),
);
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ text, type: fc.constant("text") }),
  fc.record({ type: fc.constant("thinking"), thinking: text }),
  fc.record({
    type: fc.constant("toolCall"),
    name: text,
    arguments: fc.jsonValue({ maxDepth: 3 }),
  }),
);
const content = fc.oneof(text, fc.array(block), fc.constant(null));
const message = fc.oneof(
  fc.record({
    role: fc.constantFrom("user", "developer", "custom", "toolResult"),
    content,
    toolName: text,
  }),
  fc.record({
    role: fc.constant("assistant"),
    content,
    usage: fc.record({ input: fc.nat(), cost: fc.record({ total: fc.double({ noNaN: true }) }) }),
    stopReason: fc.constantFrom("stop", "toolUse", "error"),
  }),
  fc.record({ content }),
  fc.jsonValue(),
);
const time = fc.oneof(
  fc
    .date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom("2026-02-30T00:00:00.000Z", "2026-03-01T09:00:00Z", "yesterday", ""),
);
const entry = fc
  .tuple(
    fc.record(
      {
        type: fc.constantFrom(
          "message",
          "custom",
          "custom_message",
          "label",
          "compaction",
          "branch_summary",
          "odd",
        ),
        id,
        parentId: fc.oneof(id, fc.constant(null), fc.constant("")),
        timestamp: time,
        message,
        content,
        summary: text,
        customType: fc.oneof(text, fc.constant("coppice.position")),
        extra: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ["type", "id"] },
    ),
    fc.infiniteStream(fc.nat()),
  )
  .map(([fields, order]) => {
    const keyed = Object.entries(fields).map((pair) => [order.next().value, pair] as const);
    return Object.fromEntries(keyed.sort(([a], [b]) => a - b).map(([, pair]) => pair));
  });

describe("the scan of a line", () => {
  it("gives the row that parsing gives, or leaves the line to it", () => {
    fc.assert(
      fc.property(entry, (fields) => {
        const line = JSON.stringify(fields);
        const row = scanned(line);
        if (row) expect(row).toEqual(rowOf(JSON.parse(line), 7));
      }),
      { numRuns: 3000 },
    );
  });

  it("takes the entries that sessions are full of", () => {
    const base = { id: "0000002a", parentId: "0000002b", timestamp: "2026-01-02T03:04:05.678Z" };
    for (const role of ["user", "assistant", "toolResult"]) {
      const line = JSON.stringify({ type: "message", ...base, message: { role, content: "a" } });
      expect(scanned(line)).toMatchObject({ ...base, role, hasText: true });
    }
  });

  it("never takes a line that was cut, glued or changed for another record than parsing finds", () => {
    const change = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom("cut", "drop", "double", "glue"));
    fc.assert(
      fc.property(entry, entry, change, (one, other, [a, b, how]) => {
        const first = Buffer.from(JSON.stringify(one));
        const second = Buffer.from(JSON.stringify(other));
        const at = a % first.length;
        const length = 1 + (b % 10);
        const line = {
          cut: () => first.subarray(0, at),
          drop: () => Buffer.concat([first.subarray(0, at), first.subarray(at + length)]),
          double: () => Buffer.concat([first.subarray(0, at + length), first.subarray(at)]),
          glue: () => Buffer.concat([first.subarray(0, at + 1), second]),
        }[how]();
        const row = scanned(line);
        const value = parsed(line.toString("utf8"));
        // What only a whole parse can tell is told when the entry is read.
        if (!row || !value || recordProblem(value, { type: "session", version: 3 })) return;
        expect(row).toEqual(rowOf(value, 7));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['{"type":"message","id":"a"}{"type":"message","id":"b"}', "two records"],
    [
      '{"type":"message","id":"a","content":"x{"type":"message","id":"b","parentId":null}',
      "a half one",
    ],
    ['{"type":"custom","id":"a","id":"b"}', "an id twice"],
    ['{"type":"custom","id":"a"}\r', "a carriage return"],
    [' {"type":"custom","id":"a"}', "a blank before"],
    ['{"type":"custom","id":""}', "an empty id"],
    ['{"id":"a"}', "no type"],
    ["{}", "nothing"],
  ])("leaves %s to a parser: %s", (line) => {
    expect(scanned(line)).toBeUndefined();
  });

  it("reads times as they are written, and no others", () => {
    fc.assert(
      fc.property(time, (written) => {
        const bytes = Buffer.from(written);
        const parsedTime = Date.parse(written);
        const isWritten =
          !Number.isNaN(parsedTime) && new Date(parsedTime).toISOString() === written;
        expect(writtenTime(bytes, 0, bytes.length)).toBe(isWritten ? parsedTime : Number.NaN);
      }),
    );
  });
});
