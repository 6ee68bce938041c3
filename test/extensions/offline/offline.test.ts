import type { AssistantMessageEvent, ModelContext, StreamOptions } from "coppice/ai";
import { contentText, convertToLlm, estimateTokens, type LlmMessage } from "coppice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OFFLINE_MODEL, offlineProvider } from "../../../extensions/offline/provider.ts";
import { reply, result, user } from "../../core/messages.ts";

const provider = offlineProvider({ now: () => 1000 });

function start(messages: readonly LlmMessage[], options?: StreamOptions) {
  const context: ModelContext = { messages };
  return provider.streamSimple(OFFLINE_MODEL, context, options);
}

async function say(messages: readonly LlmMessage[], options?: StreamOptions): Promise<string> {
  return contentText((await start(messages, options).result()).content);
}

/** What follows the introduction. */
async function find(messages: readonly LlmMessage[], query: string): Promise<string[]> {
  const text = await say([...messages, own("hi"), user(query)]);
  return text.split("\n").filter((line) => line.startsWith("- "));
}

function own(text: string) {
  return reply(text, { provider: "offline", model: "offline" });
}

const BRANCH: readonly LlmMessage[] = [
  user("Our parser drops the last line of a file. Please find out why."),
  reply("The reader stops at the final newline. I will read core/lineCodec.ts next."),
  result("k", "function splitLines(text) {\n  return text.split('\\n').slice(0, -1);\n}"),
  reply("We decided to keep the torn tail instead of dropping it. The weather is fine."),
  user("最后一行必须保留。不要改动文件格式。"),
  reply("修改之后，解析器会保留最后一行。测试全部通过。"),
];

describe("the offline model", () => {
  it("says what it is in its first reply on a branch, and only there", async () => {
    const first = await say([user("hello")]);
    expect(first).toMatch(/no language model.*no key and no network/);
    expect(first).toMatch(/\/model/);
    expect(await say([user("hello"), own(first), user("again")])).not.toMatch(/language model/);
  });

  it("quotes the sentences of the branch that match, with who said them", async () => {
    expect(await find(BRANCH, "What about the torn tail?")).toEqual([
      "- Assistant: “We decided to keep the torn tail instead of dropping it.”",
    ]);
    expect((await find(BRANCH, "which line did the parsers drop"))[0]).toBe(
      "- You: “Our parser drops the last line of a file.”",
    );
    expect(await find(BRANCH, "splitLines")).toEqual([
      "- Tool result: “function splitLines(text) {”",
    ]);
    expect(await find(BRANCH, "codec")).toEqual([
      "- Assistant: “I will read core/lineCodec.ts next.”",
    ]);
  });

  it("finds sentences in scripts without spaces", async () => {
    expect(await find(BRANCH, "测试通过了吗")).toEqual(["- Assistant: “测试全部通过。”"]);
    expect((await find(BRANCH, "文件格式"))[0]).toBe("- You: “不要改动文件格式。”");
    expect((await find([user("最初の行を読みます。次へ。")], "行を読む"))[0]).toMatch(
      /最初の行を読みます。”$/,
    );
  });

  it("says so when nothing matches, and when there is nothing", async () => {
    expect(await say([...BRANCH, own("x"), user("submarine")])).toMatch(
      /^Nothing .* shares a word/,
    );
    expect(await say([user("hello")])).toMatch(/holds nothing before your message/);
  });

  it("never quotes itself, and sees summaries without the words around them", async () => {
    const branch = convertToLlm([
      {
        role: "branchSummary",
        summary: "Kiwi came first.\n\n<read-files>\nkiwi.ts\n</read-files>",
        timestamp: 1,
      },
      own("You said kiwi."),
    ]);
    expect(await find(branch, "kiwi")).toEqual(["- Summary: “Kiwi came first.”"]);
  });

  it("counts its usage by the estimate, and costs nothing", async () => {
    const { usage, timestamp } = await start([user("x".repeat(400))]).result();
    expect(usage.input).toBe(estimateTokens(user("x".repeat(400))));
    expect(usage.output).toBeGreaterThan(10);
    expect(usage).toMatchObject({ totalTokens: usage.input + usage.output, cost: { total: 0 } });
    expect(timestamp).toBe(1000);
    expect(provider.hasCredentials()).toBe(true);
    expect(provider.priority).toBeLessThan(0);
  });
});

describe("its stream", () => {
  it("gives the text in small pieces", async () => {
    const events: AssistantMessageEvent[] = [];
    const stream = start([...BRANCH, user("parser")]);
    for await (const event of stream) events.push(event);
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(10);
    expect(deltas.join("")).toBe(contentText((await stream.result()).content));
    expect(events.map(({ type }) => type).filter((type) => type !== "text_delta")).toEqual([
      "start",
      "text_start",
      "text_end",
      "done",
    ]);
  });

  it("ends at an abort with what it had said", async () => {
    const controller = new AbortController();
    const stream = start([user("hello")], controller);
    let said = "";
    for await (const event of stream) {
      if (event.type !== "text_delta") continue;
      said += event.delta;
      if (said.length > 40) controller.abort();
    }
    const message = await stream.result();
    expect(message).toMatchObject({ stopReason: "aborted", content: [{ text: said }] });
    const before = await start([user("hello")], { signal: AbortSignal.abort() }).result();
    expect(before).toMatchObject({ stopReason: "aborted", content: [] });
  });

  it("ends at the limit of tokens, with a whole line where one fits", async () => {
    const { content, stopReason } = await start([...BRANCH, user("parser")], {
      maxTokens: 60,
    }).result();
    expect(stopReason).toBe("length");
    expect(contentText(content).length).toBeLessThanOrEqual(240);
    expect(contentText(content)).toMatch(/\/model\.\s*$/);
  });
});

const CONVERSATION = `[User]: Our parser drops the last line of a file. It must keep the format.

[Assistant thinking]: a secret thought about lines

[Assistant]: The reader stops at the final newline. I fixed the reader, and the parser reads the last line.

[Assistant tool calls]: write(path="core/codec.ts")

[Tool result]: error TS2345: argument of type string

[User]: 不要改动测试文件。

[Assistant]: We decided to use a torn tail instead. Next, the reader needs a test for the last line.`;

function request(instructions = "Summarise it.") {
  return user(`<conversation>\n${CONVERSATION}\n</conversation>\n\n${instructions}`);
}

describe("a summary", () => {
  it("has the sections of a branch summary, made of sentences of the branch", async () => {
    const text = await say([request()]);
    expect(text.split("\n\n")).toEqual([
      expect.stringMatching(/^Extract by the offline model/),
      "## Goal\nOur parser drops the last line of a file.",
      "## Constraints & Preferences\n- It must keep the format.\n- 不要改动测试文件。",
      "## Progress\n### Done\n- The reader stops at the final newline.\n" +
        "- I fixed the reader, and the parser reads the last line.",
      "### Blocked\n- error TS2345: argument of type string",
      "## Key Decisions\n- We decided to use a torn tail instead.",
      "## Next Steps\n- Next, the reader needs a test for the last line.",
    ]);
  });

  it("prefers what it is asked to focus on", async () => {
    const filler = Array.from({ length: 30 }, (_, index) => `Step ${index} of the reader is done.`);
    const text = `[User]: go\n\n[Assistant]: ${filler.join(" ")} The zebra is fed.`;
    const wish = (focus: string) =>
      user(`<conversation>\n${text}\n</conversation>\n\nSummarise.\n\nFocus on this: ${focus}`);
    expect(await say([wish("the zebra")])).toMatch(/zebra is fed/);
    expect(await say([wish("step 3")])).toMatch(/Step 3 of/);
  });

  it("is also given of the branch itself, when asked for", async () => {
    const text = await say([...BRANCH, own("x"), user("Please summarize this branch")]);
    expect(text).toMatch(/## Goal\nOur parser drops the last line/);
    expect(text).toMatch(/## Key Decisions\n- We decided to keep the torn tail/);
  });

  it("holds no sentence that is not in the branch, whatever the branch is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom("User", "Assistant", "Tool result"),
            fc.string({ unit: "grapheme", maxLength: 80 }),
          ),
          {
            maxLength: 8,
          },
        ),
        async (parts) => {
          const text = parts.map(([title, body]) => `[${title}]: ${body}`).join("\n\n");
          const summary = await say([
            user(`<conversation>\n${text}\n</conversation>\n\nSummarise.`),
          ]);
          for (const line of summary.split("\n")) {
            if (line.startsWith("- ")) expect(text).toContain(line.slice(2).replace(/…$/, ""));
          }
        },
      ),
    );
  });
});
