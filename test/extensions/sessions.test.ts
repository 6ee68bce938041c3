import { describe, expect, test } from "vitest";
import {
  age,
  choicesFor,
  type SessionItem,
  sessionChoices,
} from "../../extensions/sessions/choices.ts";

const NOW = Date.UTC(2026, 2, 1, 12);

function item(id: string, fields: Partial<SessionItem> = {}): SessionItem {
  const modified = new Date(NOW - 3 * 3_600_000);
  return { path: `/s/${id}.jsonl`, origin: "coppice", id, modified, messageCount: 2, ...fields };
}

describe("the lines of /resume", () => {
  test("tell name or first text, age, number of messages and origin", () => {
    const items = [
      item("one", { name: "Writer\u001b[2J", firstUserText: "not this" }),
      item("two", { firstUserText: "first\ntext", messageCount: 1, origin: "pi" }),
      item("three", { reason: "line 7 is too long" }),
    ];
    expect(sessionChoices(items, undefined, NOW)).toEqual([
      { label: "Writer", description: "3h ago · 2 messages", path: "/s/one.jsonl" },
      { label: "first text", description: "3h ago · 1 message · pi", path: "/s/two.jsonl" },
      {
        label: "(no message yet)",
        description: "3h ago · 2 messages · line 7 is too long",
        path: "/s/three.jsonl",
      },
    ]);
  });

  test("leave out the session that is open and files that are none", () => {
    const { id: _, ...none } = item("none", { reason: "no session" });
    const items = [item("open"), none, item("other")];
    const choices = sessionChoices(items, "/s/open.jsonl", NOW);
    expect(choices.map(({ path }) => path)).toEqual(["/s/other.jsonl"]);
  });

  test("differ from each other, as the line is all that comes back", () => {
    const items = ["a1", "b2", "b2"].map((id, i) =>
      item(id, { name: "same", path: `/s/${i}.jsonl` }),
    );
    expect(sessionChoices(items, undefined, NOW).map(({ label }) => label)).toEqual([
      "same",
      "same (b2)",
      "same (/s/2.jsonl)",
    ]);
  });

  test("are found by a part of the line or of the file", () => {
    const choices = sessionChoices(
      [item("x1", { name: "Alpha" }), item("y2", { name: "beta" })],
      undefined,
      NOW,
    );
    expect(choicesFor(choices, "ALP").map(({ label }) => label)).toEqual(["Alpha"]);
    expect(choicesFor(choices, "y2").map(({ label }) => label)).toEqual(["beta"]);
  });

  test.each([
    [59_000, "just now"],
    [60_000, "1m ago"],
    [3 * 86_400_000, "3d ago"],
    [20 * 86_400_000, "2w ago"],
    [800 * 86_400_000, "2y ago"],
  ])("%d ms is %s", (milliseconds, shown) => {
    expect(age(milliseconds)).toBe(shown);
  });
});
