import { type AgentMessage, contentText, convertToLlm, deepFreeze } from "coppice/core";
import { describe, expect, it } from "vitest";
import { call, reply, result, user } from "./messages.ts";

function convertOne(message: object, options?: Parameters<typeof convertToLlm>[1]) {
  return convertToLlm([deepFreeze({ timestamp: 7, ...message }) as AgentMessage], options)[0];
}

function textOf(message: object): string {
  return contentText(convertOne(message)?.content);
}

describe("convertToLlm", () => {
  it("keeps user, developer, assistant and toolResult as they are", () => {
    const messages = [user("hi"), reply([{ type: "thinking", thinking: "hm" }, call("k")])];
    const all = [...messages, result("k", "one"), { ...user("note"), role: "developer" as const }];
    expect(convertToLlm(all)).toEqual(all);
  });

  it("gives the model custom messages as user, whatever their display", () => {
    const message = { role: "custom", customType: "x", content: "note", display: false };
    const expected = { role: "user", content: [{ type: "text", text: "note" }], timestamp: 7 };
    expect(convertOne(message)).toEqual(expected);
    expect(convertOne({ ...message, role: "hookMessage" })).toEqual(expected);
    const blocks = [
      { type: "text", text: "see" },
      { type: "image", data: "QQ==", mimeType: "image/png" },
    ];
    expect(convertOne({ ...message, content: blocks })?.content).toEqual(blocks);
  });

  it.each(["branchSummary", "compactionSummary"])(
    "puts the text of a %s, byte for byte, between summary lines",
    (role) => {
      const summary = " two\n\n</summary>\r\n\ttail ";
      const [leadIn, ...rest] = textOf({ role, summary, tokensBefore: 1 }).split("\n\n<summary>\n");
      expect(leadIn).toMatch(/^[^\n.]+summary[^\n.]+:$/);
      expect(rest.join("")).toBe(`${summary}\n</summary>`);
    },
  );

  it("tells a bash run: command, output, end, truncation, in this order", () => {
    const run = {
      role: "bashExecution",
      command: "make",
      output: "ok\n",
      cancelled: false,
      truncated: false,
    };
    expect(textOf({ ...run, exitCode: 0 })).toBe(
      "Ran this command:\n```\nmake\n```\nIt printed:\n```\nok\n```",
    );
    expect(textOf({ ...run, output: "", exitCode: 2 })).toMatch(/printed nothing.*\n.*exit code 2/);
    expect(
      textOf({ ...run, cancelled: true, exitCode: 2, truncated: true, fullOutputPath: "/o" }),
    ).toMatch(/```\nThe command was cancelled\.\nThe output was truncated.*\/o\.$/);
    expect(convertOne({ ...run, excludeFromContext: true })).toBeUndefined();
  });

  it("fences text that holds fences with a longer fence", () => {
    const text = textOf({ role: "pythonExecution", code: "x = '''```'''", output: "````" });
    expect(text).toContain("````\nx = '''```'''\n````");
    expect(text).toContain("`````\n````\n`````");
  });

  it("tells mentioned files first, then their images", () => {
    const image = { type: "image", data: "QQ==", mimeType: "image/png" };
    const files = [
      { path: "a.png", content: "", image },
      { path: "b.ts", content: "let b;" },
    ];
    expect(convertOne({ role: "fileMention", files })?.content).toEqual([
      { type: "text", text: "File a.png:\n```\n\n```" },
      { type: "text", text: "File b.ts:\n```\nlet b;\n```" },
      image,
    ]);
  });

  it("resolves image references, and says where an image is unavailable", () => {
    const data = `blob:sha256:${"a".repeat(64)}`;
    const content = [{ type: "image", data, mimeType: "image/png" }];
    const found = convertOne({ role: "user", content }, { resolveImage: () => "QQ==" });
    expect(found?.content).toEqual([{ type: "image", data: "QQ==", mimeType: "image/png" }]);
    for (const message of [
      { role: "user", content },
      { role: "toolResult", toolCallId: "k", toolName: "t", isError: false, content },
    ]) {
      expect(textOf(message)).toMatch(/image \(image\/png\).*unavailable/);
    }
  });

  it("gives nothing for unknown roles and no blocks for content that is missing", () => {
    expect(convertOne({ role: "martian", content: "x" })).toBeUndefined();
    expect(convertOne({ role: "user", content: null })?.content).toEqual([]);
    expect(convertOne({ role: "assistant" })?.content).toEqual([]);
  });

  it("changes nothing when its own result is converted", () => {
    const once = convertToLlm([
      { role: "branchSummary", summary: "s", timestamp: 1 },
      { role: "custom", customType: "x", content: "c", display: true, timestamp: 1 },
    ]);
    expect(convertToLlm(once)).toEqual(once);
  });
});
