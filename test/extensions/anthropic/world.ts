import type {
  AssistantMessageEvent,
  Model,
  ModelContext,
  ProviderConfig,
  StreamOptions,
} from "coppice/ai";
import type { AssistantMessage } from "coppice/core";
import { anthropicProvider } from "../../../extensions/anthropic/provider.ts";
import { type AnthropicServer, startAnthropicServer } from "../../anthropic-server.ts";
import type { WireBody } from "../../anthropic-wire.ts";
import { reply, user } from "../../core/messages.ts";

/** A local server and the provider that talks to it. */
export interface World {
  readonly server: AnthropicServer;
  readonly provider: ProviderConfig;
  /** The variables that the provider reads; a test may change them. */
  env: Record<string, string>;
  model(id?: string): Model;
  ask(context?: Partial<ModelContext>, options?: StreamOptions, id?: string): Promise<Answer>;
}

export interface Answer {
  readonly events: readonly AssistantMessageEvent[];
  readonly message: AssistantMessage;
  /** Body of the last request that the server has seen. */
  readonly body: WireBody;
}

export async function anthropicWorld(models: readonly object[] = []): Promise<World> {
  const server = await startAnthropicServer({ models });
  const provider = anthropicProvider({ env: () => world.env, now: () => 1000, retries: 2 });
  const world: World = {
    server,
    provider,
    env: { ANTHROPIC_API_KEY: "sk-test-0123456789", ANTHROPIC_BASE_URL: server.url },
    model(id = "claude-sonnet-5-5") {
      const known = provider.models.find((one) => one.id === id);
      return known ?? { ...(provider.models[0] as Model), id };
    },
    async ask(context = {}, options = {}, id = undefined) {
      const messages = context.messages ?? [user("hello")];
      const stream = provider.streamSimple(world.model(id), { ...context, messages }, options);
      const events: AssistantMessageEvent[] = [];
      for await (const event of stream) events.push(event);
      return { events, message: await stream.result(), body: lastBody(server) };
    },
  };
  return world;
}

function lastBody({ requests }: AnthropicServer): WireBody {
  return requests.at(-1)?.body ?? { model: "", max_tokens: 0, messages: [] };
}

/** A reply of the model that is asked. */
export function own(content: Parameters<typeof reply>[0], id = "claude-sonnet-5-5") {
  return reply(content, { provider: "anthropic", model: id });
}
