import {
  branchSummaryText,
  deepFreeze,
  estimateSummaryTokens,
  estimateTokens,
  hasSummarisable,
  selectForSummary,
  serializeConversation,
} from "coppice/core";
import { describe, expect, it } from "vitest";
import { call, entry, reply, result, user } from "./messages.ts";

const image = { type: "image", data: "QQ==", mimeType: "image/png" };

function select(entries: Parameters<typeof selectForSummary>[0], budget = 0) {
  const { entries: taken, ...rest } = selectForSummary(deepFreeze(entries), budget);
  return { ids: taken.map(({ id }) => id), ...rest };
}

describe("token estimate", () => {
  it("counts a quarter of all characters, rounded up", () => {
    expect(estimateTokens(user("12345"))).toBe(2);
    const blocks = [
      { type: "thinking", thinking: "1234" },
      { type: "text", text: "1234" },
    ];
    expect(estimateTokens(reply([...blocks, call("k", "read", { p: 1 })]))).toBe(5);
    const run = {
      role: "bashExecution",
      cancelled: false,
      truncated: false,
      timestamp: 1,
    } as const;
    expect(estimateTokens({ ...run, command: "1234", output: "1234" })).toBe(2);
    expect(estimateTokens({ role: "branchSummary", summary: "1234", timestamp: 1 })).toBe(1);
  });

  it("counts images and long results less in a branch summary", () => {
    expect(estimateTokens(user([image]))).toBe(1200);
    expect(estimateSummaryTokens(user([image]))).toBe(0);
    expect(estimateTokens(result("k", "x".repeat(3000)))).toBe(750);
    expect(estimateSummaryTokens(result("k", "x".repeat(3000)))).toBe(500);
  });
});

describe("serializeConversation", () => {
  it("writes one part per kind of text, joined by a blank line", () => {
    const blocks = [
      { type: "text", text: "reading" },
      { type: "thinking", thinking: "hm" },
    ];
    const calls = [call("k", "read", { path: "a", limit: 2 }), call("l", "ls", {})];
    expect(
      serializeConversation([user("go"), reply([...blocks, ...calls]), result("k", "one")]),
    ).toBe(
      "[User]: go\n\n[Assistant thinking]: hm\n\n[Assistant]: reading\n\n" +
        '[Assistant tool calls]: read(path="a", limit=2); ls()\n\n[Tool result]: one',
    );
  });

  it("cuts tool results at 2000 characters and says how many are gone; nothing else is cut", () => {
    const long = "y".repeat(5000);
    expect(serializeConversation([result("k", `${"x".repeat(2000)}${long}`)])).toBe(
      `[Tool result]: ${"x".repeat(2000)}\n[5000 more characters were cut]`,
    );
    expect(serializeConversation([user(long), reply(long)])).toBe(
      `[User]: ${long}\n\n[Assistant]: ${long}`,
    );
  });

  it("leaves out images, developer messages and what has no text", () => {
    const blob = { ...image, data: "blob:sha256:00" };
    const developer = { ...user("secret"), role: "developer" as const };
    expect(serializeConversation([user([image, blob]), developer, user(" \n"), reply([])])).toBe(
      "",
    );
  });

  it("takes what convertToLlm maps to user as the user's", () => {
    const text = serializeConversation([{ role: "branchSummary", summary: "side", timestamp: 1 }]);
    expect(text).toMatch(/^\[User\]: .*\n\n<summary>\nside\n<\/summary>$/);
  });
});

describe("selectForSummary", () => {
  const ten = "x".repeat(40);

  it("takes the newest entries that fit the budget", () => {
    const three = ["a", "b", "c"].map((id) => entry(id, user(ten)));
    expect(select(three, 25).ids).toEqual(["b", "c"]);
    expect(select(three, 30).ids).toEqual(["a", "b", "c"]);
    expect(select(three, 0).ids).toEqual(["a", "b", "c"]);
    expect(select(three, -5).ids).toEqual(["a", "b", "c"]);
  });

  it("ends at the first entry that does not fit, even if an older one would", () => {
    const entries = [
      entry("a", user("x")),
      entry("b", user("x".repeat(400))),
      entry("c", user(ten)),
    ];
    expect(select(entries, 25).ids).toEqual(["c"]);
  });

  it("takes a summary that does not fit while less than nine tenths are used", () => {
    const big = { type: "branch_summary", fromId: "r", summary: "x".repeat(400) };
    const compaction = { type: "compaction", summary: "x".repeat(400), tokensBefore: 9 };
    for (const summary of [big, compaction]) {
      expect(select([entry("s", summary), entry("c", user(ten))], 12).ids).toEqual(["s", "c"]);
      expect(select([entry("s", summary), entry("c", user(ten))], 11).ids).toEqual(["c"]);
    }
    expect(select([entry("b", user(ten)), entry("s", big)], 50).ids).toEqual(["s"]);
  });

  it("cuts the newest entry to the budget if nothing was taken", () => {
    const { ids, conversation } = select([entry("a", user(ten)), entry("b", user(`y${ten}`))], 3);
    expect(ids).toEqual(["b"]);
    expect(conversation).toBe("[User]: yxxx");
  });

  it("never cuts a character in two", () => {
    expect(select([entry("a", user("🌳".repeat(20)))], 3).conversation).toBe("[User]: 🌳🌳");
    expect(select([entry("a", user(`z${"🌳".repeat(20)}`))], 3).conversation).toBe("[User]: z🌳");
  });

  it("passes over entries without text", () => {
    const silent = [
      entry("l", { type: "label", targetId: "a", label: "x" }),
      entry("m", { type: "mode_change", mode: "plan" }),
      entry("s", { type: "branch_summary", fromId: "r", summary: "  " }),
      entry("p", { type: "compaction", summary: "", tokensBefore: 1 }),
      entry("i", user([image])),
      entry("h", { type: "custom", customType: "x", data: "text" }),
    ];
    expect(hasSummarisable(silent)).toBe(false);
    expect(select(silent)).toMatchObject({ ids: [], conversation: "" });
    const loud = [
      ...silent,
      entry("c", { type: "custom_message", customType: "x", content: "note" }),
    ];
    expect(hasSummarisable(loud)).toBe(true);
    expect(select(loud)).toMatchObject({ ids: ["c"], conversation: "[User]: note" });
  });

  it("sees entries as the edits of the branch leave them", () => {
    const entries = [
      entry("a", user("secret")),
      entry("b", reply("wordy")),
      entry("e", { type: "context_edit", targetId: "a", replacement: null }),
      entry("f", { type: "context_edit", targetId: "b", replacement: { content: "short" } }),
    ];
    expect(select(entries)).toMatchObject({ ids: ["b"], conversation: "[Assistant]: short" });
    expect(hasSummarisable([entries[0], entries[2]].flatMap((one) => one ?? []))).toBe(false);
  });

  it("gathers files from the calls it looked at, also where it ended", () => {
    const entries = [
      entry("a", reply([call("1", "read", { path: "far" })])),
      entry("b", reply([call("2", "read", { path: "edge" }), { type: "text", text: ten }])),
      entry("c", reply([call("3", "write", { path: "z" }), call("4", "edit", { path: "B" })])),
      entry("d", reply([call("5", "read", { path: "z" }), call("6", "read", { path: "" })])),
      entry("e", reply([call("7", "bash", { path: "no" }), call("8", "read", { file: "no" })])),
    ];
    const { ids, readFiles, modifiedFiles } = select(entries, 30);
    expect(ids).toEqual(["c", "d", "e"]);
    expect(readFiles).toEqual(["edge"]);
    expect(modifiedFiles).toEqual(["B", "z"]);
  });

  it("takes over the files of earlier summaries, but for those an extension made", () => {
    const details = { readFiles: ["r", 7], modifiedFiles: ["m"] };
    const summary = { type: "branch_summary", fromId: "x", summary: "s", details };
    expect(select([entry("s", summary), entry("u", user(ten))], 10)).toMatchObject({
      readFiles: ["r"],
      modifiedFiles: ["m"],
    });
    for (const flag of ["fromExtension", "fromHook"]) {
      expect(select([entry("s", { ...summary, [flag]: true })]).modifiedFiles).toEqual([]);
    }
  });
});

describe("branchSummaryText", () => {
  it("puts the model's text between a preamble and the files", () => {
    const text = branchSummaryText("## Goal\nx", { readFiles: ["a", "b"], modifiedFiles: ["c"] });
    expect(text).toMatch(
      /^[^\n]+branch[^\n]+\n\n## Goal\nx\n\n<read-files>\na\nb\n<\/read-files>\n\n/,
    );
    expect(text).toMatch(/\n\n<modified-files>\nc\n<\/modified-files>$/);
  });

  it("leaves out the lists that are empty", () => {
    expect(branchSummaryText("x", { readFiles: [], modifiedFiles: [] })).toMatch(/\n\nx$/);
    expect(branchSummaryText("x", { readFiles: [], modifiedFiles: ["m"] })).toMatch(
      /\n\nx\n\n<modified-files>\nm\n<\/modified-files>$/,
    );
  });
});
