import type { ExtensionAPI, ExtensionCommandContext } from "coppice";
import { messageOf, type SessionEntry } from "coppice/core";

/**
 * `/tour`: goes back to the first reply, leaves a summary of the path it came from, returns, and
 * branches the last message into a session of its own.
 */
export default (api: ExtensionAPI): void => {
  api.registerCommand("tour", {
    description: "walk through this session by itself",
    handler: async (_args, ctx) => {
      const path = ctx.sessionManager.getBranch();
      const firstReply = path.find((entry) => roleOf(entry) === "assistant");
      const lastMessage = path.findLast((entry) => roleOf(entry) === "user");
      if (!firstReply || !lastMessage) {
        return ctx.ui.notify("The tour needs a message and a reply.", "warning");
      }
      if (await summarizeBackTo(firstReply, ctx)) await branchFrom(lastMessage, ctx);
    },
  });
};

/** Moves inside the session file; what is left behind stays, and a summary tells of it. */
async function summarizeBackTo(
  target: SessionEntry,
  ctx: ExtensionCommandContext,
): Promise<boolean> {
  const { cancelled, summaryEntry } = await ctx.navigateTree(target.id, {
    summarize: true,
    customInstructions: "Two sentences are enough.",
    label: "tour stop",
  });
  if (cancelled) return false;
  ctx.ui.notify(summaryEntry ? "A summary was left at the first reply." : "Nothing to summarize.");
  return true;
}

/** Makes a new session file; `withSession` goes on in it, where this `ctx` no longer works. */
async function branchFrom(message: SessionEntry, ctx: ExtensionCommandContext): Promise<void> {
  await ctx.branch(message.id, {
    withSession: (next) => {
      const count = next.sessionManager.getEntries().length;
      next.ui.notify(`The tour ends in a new session of ${count} entries.`);
    },
  });
}

function roleOf(entry: SessionEntry): string | undefined {
  return messageOf(entry)?.role;
}
