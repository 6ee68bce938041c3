import { contentText, type LlmMessage, repairRequest, toolCalls } from "coppice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { call, reply, result, user } from "./messages.ts";

/** One word per message: role, and for results their call and text. */
function outline(messages: readonly LlmMessage[]): string[] {
  return messages.map((message) =>
    message.role === "toolResult"
      ? `${message.toolCallId}${message.isError ? "!" : `=${contentText(message.content)}`}`
      : message.role,
  );
}

describe("repairRequest", () => {
  it("moves results behind their calls, in the order of the calls", () => {
    const request = [
      user("q"),
      reply([call("k1"), call("k2")]),
      user("wait"),
      result("k2", "two"),
      result("k1", "one"),
    ];
    expect(outline(repairRequest(request))).toEqual([
      "user",
      "assistant",
      "k1=one",
      "k2=two",
      "user",
    ]);
  });

  it("makes an error result for a call that was not run", () => {
    const [, made] = repairRequest([reply([call("k1", "write")])]);
    expect(made).toMatchObject({ toolCallId: "k1", toolName: "write", isError: true });
    expect(contentText(made?.content)).toMatch(/not run/);
  });

  it("gives a result to the nearest earlier call with its id that has none", () => {
    const twice = [
      reply([call("k")]),
      reply([call("k")]),
      result("k", "late"),
      result("k", "later"),
      result("k", "stray"),
    ];
    expect(outline(repairRequest(twice))).toEqual(["assistant", "k=later", "assistant", "k=late"]);
    expect(
      outline(repairRequest([reply([call("k"), call("k")]), result("k", "1"), result("k", "2")])),
    ).toEqual(["assistant", "k=1", "k=2"]);
  });

  it("drops results that no earlier call asked for", () => {
    expect(outline(repairRequest([result("k", "before"), user("q"), reply([call("k")])]))).toEqual([
      "user",
      "assistant",
      "k!",
    ]);
  });

  it("drops a reply that failed or was aborted without content, and no other", () => {
    const request = [
      reply([], { stopReason: "aborted" }),
      reply([], { stopReason: "error" }),
      reply([], { stopReason: "stop" }),
      reply("half", { stopReason: "aborted" }),
    ];
    expect(repairRequest(request)).toEqual(request.slice(2));
  });

  it("holds for any order of calls and results", () => {
    const id = fc.constantFrom("a", "b", "c");
    const message = fc.oneof(
      fc.array(id, { maxLength: 3 }).map((ids) => reply(ids.map((each) => call(each)))),
      id.map((each) => result(each, "r")),
      fc.constant(user("u")),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const request = repairRequest(messages);
        expect(repairRequest(request)).toEqual(request);
        let due: string[] = [];
        for (const each of request) {
          if (each.role === "toolResult") expect(due.shift()).toBe(each.toolCallId);
          else {
            expect(due).toEqual([]);
            due = toolCalls(each).map((one) => one.id);
          }
        }
        expect(due).toEqual([]);
      }),
    );
  });
});
