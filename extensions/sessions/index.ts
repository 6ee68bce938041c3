import { type ExtensionAPI, type ExtensionCommandContext, SessionManager } from "coppice";
import { errorMessage } from "coppice/core";
import { choicesFor, sessionChoices } from "./choices.ts";

/** `/new`, `/resume`, `/name`, `/back`, `/quit`. */
export default (api: ExtensionAPI): void => {
  api.registerCommand("new", {
    description: "start an empty session",
    handler: (_args, ctx) => shown(ctx, () => startNew(ctx)),
  });
  api.registerCommand("resume", {
    description: "continue an earlier session of this project",
    handler: (args, ctx) => shown(ctx, () => resume(args.trim(), ctx)),
  });
  api.registerCommand("name", {
    description: "name this session; without text it tells the name",
    handler: (args, ctx) => shown(ctx, async () => nameSession(api, args.trim(), ctx)),
  });
  api.registerCommand("back", {
    description: "back to where you were before the last move",
    handler: (_args, ctx) => shown(ctx, () => back(ctx)),
  });
  api.registerCommand("quit", {
    description: "end the program",
    handler: (_args, ctx) => ctx.shutdown(),
  });
};

/** Runs a command; what stands in its way is said in one line. */
async function shown(ctx: ExtensionCommandContext, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    ctx.ui.notify(errorMessage(error), "error");
  }
}

async function startNew(ctx: ExtensionCommandContext): Promise<void> {
  const { cancelled } = await ctx.newSession();
  if (cancelled) ctx.ui.notify("An extension refused the new session.", "warning");
}

async function resume(words: string, ctx: ExtensionCommandContext): Promise<void> {
  const items = await SessionManager.list(ctx.cwd);
  const all = sessionChoices(items, ctx.sessionManager.getSessionFile(), Date.now());
  const choices = words === "" ? all : choicesFor(all, words);
  if (choices.length === 0) {
    const held = words === "" ? "" : ` that holds “${words}”`;
    return ctx.ui.notify(`There is no other session of this project${held}.`);
  }
  const label =
    choices.length === 1 && words !== ""
      ? choices[0]?.label
      : await ctx.ui.select("Continue which session?", choices);
  const choice = choices.find((found) => found.label === label);
  if (!choice) return;
  const { cancelled } = await ctx.switchSession(choice.path);
  if (cancelled) ctx.ui.notify("An extension refused the switch.", "warning");
}

function nameSession(api: ExtensionAPI, name: string, ctx: ExtensionCommandContext): void {
  if (name !== "") api.setSessionName(name);
  const current = api.getSessionName();
  ctx.ui.notify(current === undefined ? "This session has no name." : `Name: ${current}`);
}

async function back(ctx: ExtensionCommandContext): Promise<void> {
  const result = await ctx.navigateBack();
  if (!result) return ctx.ui.notify("There was no move in this session yet.");
  if (result.aborted) return ctx.ui.notify("Stopped: nothing has moved.");
  if (result.cancelled) ctx.ui.notify("An extension refused the move.", "warning");
}
