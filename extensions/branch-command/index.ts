import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "coppice";
import { errorMessage } from "coppice/core";
import { matching, userMessages } from "./messages.ts";
import { messageSelector } from "./selector.ts";

const COMPLETION_CHARACTERS = 60;

/** `/branch [words]`: a new session of the path before one of the person's messages (session tree §14). */
export default (api: ExtensionAPI): void => {
  api.registerCommand("branch", {
    description: "new session from one of your messages",
    getArgumentCompletions: (prefix, ctx) => completions(prefix, ctx),
    handler: async (args, ctx) => {
      try {
        const entryId = await chooseMessage(args.trim(), ctx);
        if (entryId !== undefined) await ctx.branch(entryId);
      } catch (error) {
        ctx.ui.notify(errorMessage(error), "error");
      }
    },
  });
};

async function chooseMessage(
  words: string,
  ctx: ExtensionCommandContext,
): Promise<string | undefined> {
  const messages = userMessages(ctx.sessionManager);
  if (messages.length === 0) {
    ctx.ui.notify("There is no message of yours to branch from yet.");
    return undefined;
  }
  if (words === "")
    return isPickedInTree(ctx) ? pickInTree(ctx) : ctx.ui.panel(messageSelector(messages, ""));
  const found = matching(messages, words);
  if (found.length === 1) return found[0]?.entryId;
  if (found.length === 0) ctx.ui.notify(`None of your messages holds “${words}”.`, "warning");
  return ctx.ui.panel(messageSelector(messages, found.length === 0 ? "" : words));
}

function isPickedInTree(ctx: ExtensionContext): boolean {
  const action = ctx.getSetting("doubleEscapeAction");
  return action !== "branch" && action !== "none";
}

function pickInTree(ctx: ExtensionContext): Promise<string | undefined> {
  return ctx.ui.pickEntry({
    title: "New session from one of your messages",
    accept: (rows) => rows.map(({ type, role }) => type === "message" && role === "user"),
    refusal: "This row is none of your messages: a new session starts from one of them.",
  });
}

function completions(prefix: string, ctx: ExtensionContext) {
  return matching(userMessages(ctx.sessionManager), prefix.trim())
    .map(({ text }) => ({
      value: Array.from(text).slice(0, COMPLETION_CHARACTERS).join("").trim(),
    }))
    .reverse();
}
