import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_DEPTH, MAX_VALUES, scanJson } from "../../host/sandbox/json-scan.ts";
import {
  encodeFrame,
  FrameReader,
  fromChild,
  MAX_FRAME,
  MAX_HEADER,
} from "../../host/sandbox/protocol.ts";

const post = { t: "post", g: 1, kind: "call", a: 7 } as const;

function raw(length: number, headerLength: number, rest = ""): Buffer {
  const bytes = Buffer.alloc(8 + Buffer.byteLength(rest));
  bytes.writeUInt32LE(length, 0);
  bytes.writeUInt32LE(headerLength, 4);
  bytes.write(rest, 8);
  return bytes;
}

function headed(header: string): Buffer {
  const length = Buffer.byteLength(header);
  return raw(4 + length, length, header);
}

const read = (bytes: Buffer) => new FrameReader(fromChild).push(bytes);

describe("frames", () => {
  test("come out as they went in, however the stream is cut", () => {
    const bodies = fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 8 });
    const cuts = fc.array(fc.nat(60), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(bodies, cuts, (texts, sizes) => {
        const stream = Buffer.concat(texts.map((text) => encodeFrame(post, text)));
        const reader = new FrameReader(fromChild);
        const found: string[] = [];
        for (let at = 0, i = 0; at < stream.length; i++) {
          const size = 1 + (sizes[i % sizes.length] ?? 0);
          for (const { body } of reader.push(stream.subarray(at, at + size))) {
            found.push(body.toString("utf8"));
          }
          at += size;
        }
        expect(found).toEqual(texts.map((text) => Buffer.from(text).toString("utf8")));
        expect(reader.pending).toBe(0);
      }),
    );
  });

  test("keep the named fields of their header and no others", () => {
    const [frame] = read(headed('{"t":"post","g":1,"kind":"call","a":"x","__proto__":1,"more":2}'));
    expect(frame?.header).toEqual({ t: "post", g: 1, kind: "call", a: "x" });
  });

  test.each([
    ["too long", raw(MAX_FRAME + 1, 4)],
    ["of the largest number", raw(0xffffffff, 0xffffffff)],
    ["with too long a header", raw(MAX_HEADER + 10, MAX_HEADER + 1)],
    ["with a header longer than the frame", raw(10, 20)],
    ["with a header that is no JSON", headed("nothing")],
    ["with a header that is no object", headed("null")],
    ["of an unknown type", headed('{"t":"exec","g":1}')],
    ["of a type that objects inherit", headed('{"t":"constructor","g":1}')],
    [
      "without a field",
      headed('{"t":"post","g":1,"kind":"call"}'.replace('"kind":"call"', '"k":1')),
    ],
    ["with a field of another type", headed('{"t":"post","g":"1","kind":"call","a":1}')],
    ["with an unknown kind", headed('{"t":"post","g":1,"kind":"spawn","a":1}')],
    ["with a key that is no whole number", headed('{"t":"post","g":1,"kind":"call","a":1.5}')],
    ["with a list of the wrong things", headed('{"t":"pong","n":1,"rss":1,"guests":[1]}')],
    ["with a bomb in its header", headed(`{"t":${"[".repeat(MAX_DEPTH + 1)}`)],
  ])("%s is a breach", (_name, bytes) => {
    expect(() => read(bytes)).toThrowError(expect.objectContaining({ code: "PROTOCOL_BREACH" }));
  });

  test("that are too large are not sent", () => {
    expect(() => encodeFrame(post, "x".repeat(MAX_FRAME))).toThrowError(
      expect.objectContaining({ code: "LIMIT_EXCEEDED" }),
    );
  });
});

describe("the scan before parsing", () => {
  const scan = (text: string) => scanJson(Buffer.from(text));

  test("passes what JSON makes of any value of ordinary size", () => {
    fc.assert(
      fc.property(fc.json({ depthSize: "small" }), (text) => {
        expect(scan(text)).toBeUndefined();
      }),
    );
  });

  test("counts no brackets and commas inside strings", () => {
    const strings = ["[".repeat(1000), '\\"'.repeat(500), "\\", ",".repeat(MAX_VALUES + 1), '"[['];
    expect(scan(JSON.stringify(strings))).toBeUndefined();
  });

  test.each([
    ["depth", "[".repeat(MAX_DEPTH + 1)],
    ["depth by objects", '{"a":'.repeat(MAX_DEPTH + 1)],
    ["many values", `[${"1,".repeat(MAX_VALUES)}1]`],
    ["many empty lists", "[],".repeat(MAX_VALUES)],
  ])("stops at %s", (_name, text) => {
    expect(scan(text)).toMatch(/^more than/);
  });

  test("ends with an open string", () => {
    expect(scan('["abc')).toBeUndefined();
  });
});
