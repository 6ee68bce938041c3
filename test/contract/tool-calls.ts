import type { AssistantMessage, ToolResultMessage } from "coppice/core";
import type { ModelCall } from "./fake-model.ts";
import type { World } from "./world.ts";

/** A reply that calls tools by name. */
export function calls(...list: readonly (readonly [name: string, args: object])[]) {
  return {
    stopReason: "toolUse",
    content: list.map(([name, args], i) => ({
      type: "toolCall",
      id: `call-${i + 1}`,
      name,
      arguments: args as Readonly<Record<string, unknown>>,
    })),
  } satisfies Partial<AssistantMessage>;
}

/** Sends a prompt, lets the model reply with each list of fields, and ends with plain text. */
export async function prompted(
  world: World,
  ...replies: readonly Partial<AssistantMessage>[]
): Promise<readonly ModelCall[]> {
  const done = world.session.prompt("go");
  for (const fields of replies) (await world.model.called()).finish(fields);
  const last = await world.model.called();
  last.say("done");
  last.finish();
  await done;
  return world.model.calls;
}

export function results(world: World): readonly ToolResultMessage[] {
  return world.session.messages.filter((message) => message.role === "toolResult");
}

/** The texts of all results, errors marked as such. */
export function resultTexts(world: World): readonly string[] {
  return results(world).map(({ content, isError }) => {
    const text = content.map((block) => (block.type === "text" ? block.text : block.type)).join();
    return isError ? `error: ${text}` : text;
  });
}
