import type { ExtensionAPI, ExtensionContext, ReadonlySessionManager } from "coppice";
import { errorMessage, isConversation } from "coppice/core";

type Session = Pick<ReadonlySessionManager, "getLeafEntry" | "getEntry" | "getIndex" | "getLabel">;

/** `/label [text]`: names the last entry, so that the tree can be searched for it. */
export default (api: ExtensionAPI): void => {
  api.registerCommand("label", {
    description: "label the last entry; without text it asks",
    getArgumentCompletions: (prefix, ctx) => completions(ctx.sessionManager, prefix),
    handler: async (args, ctx) => {
      const id = lastEntry(ctx.sessionManager);
      if (id === undefined) return ctx.ui.notify("There is nothing to label yet.");
      const label = args.trim() || (await ask(ctx, id));
      if (label !== undefined) write(api, ctx, id, label);
    },
  });
};

/** The last entry of the conversation at or above the leaf: a row of the tree that shows its label. */
function lastEntry(session: Session): string | undefined {
  let entry = session.getLeafEntry();
  while (entry && !isConversation(entry)) {
    entry = entry.parentId === null ? undefined : session.getEntry(entry.parentId);
  }
  return entry?.id;
}

/** The text a person gives; blank removes the label. */
function ask(ctx: ExtensionContext, id: string): Promise<string | undefined> {
  const old = ctx.sessionManager.getLabel(id);
  const title = "Label of the last entry";
  return ctx.ui.editor(old === undefined ? title : `${title} (empty removes it)`, old);
}

function write(api: ExtensionAPI, ctx: ExtensionContext, id: string, text: string): void {
  const label = text.trim();
  if (label === (ctx.sessionManager.getLabel(id) ?? "")) return;
  try {
    api.setLabel(id, label || undefined);
    ctx.ui.notify(label === "" ? "Label removed." : `Labelled “${label}”.`);
  } catch (error) {
    ctx.ui.notify(errorMessage(error), "error");
  }
}

/** Labels in use that begin with a prefix. */
function completions(session: Session, prefix: string) {
  const labels = new Set(session.getIndex().flatMap(({ label }) => label ?? []));
  return [...labels]
    .filter((label) => label.toLowerCase().startsWith(prefix.toLowerCase()))
    .map((value) => ({ value }));
}
