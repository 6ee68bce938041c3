import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonObject, readLine, titleSlotOf } from "../../core/index.ts";

const HEADER = { type: "session", version: 3, id: "s" };
const ENTRY = { type: "custom", id: "e1", parentId: null, timestamp: "2026-03-01T09:00:00.000Z" };
const E1 = JSON.stringify(ENTRY);
const E2 = JSON.stringify({ ...ENTRY, id: "e2", data: 'a } \\ { " in a string' });

function read(text: string, header: JsonObject | undefined = HEADER, isTail = false) {
  const { records, problem } = readLine(text, { header, isTail });
  return {
    ids: records.map(({ record }) => record.id),
    texts: records.map(({ start, end }) => text.slice(start, end)),
    ...(problem && { problem }),
  };
}

describe("a line of a session file", () => {
  it("is a record if it is an object with type and id, blanks around it or not", () => {
    expect(read(E1)).toEqual({ ids: ["e1"], texts: [E1] });
    expect(read(` \t${E1} \r`)).toEqual({ ids: ["e1"], texts: [E1] });
  });

  it.each([
    ["", undefined],
    [" \t\u00a0\ufeff", undefined],
    ["nonsense", "MALFORMED_LINE"],
    ["42", "NOT_AN_OBJECT"],
    ["null", "NOT_AN_OBJECT"],
    ["[{}]", "NOT_AN_OBJECT"],
    ['"text"', "NOT_AN_OBJECT"],
    ['{"id":"x"}', "MISSING_TYPE"],
    ['{"type":7,"id":"x"}', "MISSING_TYPE"],
    ['{"type":"custom"}', "MISSING_ID"],
    ['{"type":"custom","id":""}', "MISSING_ID"],
    ['{"type":"custom","id":7}', "MISSING_ID"],
  ])("%j holds no record", (text, problem) => {
    expect(read(text)).toEqual({ ids: [], texts: [], ...(problem && { problem }) });
  });

  it("needs no id in format 1, nor for a header", () => {
    expect(read('{"type":"custom"}', { type: "session", id: "s" }).problem).toBeUndefined();
    expect(read('{"type":"custom"}', { ...HEADER, version: 1 }).problem).toBeUndefined();
    expect(read('{"type":"custom"}', { ...HEADER, version: 2 }).problem).toBe("MISSING_ID");
    expect(
      readLine('{"type":"session"}', { header: undefined, isTail: false }).records,
    ).toHaveLength(1);
  });

  it("that is cut off is a torn tail only at the end of the file", () => {
    expect(read(E1.slice(0, -1), HEADER, true).problem).toBe("TORN_TAIL");
    expect(read(E1.slice(0, -1), HEADER, false).problem).toBe("MALFORMED_LINE");
  });
});

describe("a damaged line", () => {
  it("gives the records that are glued together", () => {
    expect(read(E1 + E2)).toEqual({ ids: ["e1", "e2"], texts: [E1, E2], problem: "GLUED_RECORDS" });
    expect(read(` ${E2} and more`).ids).toEqual(["e2"]);
    expect(read(`${E1}${E2.slice(0, 40)}`, HEADER, true)).toMatchObject({
      ids: ["e1"],
      problem: "GLUED_RECORDS",
    });
  });

  it("gives the record behind a fragment, wherever the fragment was cut", () => {
    for (let end = 1; end < E2.length; end++) {
      expect(read(E2.slice(0, end) + E1).ids, `cut at ${end}`).toEqual(["e1"]);
    }
  });

  it("gives a record without parent and time only at the start or behind another record", () => {
    const bare = '{"type":"custom","id":"b"}';
    expect(read(`${bare}${bare} junk`).ids).toEqual(["b", "b"]);
    expect(read(`junk ${bare}`).ids).toEqual([]);
    expect(read(`${E1} ${bare}`).ids).toEqual(["e1"]);
  });

  it("never takes a content block of a fragment for an entry", () => {
    const block = { type: "toolCall", id: "call_1", name: "read", arguments: { a: { b: 1 } } };
    const fragment = JSON.stringify({
      ...ENTRY,
      content: [block, { type: "text", text: "cut he" }],
    });
    expect(read(fragment.slice(0, -6)).problem).toBe("MALFORMED_LINE");
  });

  it("takes no text inside a string for a record", () => {
    const quoted = JSON.stringify({ ...ENTRY, id: "outer", data: E1 });
    expect(read(quoted.slice(0, -1)).ids).toEqual([]);
    expect(read(`${quoted}junk`).ids).toEqual(["outer"]);
  });

  it("judges ids by a header that stands in the same line", () => {
    const old = '{"type":"session","id":"s"}{"type":"custom"}';
    const { records } = readLine(`${old}x`, { header: undefined, isTail: false });
    expect(records.map(({ record }) => record.type)).toEqual(["session", "custom"]);
    const now = `${JSON.stringify(HEADER)}{"type":"custom"}x`;
    expect(readLine(now, { header: undefined, isTail: false }).records).toHaveLength(1);
  });

  it("gives true text of records in bytes that are no UTF-8", () => {
    const bytes = `${E1}\u00ff`;
    const raw = { text: bytes, slice: (start: number, end: number) => bytes.slice(start, end) };
    const { records } = readLine(`${E1}\ufffd`, { header: HEADER, isTail: false, bytes: raw });
    expect(records).toMatchObject([{ record: ENTRY, start: 0, end: E1.length }]);
  });

  it.each([
    ["braces", "{"],
    ["objects in objects", '{"a":'],
    ["quotes", '"'],
    ["objects with the keys of an entry", '{"type":"t","id":"i","timestamp":"","parentId":'],
  ])("of half a million characters of %s is read without hanging", (_, part) => {
    expect(read(part.repeat(500_000 / part.length)).ids).toEqual([]);
    expect(read(`${part.repeat(500_000 / part.length)}${E1}`).ids.length).toBeLessThanOrEqual(1);
  });

  it("gives the same records as the rule read literally", () => {
    const pieces = [
      E1,
      E2,
      '{"type":"x","id":"y"}',
      '{"type":"session"}',
      "{",
      "}",
      '"',
      "\\",
      "a",
      " ",
    ];
    const line = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(""));
    const cut = fc.tuple(line, fc.nat(), fc.nat()).map(([text, from, length]) => {
      const start = from % (text.length + 1);
      return text.slice(start, start + (length % (text.length + 1)));
    });
    fc.assert(
      fc.property(cut, (text) => {
        const found = read(text);
        if (found.problem !== "GLUED_RECORDS" && found.problem !== "MALFORMED_LINE") return;
        expect(found.texts).toEqual(literally(text));
      }),
      { numRuns: 2000 },
    );
  });
});

/** Session tree §3.3, word by word: every start is tried against every end. */
function literally(text: string): string[] {
  const found: string[] = [];
  let lead = text.length - text.trimStart().length;
  for (let start = 0; start < text.length; start++) {
    if (text[start] !== "{") continue;
    const end = endOfObject(text, start);
    const record = end === undefined ? undefined : recordIn(text.slice(start, end), start === lead);
    if (end === undefined || !record) continue;
    found.push(text.slice(start, end));
    lead = end;
    start = end - 1;
  }
  return found;
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let i = start; i < text.length; i++) {
    if (isInString && text[i] === "\\") i++;
    else if (text[i] === '"') isInString = !isInString;
    else if (!isInString && text[i] === "{") depth++;
    else if (!isInString && text[i] === "}" && --depth === 0) return i + 1;
  }
  return undefined;
}

function recordIn(text: string, isLead: boolean): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonObject;
    const hasId = typeof value.id === "string" && value.id !== "";
    const isEntry = hasId && typeof value.timestamp === "string" && value.parentId === null;
    if (typeof value.type !== "string") return undefined;
    return isEntry || (isLead && (hasId || value.type === "session")) ? value : undefined;
  } catch {
    return undefined;
  }
}

describe("the title slot", () => {
  it("is an object of type title", () => {
    expect(titleSlotOf('{"type":"title","title":"T"}   ')).toMatchObject({ title: "T" });
    expect(titleSlotOf('{"type":"session","id":"s"}')).toBeUndefined();
    expect(titleSlotOf('{"type":"title"')).toBeUndefined();
  });
});
