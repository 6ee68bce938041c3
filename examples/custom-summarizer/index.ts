import type { ExtensionAPI } from "coppice";
import { messageOf, messageText, selectForSummary } from "coppice/core";

/**
 * Answers before the built-in summarizer does: a list of what was asked on the branch, and of the
 * files that were changed there. No model is called. Where nothing was asked, the built-in one goes on.
 */
export default (api: ExtensionAPI): void => {
  api.on("session_before_tree", ({ preparation }) => {
    if (!preparation.userWantsSummary) return undefined;
    const entries = preparation.entriesToSummarize;
    const prompts = entries.flatMap((entry) => {
      const message = messageOf(entry);
      return message?.role === "user" ? [firstLine(messageText(message))] : [];
    });
    if (prompts.length === 0) return undefined;
    const { readFiles, modifiedFiles } = selectForSummary(entries, 0);
    const summary = [
      "On another branch I was asked:",
      ...prompts.map((prompt) => `- ${prompt}`),
      `Files changed there: ${modifiedFiles.join(", ") || "none"}.`,
    ].join("\n");
    return { summary: { summary, details: { readFiles, modifiedFiles } } };
  });
};

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
