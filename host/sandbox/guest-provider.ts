import { errorMessage, isJsonObject } from "../../core/index.ts";
import type {
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Model,
  ModelContext,
  StreamOptions,
} from "../model-types.ts";
import { createAssistantMessageEventStream, emptyUsage } from "../stream.ts";
import type { GuestLink } from "./guest-link.ts";

/** The replies of a guest's provider, whose events come one by one. */
export function guestStream(link: GuestLink, id: number) {
  return (
    model: Model,
    context: ModelContext,
    options?: StreamOptions,
  ): AssistantMessageEventStream => {
    const stream = createAssistantMessageEventStream();
    const push = (event: unknown) => {
      if (isEvent(event)) stream.push(event);
    };
    link.invoke(id, [model, context, options, push], { signal: options?.signal }).then(
      () => stream.end(),
      (error: unknown) => {
        stream.push({ type: "error", reason: "error", error: failed(model, errorMessage(error)) });
        stream.end();
      },
    );
    return stream;
  };
}

/** Whether a guest's provider could be called, as it said last; asked anew at each use. */
export function guestCredentials(link: GuestLink, id: number) {
  let last = true;
  return (): boolean => {
    link.invoke(id, []).then(
      (answer) => {
        last = answer === true;
      },
      () => {
        last = false;
      },
    );
    return last;
  };
}

function isEvent(event: unknown): event is AssistantMessageEvent {
  if (!isJsonObject(event) || typeof event.type !== "string") return false;
  if (event.type === "done") return isReply(event.message);
  return isReply(event.type === "error" ? event.error : event.partial);
}

function isReply(message: unknown): boolean {
  return isJsonObject(message) && message.role === "assistant" && Array.isArray(message.content);
}

function failed(model: Model, message: string) {
  return {
    role: "assistant" as const,
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage,
    stopReason: "error" as const,
    errorMessage: message,
    timestamp: 0,
  };
}
