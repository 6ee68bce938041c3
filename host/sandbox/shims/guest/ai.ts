import { type TSchema, Type } from "typebox";
import { sessionId } from "../../../../core/index.ts";
import { THINKING_LEVELS } from "../../../model-types.ts";
import { costOf } from "../../../stream.ts";
import { hostFunction } from "./host-call.ts";
import { environment } from "./memory-sessions.ts";

export { createAssistantMessageEventStream, emptyUsage } from "../../../stream.ts";
export { costOf, THINKING_LEVELS, Type };

/** A schema of one of some texts, in the form that every provider understands. */
export function StringEnum(values: readonly string[], options: object = {}): TSchema {
  return Type.Unsafe({ type: "string", enum: [...values], ...options });
}

export const uuidv7 = (): string => sessionId(environment);

type Args = [model: unknown, context: unknown, options?: unknown];

export const complete = (...args: Args) => hostFunction("complete", "coppice/ai.complete")(...args);
export const completeSimple = (...args: Args) =>
  hostFunction("completeSimple", "coppice/ai.completeSimple")(...args);
export const streamSimple = (...args: Args) =>
  hostFunction("streamSimple", "coppice/ai.streamSimple")(...args);
export const getModel = (provider: string, id: string) =>
  hostFunction("getModel", "coppice/ai.getModel")(provider, id);
export const getModels = (provider?: string) =>
  hostFunction("getModels", "coppice/ai.getModels")(provider);

/** Sets what a reply has cost by its tokens, and gives it. */
export function calculateCost(
  model: Parameters<typeof costOf>[0],
  usage: Parameters<typeof costOf>[1] & { cost?: unknown },
) {
  const cost = costOf(model, usage);
  usage.cost = cost;
  return cost;
}

/** The texts of a message's content, joined. */
export function contentText(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("\n");
}
