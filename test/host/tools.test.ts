import { expect, it, onTestFinished, vi } from "vitest";
import { Budget } from "../../host/budget.ts";
import type { ContextFacts } from "../../host/context.ts";
import { Invocations } from "../../host/sandbox/invocations.ts";
import { cutContent } from "../../host/tools-cut.ts";
import { calls, prompted, resultTexts } from "../contract/tool-calls.ts";
import { loadWorld, type Source } from "../contract/world.ts";

const echo: Source = (api) => {
  api.registerTool<{ text: string }>({
    name: "echo",
    description: "Gives back a text.",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    execute: (_id, { text }) => ({ content: [{ type: "text", text }] }),
  });
};

/** Notes the input it sees, changes it in place and by its result. */
const meddles: Source = (api) => {
  api.on("tool_call", ({ input }, ctx) => {
    ctx.ui.notify(JSON.stringify(input));
    input.text = "changed";
    return input.text === "b" ? undefined : { block: true };
  });
};

it.each([
  [["ui"], [], "a", ["meddles PERMISSION_UNDECLARED"]],
  [["ui", "tools:block"], ["{}"], "error: The call was blocked by the extension meddles.", []],
  [
    ["ui", "tools:block", "tools:input"],
    ['{"text":"a"}'],
    "error: The call was blocked by the extension meddles.",
    ["meddles PERMISSION_UNDECLARED"],
  ],
])("with %j a handler of tool_call has seen %j", async (permissions, said, text, reported) => {
  const world = await loadWorld({
    extensions: { echo },
    firstParty: { meddles: { source: meddles, permissions } },
  });
  await prompted(world, calls(["echo", { text: "a" }]));
  expect(world.said).toEqual(said);
  expect(resultTexts(world)).toEqual([text]);
  expect(world.reported).toEqual(reported);
});

it("a long result keeps its beginning in whole lines and characters, and its images", () => {
  const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
  const text = (length: number, line: string) =>
    ({ type: "text", text: Array.from({ length }, () => line).join("\n") }) as const;
  const short = [text(10, "line"), image];
  expect(cutContent(short)).toBe(short);
  const [first, second, kept, note] = cutContent([text(1500, "a"), text(1500, "b"), image]);
  expect(first).toEqual(text(1500, "a"));
  expect(second).toEqual(text(500, "b"));
  expect(kept).toBe(image);
  expect(note).toMatchObject({ text: expect.stringMatching(/cut here.*3000 lines/) });
  const [wide] = cutContent([text(1, "é".repeat(50 * 1024))]);
  expect(wide).toEqual(text(1, "é".repeat(25 * 1024)));
  const [lines] = cutContent([text(100, "x".repeat(1000))]);
  expect(lines).toEqual(text(51, "x".repeat(1000)));
});

it("the time of handlers stands still while their package waits for a model", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const budget = new Budget(1000);
  const invocations = new Invocations(5);
  invocations.open({ call: { budget }, isCommand: false } as ContextFacts);
  let answered: () => void = () => undefined;
  invocations.pauseFor(
    new Promise<void>((resolve) => {
      answered = resolve;
    }),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(budget.signal.aborted).toBe(false);
  answered();
  await vi.advanceTimersByTimeAsync(900);
  expect(budget.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(budget.signal.aborted).toBe(true);
});
