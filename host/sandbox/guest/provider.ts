import type { AssistantMessageEventStream, ProviderConfig } from "../../model-types.ts";
import { apply } from "./captured.ts";

type Push = (event: unknown) => void;

/** A provider as the host uses it: the events of its replies go out one by one. */
export function providerForHost(config: ProviderConfig): object {
  const { models, title, priority, credentialsHint } = config;
  return {
    models,
    title,
    priority,
    credentialsHint,
    hasCredentials: () => apply(config.hasCredentials, config, []) === true,
    streamSimple: async (model: unknown, context: unknown, options: unknown, push: Push) => {
      const stream = apply(config.streamSimple, config, [model, context, options]);
      const events = (stream as AssistantMessageEventStream)[Symbol.asyncIterator]();
      for (let next = await events.next(); !next.done; next = await events.next()) {
        push(next.value);
      }
    },
  };
}
