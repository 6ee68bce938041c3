import type { Anthropic } from "@anthropic-ai/sdk";
import type { Model } from "coppice/ai";

/**
 * How a model thinks. `budget`: a number of tokens is asked for; `adaptive`: an effort is asked for
 * and the model decides; `none`: nothing is asked.
 */
export type ThinkingStyle = "none" | "budget" | "adaptive";

/** How thinking is kept off: by saying nothing, by one of two words, or not at all. */
export type ThinkingOff = "omit" | "disabled" | "between_tools" | "never";

export type Effort = "low" | "medium" | "high" | "xhigh";

type Prices = Model["cost"];

/** A model, and what its requests and prices depend on beyond what every provider tells. */
export interface ModelFacts {
  readonly model: Model;
  readonly style: ThinkingStyle;
  readonly off: ThinkingOff;
  readonly efforts: readonly Effort[];
  /** Other prices of a request whose prompt is longer, in tokens. */
  readonly longPrompt?: { readonly above: number; readonly cost: Prices };
}

/** Input, output, cache read and cache write (five minutes), in US dollars per million tokens. */
type Row = readonly [
  id: string,
  name: string,
  prices: readonly [input: number, output: number, cacheRead: number, cacheWrite: number],
  contextWindow: number,
  maxTokens: number,
  style: ThinkingStyle,
  off: ThinkingOff,
  highest: Effort,
];

/** Published facts; the first is used where no model is chosen. */
const ROWS: readonly Row[] = [
  [
    "claude-opus-5-5",
    "Claude Opus 5.5",
    [4, 20, 0.2, 5],
    1e6,
    128_000,
    "adaptive",
    "never",
    "xhigh",
  ],
  [
    "claude-sonnet-5-5",
    "Claude Sonnet 5.5",
    [2, 10, 0.1, 2.5],
    1e6,
    128_000,
    "adaptive",
    "between_tools",
    "xhigh",
  ],
  [
    "claude-haiku-5-5",
    "Claude Haiku 5.5",
    [0.1, 0.5, 0.01, 0.125],
    1e6,
    128_000,
    "adaptive",
    "disabled",
    "xhigh",
  ],
  [
    "claude-fable-5-2",
    "Claude Fable 5.2",
    [8, 40, 0.2, 10],
    1e6,
    128_000,
    "adaptive",
    "never",
    "xhigh",
  ],
  [
    "claude-fable-5-1",
    "Claude Fable 5.1",
    [10, 50, 0.25, 12.5],
    1e6,
    128_000,
    "adaptive",
    "never",
    "xhigh",
  ],
  [
    "claude-fable-5",
    "Claude Fable 5",
    [10, 50, 1, 12.5],
    1e6,
    128_000,
    "adaptive",
    "never",
    "xhigh",
  ],
  [
    "claude-opus-5",
    "Claude Opus 5",
    [5, 25, 0.5, 6.25],
    1e6,
    128_000,
    "adaptive",
    "disabled",
    "xhigh",
  ],
  [
    "claude-sonnet-5",
    "Claude Sonnet 5",
    [2, 10, 0.2, 2.5],
    1e6,
    128_000,
    "adaptive",
    "disabled",
    "xhigh",
  ],
  [
    "claude-opus-4-8",
    "Claude Opus 4.8",
    [5, 25, 0.5, 6.25],
    1e6,
    128_000,
    "adaptive",
    "omit",
    "xhigh",
  ],
  [
    "claude-opus-4-7",
    "Claude Opus 4.7",
    [5, 25, 0.5, 6.25],
    1e6,
    128_000,
    "adaptive",
    "omit",
    "xhigh",
  ],
  [
    "claude-opus-4-6",
    "Claude Opus 4.6",
    [5, 25, 0.5, 6.25],
    1e6,
    128_000,
    "adaptive",
    "omit",
    "high",
  ],
  [
    "claude-sonnet-4-6",
    "Claude Sonnet 4.6",
    [3, 15, 0.3, 3.75],
    1e6,
    64_000,
    "adaptive",
    "omit",
    "high",
  ],
  [
    "claude-haiku-4-5",
    "Claude Haiku 4.5",
    [1, 5, 0.1, 1.25],
    200_000,
    64_000,
    "budget",
    "omit",
    "high",
  ],
  [
    "claude-opus-4-5",
    "Claude Opus 4.5",
    [5, 25, 0.5, 6.25],
    200_000,
    64_000,
    "budget",
    "omit",
    "high",
  ],
  [
    "claude-sonnet-4-5",
    "Claude Sonnet 4.5",
    [3, 15, 0.3, 3.75],
    200_000,
    64_000,
    "budget",
    "omit",
    "high",
  ],
];

const LONG_PROMPTS: { readonly [id: string]: NonNullable<ModelFacts["longPrompt"]> } = {
  "claude-haiku-5-5": {
    above: 100_000,
    cost: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
  },
};

const EFFORTS: readonly Effort[] = ["low", "medium", "high", "xhigh"];

/** The built-in table. */
export const KNOWN_MODELS: readonly ModelFacts[] = ROWS.map(factsOfRow);

function factsOfRow([
  id,
  name,
  prices,
  contextWindow,
  maxTokens,
  style,
  off,
  highest,
]: Row): ModelFacts {
  const [input, output, cacheRead, cacheWrite] = prices;
  const longPrompt = LONG_PROMPTS[id];
  return {
    model: {
      id,
      name,
      provider: "anthropic",
      api: "anthropic-messages",
      reasoning: style !== "none",
      input: ["text", "image"],
      cost: { input, output, cacheRead, cacheWrite },
      contextWindow,
      maxTokens,
    },
    style,
    off,
    efforts: EFFORTS.slice(0, EFFORTS.indexOf(highest) + 1),
    ...(longPrompt && { longPrompt }),
  };
}

/** Position of a model in the table, also by an id with a date; its length for others. */
export function rankOf(id: string): number {
  const plain = id.replace(/-\d{8}$/, "");
  const index = KNOWN_MODELS.findIndex(({ model }) => model.id === plain);
  return index < 0 ? KNOWN_MODELS.length : index;
}

/**
 * What is known of a model without asking: the table, also for ids with a date; a `claude-` id that
 * is not in it is taken for a new model; any other for one without thinking and prices.
 */
export function factsOf(id: string): ModelFacts {
  const known = KNOWN_MODELS[rankOf(id)];
  if (known) return { ...known, model: { ...known.model, id } };
  const isClaude = id.startsWith("claude-");
  const style = isClaude ? "adaptive" : "none";
  const row: Row = [id, id, [0, 0, 0, 0], 200_000, isClaude ? 32_000 : 8192, style, "omit", "high"];
  return factsOfRow(row);
}

/** The facts of a model of the API's list; what the list leaves out comes from {@link factsOf}. */
export function factsOfListed(info: Anthropic.ModelInfo): ModelFacts {
  const facts = factsOf(info.id);
  const capabilities = info.capabilities ?? undefined;
  const model: Model = {
    ...facts.model,
    name: info.display_name || facts.model.name,
    contextWindow: info.max_input_tokens ?? facts.model.contextWindow,
    maxTokens: info.max_tokens ?? facts.model.maxTokens,
    input: capabilities?.image_input?.supported === false ? ["text"] : facts.model.input,
  };
  if (!capabilities?.thinking) return { ...facts, model };
  const style = styleOf(capabilities.thinking);
  return {
    ...facts,
    model: { ...model, reasoning: style !== "none" },
    style,
    off: style === "adaptive" ? offOf(capabilities.thinking.types, facts.off) : "omit",
    efforts: capabilities.effort ? effortsOf(capabilities.effort) : facts.efforts,
  };
}

function styleOf({ supported, types }: Anthropic.ThinkingCapability): ThinkingStyle {
  if (!supported) return "none";
  return types.adaptive?.supported ? "adaptive" : "budget";
}

function offOf(types: Anthropic.ThinkingTypes, known: ThinkingOff): ThinkingOff {
  if (types.disabled?.supported) return known === "omit" ? "omit" : "disabled";
  return types.between_tools?.supported ? "between_tools" : "never";
}

function effortsOf(effort: Anthropic.EffortCapability): Effort[] {
  return effort.supported ? EFFORTS.filter((level) => effort[level]?.supported) : [];
}
