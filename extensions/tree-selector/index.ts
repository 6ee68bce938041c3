import type { ExtensionAPI } from "coppice";
import { treeVerb } from "./cli.ts";
import { walkTree } from "./go.ts";
import { openTree } from "./panel.ts";

/** The session tree: `/tree`, the picker behind `ctx.ui.pickEntry`, and `coppice tree`. */
export default (api: ExtensionAPI): void => {
  api.registerCommand("tree", {
    description: "move to another point of this session",
    handler: (_args, ctx) => walkTree(api, ctx),
  });
  api.contribute("entry.picker", {
    id: "tree-selector",
    pick: async ({ title, accept, refusal, initial }, ctx) => {
      const choice = await openTree(api, ctx, {
        title,
        isPicker: true,
        ...(accept && { accept }),
        ...(refusal !== undefined && { refusal }),
        ...(initial !== undefined && { initial }),
      });
      return choice?.id;
    },
  });
  api.contribute("cli.command", treeVerb);
};
