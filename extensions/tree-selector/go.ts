import { setImmediate } from "node:timers/promises";
import type {
  ExtensionAPI,
  ExtensionCommandContext,
  NavigateTreeOptions,
  NavigateTreeResult,
} from "coppice";
import { errorMessage, hasSummarisable } from "coppice/core";
import { entriesLeft, isHere, positionId } from "./leaving.ts";
import type { TreeChoice } from "./model.ts";
import { NONE } from "./order.ts";
import { dataOptions, type OpenOptions, openTree } from "./panel.ts";
import { progressPanel } from "./progress.ts";
import { type Answer, entries, questionPanel } from "./question.ts";
import { readTree } from "./tree-data.ts";

/** What follows a choice: the tree closes, or opens on the same row, perhaps with a message. */
type Next = "close" | { readonly notice?: string };

/** `/tree`: choose a row, ask about a summary, go there (session tree §13.7). */
export async function walkTree(api: ExtensionAPI, ctx: ExtensionCommandContext): Promise<void> {
  const { sessionManager } = ctx;
  const title = `Session tree · ${sessionManager.getSessionName() ?? sessionManager.getCwd()}`;
  let state: Pick<OpenOptions, "initial" | "resume" | "notice"> = {};
  for (;;) {
    const choice = await openTree(api, ctx, { title, isPicker: false, ...state });
    const next = choice ? await act(ctx, choice) : "close";
    if (!choice || next === "close") return;
    // In the tree the message would stand behind it.
    if (next.notice !== undefined && ctx.mode !== "tui") ctx.ui.notify(next.notice, "warning");
    state = { initial: choice.id, resume: choice.resume, ...next };
  }
}

/** Does what was chosen; an error is shown and leads back to the tree. */
async function act(ctx: ExtensionCommandContext, choice: TreeChoice): Promise<Next> {
  try {
    if (choice.action === "newSession") return await branchOff(ctx, choice.id);
    return await goThere(ctx, choice);
  } catch (error) {
    return { notice: errorMessage(error) };
  }
}

async function branchOff(ctx: ExtensionCommandContext, id: string): Promise<Next> {
  await ctx.branch(id);
  return "close";
}

async function goThere(ctx: ExtensionCommandContext, choice: TreeChoice): Promise<Next> {
  if (isHere(ctx.sessionManager, choice.id)) {
    ctx.ui.notify("You are already here.");
    return "close";
  }
  if (!(await isFreeToGo(ctx))) return {};
  const summary = choice.action === "goSilently" ? {} : await askForSummary(ctx, choice.id);
  if (!summary) return {};
  const result = await move(ctx, choice.id, summary);
  if (result.aborted) return { notice: "Stopped: nothing has moved." };
  if (result.cancelled) ctx.ui.notify("An extension refused the move.", "warning");
  return "close";
}

async function isFreeToGo(ctx: ExtensionCommandContext): Promise<boolean> {
  if (ctx.isIdle()) return true;
  if (!(await ctx.ui.confirm("The agent is still at work", "Stop it and go?"))) return false;
  ctx.abort();
  await ctx.waitForIdle();
  return true;
}

/** What the person wants of a summary; `undefined`: back to the tree. */
async function askForSummary(
  ctx: ExtensionCommandContext,
  id: string,
): Promise<NavigateTreeOptions | undefined> {
  const mode = ctx.getSetting("branchSummary.prompt");
  const left = entriesLeft(ctx.sessionManager, id);
  if (mode === "never" || !hasSummarisable(left)) return {};
  if (mode === "always") return { summarize: true };
  const question = questionPanel({ count: left.length, ...(await endsOf(ctx, id)) });
  for (;;) {
    const answer = await ctx.ui.panel(question);
    const options = answer === "custom" ? await askForFocus(ctx) : answer && ANSWERS[answer];
    if (answer === undefined || options) return options;
  }
}

const ANSWERS: Readonly<Record<Exclude<Answer, "custom">, NavigateTreeOptions>> = {
  none: {},
  summarize: { summarize: true },
};

/** The instructions for the summary; `undefined`: back to the question. */
async function askForFocus(ctx: ExtensionCommandContext): Promise<NavigateTreeOptions | undefined> {
  const focus = (await ctx.ui.editor("What should the summary focus on?"))?.trim();
  if (focus === undefined) return undefined;
  return focus === "" ? ANSWERS.summarize : { summarize: true, customInstructions: focus };
}

async function endsOf(ctx: ExtensionCommandContext, id: string) {
  const data = await readTree(ctx.sessionManager, dataOptions(ctx));
  const textOf = (entryId: string | null) => {
    const position = data.order.positionOf(entryId);
    return position === NONE ? "the start" : data.texts.shown(position);
  };
  return { from: textOf(positionId(ctx.sessionManager)), to: textOf(id) };
}

async function move(
  ctx: ExtensionCommandContext,
  id: string,
  options: NavigateTreeOptions,
): Promise<NavigateTreeResult> {
  if (!options.summarize || ctx.mode !== "tui") return ctx.navigateTree(id, options);
  const count = entriesLeft(ctx.sessionManager, id).length;
  const controller = new AbortController();
  let latest = { text: "", tokens: 0 };
  const moving = ctx.navigateTree(id, {
    ...options,
    signal: controller.signal,
    onProgress: (progress) => {
      latest = progress;
    },
  });
  const ended = Promise.allSettled([moving]);
  // What ends at once, such as a refusal for want of a model, shows no progress.
  const isRunning = await Promise.race([ended.then(() => false), setImmediate(true)]);
  if (isRunning) {
    const running = {
      title: `Summarizing ${entries(count)}`,
      ended,
      latest: () => latest,
      stop: () => controller.abort(),
      isStill: ctx.getSetting("ui.reducedMotion") === true,
    };
    await ctx.ui.panel(progressPanel(running));
  }
  return moving;
}
