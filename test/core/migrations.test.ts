import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type JsonObject,
  migrateHeader,
  migrationOf,
  rowOf,
  type SessionHeader,
  versionOf,
} from "../../core/index.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const header = (version?: number): SessionHeader => ({
  type: "session",
  id: "s",
  timestamp: "t",
  cwd: "/p",
  ...(version !== undefined && { version }),
});

/** The records after migration, the first being record 1 of the file. */
function migrate(records: readonly JsonObject[], version?: number, hash = sha256): JsonObject[] {
  const migration = migrationOf(header(version), hash);
  return records.map((record, index) => migration.next(record, index + 1));
}

const message = (role: string) => ({ type: "message", message: { role, content: "x" } });
const compaction = (fields: object) => ({ type: "compaction", summary: "s", ...fields });

describe("format 1", () => {
  it("becomes a chain with ids made from session id and place", () => {
    const [a, b] = migrate([message("user"), { ...message("user"), id: "old", parentId: "gone" }]);
    expect(a).toMatchObject({ id: sha256("s:1").slice(0, 8), parentId: null });
    expect(b).toMatchObject({ id: sha256("s:2").slice(0, 8), parentId: a?.id });
  });

  it("gives another id where two are equal", () => {
    const hash = (text: string) => (text.split(":").length > 2 ? sha256(text) : "same".repeat(8));
    const ids = migrate([message("user"), message("user"), message("user")], 1, hash).map(
      ({ id }) => id,
    );
    expect(ids).toEqual(["samesame", sha256("s:2:1").slice(0, 8), sha256("s:3:1").slice(0, 8)]);
  });

  it.each([
    ["an earlier record", { firstKeptEntryIndex: 1 }, sha256("s:1").slice(0, 8)],
    [
      "an earlier record, beside an id",
      { firstKeptEntryIndex: 1, firstKeptEntryId: "x" },
      sha256("s:1").slice(0, 8),
    ],
    ["the header", { firstKeptEntryIndex: 0 }, undefined],
    ["the header, beside an id", { firstKeptEntryIndex: 0, firstKeptEntryId: "x" }, undefined],
    ["itself", { firstKeptEntryIndex: 2 }, undefined],
    ["a later record", { firstKeptEntryIndex: 3 }, undefined],
    ["nothing", { firstKeptEntryIndex: 99 }, undefined],
    ["no whole number", { firstKeptEntryIndex: 1.5 }, undefined],
    ["a text", { firstKeptEntryIndex: "1" }, undefined],
    ["nothing, having no index", {}, undefined],
  ])("a compaction that keeps from %s", (_, fields, kept) => {
    const [, migrated] = migrate([message("user"), compaction(fields), message("user")]);
    expect(migrated).not.toHaveProperty("firstKeptEntryIndex");
    expect(migrated?.firstKeptEntryId).toBe(kept);
  });
});

describe("formats 1 and 2", () => {
  it.each([undefined, 1, 2])("of version %s call the role hookMessage custom", (version) => {
    const [migrated] = migrate([{ id: "x", ...message("hookMessage") }], version);
    expect(migrated?.message).toEqual({ role: "custom", content: "x" });
  });

  it("leave the ids of format 2 and records without that role alone", () => {
    const record = { id: "x", parentId: "y", ...message("user") };
    expect(migrate([record, { type: "message" }], 2)).toEqual([record, { type: "message" }]);
    expect(migrate([record], 2)[0]).toBe(record);
  });

  it("come out the same when a record is migrated again, alone", () => {
    const records = [
      message("user"),
      message("hookMessage"),
      compaction({ firstKeptEntryIndex: 2 }),
      compaction({ firstKeptEntryIndex: 0, firstKeptEntryId: "x" }),
    ];
    for (const version of [1, 2]) {
      const migration = migrationOf(header(version), sha256);
      const whole = records.map((record, index) => migration.next(record, index + 1));
      const alone = whole.map((record, i) =>
        migration.again(records[i] as JsonObject, rowOf(record)),
      );
      expect(alone).toEqual(whole);
    }
  });
});

describe("the present format", () => {
  it.each([3, 4])("and newer ones (%d) pass through as they are", (version) => {
    const migration = migrationOf(header(version), sha256);
    const record = { id: "x", ...message("hookMessage") };
    expect(migration.isNeeded).toBe(false);
    expect(migration.next(record, 1)).toBe(record);
    expect(migration.again(record, rowOf(record))).toBe(record);
    expect(migrateHeader(header(version))).toEqual(header(version));
  });

  it("is what migrated headers have, and migrating twice changes nothing more", () => {
    expect(migrateHeader(header())).toEqual(header(3));
    expect(migrateHeader({ ...header(2), extra: 1 })).toMatchObject({ version: 3, extra: 1 });
    expect(versionOf(header())).toBe(1);
    const once = migrate([message("user"), message("hookMessage")]);
    expect(migrate(once, 3)).toEqual(once);
  });
});
