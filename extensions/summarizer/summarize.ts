import type { BranchSummaryResult, EventPayload, ExtensionContext, Model } from "coppice";
import {
  type AssistantMessage,
  branchSummaryText,
  contentText,
  estimateTextTokens,
  type FilesTouched,
  selectForSummary,
} from "coppice/core";
import { summarizerError } from "./errors.ts";
import { SYSTEM_PROMPT, summaryRequest } from "./prompt.ts";

/** Tokens of the window of a model that tells none, and those kept free of it (session tree §9.3). */
const UNKNOWN_WINDOW = 128_000;
const RESERVE = 16_384;

/** Tokens of a summary at most (session tree §9.4). */
const LONGEST = 2048;

/**
 * Summarises the branch that is left behind with the active model (session tree §9). The summary is
 * empty if nothing can be summarised; there is none after an abort. Raises NO_ACTIVE_MODEL,
 * MODEL_CREDENTIALS_MISSING, SUMMARY_FAILED.
 */
export async function summarizeBranch(
  event: EventPayload<"summarize_branch">,
  ctx: ExtensionContext,
): Promise<BranchSummaryResult | undefined> {
  const { preparation, signal, onProgress } = event;
  const { model } = ctx;
  if (!model) throw summarizerError("NO_ACTIVE_MODEL", undefined);
  const selection = selectForSummary(preparation.entriesToSummarize, budgetOf(model, ctx));
  if (selection.conversation === "") return { summary: "" };
  const request = summaryRequest(selection.conversation, preparation);
  const message = await complete(ctx, model, request, signal, onProgress);
  if (signal.aborted) return undefined;
  const { readFiles, modifiedFiles } = selection;
  const details: FilesTouched = { readFiles, modifiedFiles };
  return { summary: branchSummaryText(textOf(message), details), details };
}

/** Tokens that the conversation may have; zero or less means no limit. */
function budgetOf({ contextWindow }: Model, ctx: ExtensionContext): number {
  const reserve = ctx.getSetting("branchSummary.reserveTokens");
  return (contextWindow || UNKNOWN_WINDOW) - (typeof reserve === "number" ? reserve : RESERVE);
}

async function complete(
  ctx: ExtensionContext,
  model: Model,
  request: string,
  signal: AbortSignal,
  onProgress: EventPayload<"summarize_branch">["onProgress"],
): Promise<AssistantMessage> {
  const stream = ctx.modelRegistry.streamSimple(
    model,
    {
      systemPrompt: SYSTEM_PROMPT,
      messages: [{ role: "user", content: [{ type: "text", text: request }], timestamp: 0 }],
    },
    { signal, maxTokens: LONGEST },
  );
  for await (const event of stream) {
    if (event.type !== "text_delta") continue;
    const text = contentText(event.partial.content);
    onProgress({ text, tokens: estimateTextTokens(text) });
  }
  return stream.result();
}

function textOf(message: AssistantMessage): string {
  const { stopReason, errorMessage } = message;
  if (stopReason === "error" || stopReason === "aborted") {
    const reason = errorMessage ?? "the model's reply ended before it was complete";
    throw summarizerError("SUMMARY_FAILED", { reason });
  }
  const text = contentText(message.content).trim();
  if (text === "") throw summarizerError("SUMMARY_FAILED", { reason: "the model gave no text" });
  return text;
}
