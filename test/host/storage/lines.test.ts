import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LinePlace, LineSplitter } from "../../../host/storage/line-splitter.ts";
import { LongLineScan, stubOf } from "../../../host/storage/long-line.ts";

interface Seen extends LinePlace {
  readonly text: string;
  readonly isLong: boolean;
}

function split(blocks: readonly Buffer[], maxLineBytes: number): Seen[] {
  const seen: Seen[] = [];
  const splitter = new LineSplitter(
    {
      line: (bytes, place) =>
        seen.push({ ...place, text: bytes.toString("latin1"), isLong: false }),
      longLine: () => {
        const parts: Buffer[] = [];
        return {
          add: (part) => parts.push(Buffer.from(part)),
          end: (place) => {
            const text = Buffer.concat(parts).subarray(0, place.length).toString("latin1");
            seen.push({ ...place, text, isLong: true });
          },
        };
      },
      isDone: () => false,
    },
    maxLineBytes,
  );
  for (const block of blocks) splitter.add(block);
  splitter.end();
  return seen;
}

/** The lines of a text by their definition. */
function linesOf(text: string, maxLineBytes: number): Seen[] {
  const parts = text.split("\n");
  const seen: Seen[] = [];
  let offset = 0;
  parts.forEach((part, i) => {
    const isTail = i === parts.length - 1;
    const line = isTail || !part.endsWith("\r") ? part : part.slice(0, -1);
    const place = { line: i + 1, offset, length: line.length, isTail };
    if (!isTail || part !== "") {
      seen.push({ ...place, text: line, isLong: line.length > maxLineBytes });
    }
    offset += part.length + 1;
  });
  return seen;
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const blocks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    blocks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...blocks, bytes.subarray(at)].filter((block) => block.length > 0);
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 20 });

describe("lines", () => {
  it("are those between line feeds, wherever the blocks are cut", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "\r", "\n", "\u0085", "12345678"))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, sizes, fc.integer({ min: 1, max: 12 }), (content, blocks, max) => {
        expect(split(cut(Buffer.from(content, "latin1"), blocks), max)).toEqual(
          linesOf(content, max),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a line too long to hold", () => {
  const key = fc.constantFrom("type", "id", "parentId", "timestamp", "data", 'a"b');
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom("\\", '"', "{}", '\\"}'),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const object = fc.dictionary(key, value, { maxKeys: 7 });

  function scan(text: string, blocks: readonly number[]) {
    const long = new LongLineScan();
    for (const part of cut(Buffer.from(text), blocks)) long.add(part);
    return long.end();
  }

  it("gives the base fields that parsing it would give", () => {
    fc.assert(
      fc.property(object, sizes, (one, blocks) => {
        const text = JSON.stringify(one);
        const { objects, isClean } = scan(` ${text}\r`, blocks);
        expect(isClean).toBe(true);
        expect(objects).toHaveLength(1);
        expect(objects[0]).toMatchObject({ start: 1, end: 1 + Buffer.byteLength(text) });
        const fields = ["type", "id", "parentId", "timestamp"].filter(
          (name) => typeof one[name] === "string",
        );
        expect(objects[0]?.fields).toEqual(
          Object.fromEntries(fields.map((name) => [name, one[name]])),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("takes the last of equal keys", () => {
    expect(scan('{"id":"a","id":"b"}', []).objects[0]?.fields).toEqual({ id: "b" });
    expect(scan('{"id":"a","id":7}', []).objects[0]?.fields).toEqual({});
  });

  it("may hold several objects, and tells what follows them", () => {
    expect(scan('{"id":"a"}{"id":"b"}', [])).toMatchObject({
      isClean: true,
      objects: { length: 2 },
    });
    expect(scan('{"id":"a"}{"id":"b', [])).toMatchObject({
      isClean: false,
      objects: { length: 1 },
    });
    expect(scan('{"id":"a"} x', [])).toMatchObject({ isClean: false, objects: { length: 1 } });
    expect(scan("x", [])).toMatchObject({ isClean: false, isBlank: false, objects: { length: 0 } });
    expect(scan(" \t", [])).toMatchObject({ isClean: true, isBlank: true });
  });

  it("does not keep a value that is too long for a base field", () => {
    const text = `{"id":"${"x".repeat(5000)}","type":"t"}`;
    const [only] = scan(text, [7, 100]).objects;
    expect(only?.fields).toEqual({ type: "t" });
    expect(stubOf(only ?? { start: 0, end: 0, fields: {} }, text.length)).toEqual({
      type: "t",
      parentId: null,
      oversizedBytes: text.length,
    });
  });
});
