import type { ContributionPoint } from "../api.ts";
import { hostError } from "../errors.ts";
import {
  type AssistantMessageEventStream,
  type Model,
  type ModelContext,
  type StreamOptions,
  THINKING_LEVELS,
  type ThinkingLevel,
} from "../model-types.ts";
import type { Shape } from "../shape.ts";
import { type Call, checkOneOf, getter, type Method, method } from "./method.ts";

const MODEL_CALL: readonly Shape[] = [
  "object",
  "object",
  ["?", { signal: "signal?", maxTokens: "number?", reasoning: "string?", sessionId: "string?" }],
];

/** The time of the handler that asks stands still until the reply has come (extensions spec §3.3). */
function streamReply(
  { runtime, budget }: Call,
  model: Model,
  context: ModelContext,
  options?: StreamOptions,
): AssistantMessageEventStream {
  const stream = runtime.models.stream(model, context, options);
  if (budget) void budget.pauseFor(Promise.allSettled([stream.result()]));
  return stream;
}

/** State of the agent and the host, and the calls that change it (extensions spec §2.3, §2.4, §2.8). */
export const state: readonly Method[] = [
  getter("ctx.mode", ({ runtime }) => runtime.ui.mode),
  getter("ctx.hasUI", ({ runtime }) => runtime.ui.hasUI),
  getter("ctx.model", ({ runtime }) => runtime.session.model),
  getter("ctx.thinkingLevel", ({ runtime }) => runtime.session.thinkingLevel),
  getter("ctx.signal", ({ runtime }) => runtime.session.signal),
  method({
    name: "ctx.isIdle",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.session.activity === "idle",
  }),
  method({
    name: "ctx.abort",
    box: "post",
    permission: "host:lifecycle",
    args: [],
    run: ({ runtime }) => runtime.session.abort(),
  }),
  method({
    name: "ctx.shutdown",
    box: "post",
    permission: "host:lifecycle",
    args: [],
    run: ({ runtime }) => runtime.ui.shutdown(),
  }),
  method({
    name: "ctx.getContextUsage",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.session.contextUsage(),
  }),
  method({
    name: "ctx.getSetting",
    box: "mirror",
    args: ["string"],
    run: ({ runtime }, key: string) => runtime.settings.get(key),
  }),
  method({
    name: "ctx.getContributions",
    box: "mirror",
    permission: "session:read",
    args: ["string"],
    run({ runtime, instance }, point: ContributionPoint) {
      // What others contribute is called in their name: only coppice's own views do that.
      if (!instance.extension.firstParty) {
        throw hostError("NOT_SUPPORTED", { member: "ctx.getContributions" });
      }
      return runtime.contributions.get(point);
    },
  }),
  method({
    name: "api.getCommands",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.commands.infos(),
  }),
  method({
    name: "api.getAllTools",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.tools.infos(),
  }),
  method({
    name: "api.getActiveTools",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.tools.active().map(({ name }) => name),
  }),
  method({
    name: "api.setActiveTools",
    box: "post",
    permission: "tools:configure",
    args: [["string"]],
    run: ({ runtime }, names: readonly string[]) => runtime.tools.setActive(names),
  }),
  method({
    name: "api.setModel",
    box: "call",
    isAsync: true,
    permission: "model:select",
    args: ["object?"],
    run: async ({ runtime }, model: Model | undefined) => {
      if (model) return runtime.session.setModel(model);
      runtime.session.unsetModel();
      return true;
    },
  }),
  method({
    name: "api.getThinkingLevel",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.session.thinkingLevel,
  }),
  method({
    name: "api.setThinkingLevel",
    box: "post",
    permission: "model:select",
    args: ["string"],
    run({ runtime }, level: ThinkingLevel) {
      checkOneOf("api.setThinkingLevel: level", level, THINKING_LEVELS);
      runtime.session.setThinkingLevel(level);
    },
  }),
  method({
    name: "ctx.modelRegistry.find",
    box: "mirror",
    args: ["string", "string"],
    run: ({ runtime }, provider: string, id: string) => runtime.models.find(provider, id),
  }),
  method({
    name: "ctx.modelRegistry.getAll",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.models.all(),
  }),
  method({
    name: "ctx.modelRegistry.getAvailable",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.models.available(),
  }),
  method({
    name: "ctx.modelRegistry.hasConfiguredAuth",
    box: "mirror",
    args: ["object"],
    run: ({ runtime }, model: Model) => runtime.models.hasCredentials(model.provider),
  }),
  method({
    name: "ctx.modelRegistry.getProviderDisplayName",
    box: "mirror",
    args: ["string"],
    run: ({ runtime }, provider: string) => runtime.models.title(provider),
  }),
  method({
    name: "ctx.modelRegistry.getProviderAuthStatus",
    box: "mirror",
    args: ["string"],
    run({ runtime: { models } }, provider: string) {
      const hint = models.credentialsHint(provider);
      const configured = models.hasCredentials(provider);
      return hint === undefined ? { configured } : { configured, hint };
    },
  }),
  method({
    name: "ctx.modelRegistry.streamSimple",
    box: "call",
    permission: "model:complete",
    args: MODEL_CALL,
    run: streamReply,
  }),
  method({
    name: "ctx.modelRegistry.complete",
    box: "call",
    isAsync: true,
    permission: "model:complete",
    args: MODEL_CALL,
    run: (call, model: Model, context: ModelContext, options?: StreamOptions) =>
      streamReply(call, model, context, options).result(),
  }),
  method({
    name: "ctx.modelRegistry.refresh",
    box: "call",
    isAsync: true,
    permission: "model:select",
    args: [],
    run: ({ runtime }) => runtime.models.refresh(),
  }),
];
