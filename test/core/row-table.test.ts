import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IdIndex } from "../../core/id-index.ts";
import { type RecordRow, RowTable } from "../../core/index.ts";
import { lazyList } from "../../core/lazy-list.ts";

const id = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((n) => n.toString(16).padStart(8, "0")),
  fc.string({ minLength: 1, unit: "grapheme" }),
);
const row: fc.Arbitrary<RecordRow> = fc.record(
  {
    type: fc.string(),
    id,
    parentId: fc.oneof(id, fc.constant(null)),
    timestamp: fc.constantFrom(undefined, "2026-01-02T03:04:05.678Z", "2026-01-02", "never"),
    hasText: fc.boolean(),
    line: fc.integer({ min: 1, max: 1e9 }),
    role: fc.string(),
    customType: fc.string(),
    stopReason: fc.string(),
    label: fc.string(),
    name: fc.string(),
    cost: fc.double({ noNaN: true }),
    marker: fc.constantFrom("valid", "invalid"),
  },
  { requiredKeys: ["type", "id", "parentId", "timestamp", "hasText"] },
);

describe("a table of rows", () => {
  it("gives back what was put in, also after a snapshot and a cut", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 200 }), fc.nat(), (rows, cut) => {
        const table = new RowTable();
        for (const one of rows) table.push(one);
        const all = () => Array.from({ length: table.length }, (_, i) => table.at(i));
        expect(all()).toEqual(rows);
        const copy = new RowTable();
        copy.restore(table.snapshot());
        expect(copy.lastName()).toBe(rows.findLast(({ name }) => name !== undefined)?.name);
        copy.push({ ...(rows[0] ?? emptyRow), name: "last" });
        expect(copy.at(rows.length)).toMatchObject({ name: "last" });
        const length = rows.length === 0 ? 0 : cut % rows.length;
        table.truncate(length);
        expect(all()).toEqual(rows.slice(0, length));
        expect(table.lastName()).toBe(
          rows.slice(0, length).findLast(({ name }) => name !== undefined)?.name,
        );
      }),
    );
  });

  it("has one key for one id, and another for another", () => {
    fc.assert(
      fc.property(fc.uniqueArray(id), (ids) => {
        const table = new RowTable();
        for (const one of ids) table.push({ ...emptyRow, id: one });
        const keys = ids.map((one) => table.keyOf(one));
        expect(new Set(keys).size).toBe(ids.length);
        expect(keys).toEqual(ids.map((_, i) => table.idKey(i)));
        for (const [i, one] of ids.entries()) expect(table.lastWith(one)).toBe(i);
      }),
    );
  });
});

const emptyRow: RecordRow = {
  type: "custom",
  id: "x",
  parentId: null,
  timestamp: undefined,
  hasText: false,
};

it("an index of ids finds what a map finds", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }).map((n) => n * 2 ** 25)), (keys) => {
      const index = new IdIndex((at) => keys[at] as number);
      const map = new Map<number, number>();
      keys.forEach((key, at) => {
        expect(index.set(key, at)).toBe(map.get(key) ?? -1);
        map.set(key, at);
      });
      for (let n = 0; n <= 301; n++) {
        expect(index.get(n * 2 ** 25)).toBe(map.get(n * 2 ** 25) ?? -1);
      }
    }),
  );
});

describe("a list that is made as it is reached", () => {
  const LENGTH = 5000;

  it("makes only what is asked for, once", () => {
    const made: number[] = [];
    const list = lazyList(LENGTH, (index) => {
      made.push(index);
      return { index };
    });
    expect(list.at(-1)).toBe(list[LENGTH - 1]);
    expect(list[3]).toEqual({ index: 3 });
    expect(made).toEqual([LENGTH - 1, 3]);
    expect(list).toHaveLength(LENGTH);
    expect(made).toHaveLength(2);
  });

  it("is an array in every other way", () => {
    const plain = Array.from({ length: LENGTH }, (_, index) => ({ index }));
    const list = () => lazyList(LENGTH, (index) => ({ index }));
    expect(Array.isArray(list())).toBe(true);
    expect(list()).toEqual(plain);
    expect(JSON.stringify(list())).toBe(JSON.stringify(plain));
    expect([...list()]).toEqual(plain);
    expect(Object.keys(list())).toEqual(Object.keys(plain));
    expect(list().filter(({ index }) => index % 7 === 0)).toEqual(
      plain.filter(({ index }) => index % 7 === 0),
    );
    expect(list().toReversed()).toEqual(plain.toReversed());
    expect([{ index: -1 }].concat(list())).toEqual([{ index: -1 }, ...plain]);
    expect(7 in list()).toBe(true);
    expect(LENGTH in list()).toBe(false);
  });

  it("can be changed like one, and what was taken away does not come back", () => {
    const list = lazyList(LENGTH, (index) => index);
    list.push(-1);
    list[2] = -2;
    expect(list.splice(0, 4)).toEqual([0, 1, -2, 3]);
    expect(list).toHaveLength(LENGTH - 3);
    expect(list[0]).toBe(4);
    list.length = 1;
    list.length = 3;
    expect(list).toEqual([4, undefined, undefined]);
  });
});
