import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../host/storage/sessions.ts";
import { checks } from "./case-checks.ts";
import { allCases, type Case, hashOf, namesOfExpectations, openCopy } from "./case-world.ts";

/** Fields that say what a case is, and those that the tree selector's own table test checks. */
const DESCRIBING: ReadonlySet<string> = new Set(["about", "spec", "opens"]);
const OF_THE_SELECTOR: ReadonlySet<string> = new Set(["selector", "selectorWidths"]);
const CASE_COUNT = 79;

const cases = allCases();

describe("the cases of the session format", () => {
  it("are all here, each with its expectations", () => {
    expect(cases).toHaveLength(CASE_COUNT);
    expect(cases.map(({ name }) => name)).toEqual(namesOfExpectations());
  });

  it("have no expectation that nothing checks", () => {
    const fields = new Set(cases.flatMap(({ expected }) => Object.keys(expected)));
    for (const known of [...DESCRIBING, ...OF_THE_SELECTOR, ...Object.keys(checks)])
      fields.delete(known);
    expect([...fields]).toEqual([]);
  });
});

describe.each(cases)("$name", (one) => {
  const { expected } = one;
  if (expected.opens !== "write" && expected.opens !== "read-only") {
    it(`is refused with ${expected.opens} and stays as it is`, async () => {
      const path = one.copy();
      const before = hashOf(path);
      await expect(openSession(path, {})).rejects.toMatchObject({ code: expected.opens });
      expect(hashOf(path)).toBe(before);
    });
    return;
  }

  it("opens, and opening changes no byte and makes no file", () => expectHarmlessOpening(one));

  const fields = Object.keys(expected).filter((field) => Object.hasOwn(checks, field));
  it.each(fields)("gives its %s", async (field) => {
    const { path, session } = await openCopy(one);
    try {
      await checks[field]?.({ one, path, session, wanted: expected[field] as never });
    } finally {
      session.close();
    }
  });

  if (expected.opens === "write") {
    it("keeps all entries over one append and a second opening", () => expectAppend(one));
  }
});

async function expectHarmlessOpening(one: Case): Promise<void> {
  const path = one.copy();
  const before = hashOf(path);
  const first = await openSession(path, {});
  const facts = {
    entries: first.getEntries(),
    leaf: first.getLeafId(),
    context: first.buildSessionContext(),
    diagnostics: first.getDiagnostics(),
  };
  expect(first.isReadOnly()).toBe(one.expected.opens === "read-only");
  first.close();
  expect(hashOf(path)).toBe(before);
  expect(existsSync(`${path}.lock`)).toBe(false);
  const again = await openSession(path, { mode: "read" });
  expect({
    entries: again.getEntries(),
    leaf: again.getLeafId(),
    context: again.buildSessionContext(),
    diagnostics: again.getDiagnostics(),
  }).toEqual(facts);
  expect(dirname(again.getSessionFile() as string)).toBe(dirname(path));
}

async function expectAppend(one: Case): Promise<void> {
  const { path, session } = await openCopy(one);
  const entries = session.getEntries();
  const copy = structuredClone(entries);
  const id = session.appendMessage({ role: "user", content: "漢字 next", timestamp: 5 });
  expect(entries).toEqual(copy);
  session.close();
  const again = await openSession(path, { mode: "read" });
  expect(again.getEntries().slice(0, -1)).toEqual(copy);
  expect(again.getLeafId()).toBe(id);
}
