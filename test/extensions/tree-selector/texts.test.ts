import type { SessionEntry, ToolCallBlock } from "coppice/core";
import { describe, expect, test } from "vitest";
import { entryText } from "../../../extensions/tree-selector/entry-text.ts";
import { oneLine, shorten, withDots } from "../../../extensions/tree-selector/shorten.ts";
import { toolCallText } from "../../../extensions/tree-selector/tool-call-text.ts";
import { readTree } from "../../../extensions/tree-selector/tree-data.ts";
import { assistant, entry, sessionOf, user } from "./world.ts";

const HOME = "/home/ann";

function call(name: string, args: object): ToolCallBlock {
  return { type: "toolCall", id: "c1", name, arguments: args as ToolCallBlock["arguments"] };
}

function textOf(type: string, fields: object): string {
  const found = { type, id: "e1", parentId: null, timestamp: "", ...fields };
  return entryText(found as unknown as SessionEntry, { call: undefined, home: HOME });
}

describe("a shortened text", () => {
  test("is cleaned, then trimmed, then cut by characters, never inside a pair", () => {
    expect(oneLine(" \u001b[31m a\nb\u202e ", 10)).toBe("a b");
    expect(shorten("😀".repeat(5), 3)).toEqual({ text: "😀😀😀", isCut: true });
    expect(shorten("  abc  ", 3)).toEqual({ text: "abc", isCut: false });
    expect(withDots("abcd", 3)).toBe("abc...");
    expect(oneLine(undefined)).toBe("");
  });

  test("is the same for a long text as for its beginning", () => {
    const long = `${" ".repeat(5000)}${"\u001b]0;title".repeat(300)}\u0007${"x😀".repeat(50_000)}`;
    expect(oneLine(long, 7)).toBe("x😀x😀x😀x");
    expect(shorten(`${"x".repeat(300)}${" ".repeat(100_000)}`, 300).isCut).toBe(false);
  });
});

describe("a tool call", () => {
  test.each([
    [call("read", { path: "/home/ann/a.ts" }), "[read: ~/a.ts]"],
    [call("read", { path: "/home/anna/a.ts", limit: 3 }), "[read: /home/anna/a.ts:1-3]"],
    [call("read", { path: "a.ts", offset: 5 }), "[read: a.ts:5-]"],
    [call("read", { path: "a.ts", offset: 5, limit: 10 }), "[read: a.ts:5-14]"],
    [call("write", { path: "a b" }), "[write: a b]"],
    [call("ls", {}), "[ls: .]"],
    [call("grep", { pattern: "x", path: HOME }), "[grep: /x/ in ~]"],
    [call("find", { pattern: "*.ts" }), "[find: *.ts in .]"],
    [call("bash", { command: "  ls\n-la  " }), "[bash: ls -la]"],
    [call("bash", { command: 7 }), "[bash: ]"],
    [call("plan", { step: "one" }), '[plan: {"step":"one"}]'],
  ])("%j", (found, shown) => {
    expect(toolCallText(found, HOME)).toBe(shown);
  });

  test("is found by id: nearest above its result, else anywhere in the tree", async () => {
    const result = (id: string, parentId: string, toolCallId: string) => {
      const message = { role: "toolResult", toolCallId, toolName: "read", content: [] };
      return entry("message", id, parentId, { message });
    };
    const reply = (id: string, parentId: string, path: string) => {
      const content = [{ type: "toolCall", id: "c1", name: "read", arguments: { path } }];
      return assistant(id, parentId, "", { content });
    };
    const session = sessionOf([
      user("u1", null),
      reply("a1", "u1", "near"),
      result("r1", "a1", "c1"),
      result("r2", "r1", "c1"),
      reply("a2", "u1", "far"),
      result("r3", "u1", "c1"),
      result("r4", "u1", "nobody"),
    ]);
    const { texts, order } = await readTree(session, { home: HOME });
    const shown = (id: string) => texts.shown(order.positionOf(id));
    expect(["r1", "r2", "r3", "r4"].map(shown)).toEqual([
      "[read: near]",
      "[read: near]",
      "[read: far]",
      "[read]",
    ]);
  });
});

describe("odd entries", () => {
  test.each([
    ["compaction", {}, "[compaction: 0k tokens]"],
    ["compaction", { tokensBefore: 1499 }, "[compaction: 1k tokens]"],
    ["custom_message", { customType: "n", content: null }, "[n]:"],
    ["branch_summary", {}, "[branch summary]:"],
    ["thinking_level_change", { thinkingLevel: null }, "[thinking: off]"],
    ["label", { label: 7 }, "[label: (cleared)]"],
    ["constructor", {}, "[constructor]"],
    ["message", { message: null }, "[message]"],
    ["message", { message: { role: "toolResult" } }, "[toolResult]"],
    ["message", { message: { role: "user" } }, "user:"],
  ])("%s %j", (type, fields, shown) => {
    expect(textOf(type, fields)).toBe(shown);
  });
});

test("texts of other extensions replace the host's, are cleaned, and are searched with them", async () => {
  const session = sessionOf([
    entry("custom", "c1", null, { customType: "note" }),
    entry("custom", "c2", "c1", { customType: "other" }),
  ]);
  const rowText = (text: string) => ({
    id: text,
    customTypes: ["note"],
    text: (rows: readonly unknown[]) => rows.map(() => text),
  });
  const failing = { id: "failing", text: () => Promise.reject(new TypeError("no")) };
  const data = await readTree(session, {
    home: HOME,
    rowTexts: [failing, rowText("A\u001b[31m note"), rowText("never")],
  });
  expect([data.texts.shown(0), data.texts.shown(1)]).toEqual(["A  note", "[custom: other]"]);
  expect(data.texts.searched(0)).toContain("[custom: note]");
});
