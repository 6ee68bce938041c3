import type { Anthropic } from "@anthropic-ai/sdk";
import type { StreamOptions, ThinkingLevel } from "coppice/ai";
import type { Effort, ModelFacts } from "./models.ts";

/** The part of a request that depends on how much the model may think. */
export type ThinkingParams = Pick<
  Anthropic.MessageCreateParamsStreaming,
  "max_tokens" | "thinking" | "output_config"
>;

/** Output tokens where the caller sets no limit. */
const OUTPUT = 32_000;

/** The API takes no smaller budget. */
const SMALLEST_BUDGET = 1024;

/** Tokens for thinking, on top of the tokens of the answer: the API counts both together. */
const BUDGETS: { readonly [level in Exclude<ThinkingLevel, "off">]: number } = {
  minimal: SMALLEST_BUDGET,
  low: 4096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
};

const EFFORTS: { readonly [level in Exclude<ThinkingLevel, "off">]: Effort } = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
};

/** How to ask for the level of `options`; `maxTokens` of the options bounds the answer alone. */
export function thinkingParams(facts: ModelFacts, options: StreamOptions): ThinkingParams {
  const level = options.reasoning ?? "off";
  const answer = options.maxTokens ?? OUTPUT;
  if (facts.style === "none" || level === "off") return offParams(facts, answer);
  return facts.style === "budget"
    ? budgetParams(facts, answer, BUDGETS[level])
    : {
        max_tokens: capped(facts, answer + BUDGETS[level]),
        thinking: { type: "adaptive", display: "summarized" },
        ...effortParams(facts, EFFORTS[level]),
      };
}

function offParams(facts: ModelFacts, answer: number): ThinkingParams {
  if (facts.off === "never") {
    return { max_tokens: capped(facts, answer + BUDGETS.low), ...effortParams(facts, "low") };
  }
  const max_tokens = capped(facts, answer);
  return facts.off === "omit" ? { max_tokens } : { max_tokens, thinking: { type: facts.off } };
}

function budgetParams(facts: ModelFacts, answer: number, wanted: number): ThinkingParams {
  const max_tokens = capped(facts, answer + wanted);
  const budget_tokens = Math.min(wanted, max_tokens - SMALLEST_BUDGET);
  if (budget_tokens < SMALLEST_BUDGET) return { max_tokens };
  return { max_tokens, thinking: { type: "enabled", budget_tokens } };
}

/** The effort, or the highest below it that the model has. */
function effortParams({ efforts }: ModelFacts, wanted: Effort): Partial<ThinkingParams> {
  const order: readonly Effort[] = ["low", "medium", "high", "xhigh"];
  const effort = order
    .slice(0, order.indexOf(wanted) + 1)
    .findLast((candidate) => efforts.includes(candidate));
  return effort ? { output_config: { effort } } : {};
}

function capped({ model }: ModelFacts, tokens: number): number {
  return Math.min(model.maxTokens, tokens);
}
