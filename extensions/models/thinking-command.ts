import type { CommandOptions, ExtensionAPI, ExtensionContext, ThinkingLevel } from "coppice";
import { THINKING_LEVELS } from "coppice/ai";

/** `/thinking`: offers the levels; `/thinking level` sets one. */
export function thinkingCommand(api: ExtensionAPI): CommandOptions {
  return {
    description: "set how much the model thinks: off, minimal, low, medium, high, xhigh",
    getArgumentCompletions: (prefix) =>
      THINKING_LEVELS.filter((level) => level.startsWith(prefix.trim().toLowerCase())).map(
        (value) => ({ value }),
      ),
    handler: async (args, ctx) => {
      const wanted = args.trim().toLowerCase() || (await offer(api, ctx));
      if (wanted === undefined) return;
      const level = THINKING_LEVELS.find((one) => one === wanted);
      if (level) set(api, ctx, level);
      else ctx.ui.notify(`Thinking is one of ${THINKING_LEVELS.join(", ")}`, "error");
    },
  };
}

async function offer(api: ExtensionAPI, ctx: ExtensionContext): Promise<string | undefined> {
  const current = api.getThinkingLevel();
  if (!ctx.hasUI) {
    ctx.ui.notify(`Thinking: ${current}`);
    return undefined;
  }
  const options = THINKING_LEVELS.map((label) =>
    label === current ? { label, description: "in use" } : { label },
  );
  return ctx.ui.select("Thinking", options);
}

function set(api: ExtensionAPI, ctx: ExtensionContext, level: ThinkingLevel): void {
  api.setThinkingLevel(level);
  const set = api.getThinkingLevel();
  if (set === level) ctx.ui.notify(`Thinking: ${level}`);
  else
    ctx.ui.notify(
      `Thinking: ${set}; ${ctx.model?.name ?? "without a model it"} cannot do ${level}`,
      "warning",
    );
}
