import {
  type AgentMessage,
  buildSessionContext,
  convertToLlm,
  deepFreeze,
  estimateTokens,
  hasSummarisable,
  repairRequest,
  selectForSummary,
} from "coppice/core";
import { describe, expect, it } from "vitest";
import { call, entry } from "./messages.ts";

const ROLES = [
  "user",
  "developer",
  "assistant",
  "toolResult",
  "custom",
  "hookMessage",
  "branchSummary",
  "compactionSummary",
  "bashExecution",
  "pythonExecution",
  "fileMention",
  "martian",
  "constructor",
];
const FIELDS = ["content", "files", "summary", "command", "code", "output", "usage", "toolCallId"];
const VALUES = [
  undefined,
  null,
  5,
  "text",
  {},
  [null],
  [5],
  [{}],
  [{ type: "text", text: 5 }],
  [{ type: "toolCall", name: 5, arguments: "x" }],
  [{ type: "image" }],
];

function broken(role: string, field: string, value: unknown): AgentMessage {
  const message = { role, timestamp: 1, content: [call("k")], [field]: value };
  return deepFreeze(message) as unknown as AgentMessage;
}

describe("a message that another program has written badly", () => {
  it.each(ROLES)("is read, counted, summarised and sent as far as it goes: %s", (role) => {
    for (const field of FIELDS) {
      for (const value of VALUES) {
        const message = broken(role, field, value);
        const entries = [entry("e", message)];
        const { messages } = buildSessionContext(entries);
        expect(Array.isArray(repairRequest(convertToLlm(messages)))).toBe(true);
        expect(estimateTokens(message)).toBeGreaterThanOrEqual(0);
        expect(selectForSummary(entries, 0).conversation !== "").toBe(hasSummarisable(entries));
      }
    }
  });

  it("tells of the mentioned files those that are files", () => {
    const files = [null, { path: "a", content: "b" }];
    expect(convertToLlm([broken("fileMention", "files", files)])[0]?.content).toEqual([
      { type: "text", text: "File a:\n```\nb\n```" },
    ]);
  });
});
