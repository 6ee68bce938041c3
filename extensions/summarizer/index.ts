import type { ExtensionAPI } from "coppice";
import { summarizeBranch } from "./summarize.ts";

/** The built-in answer to "summarise this branch" (session tree §9). */
export default (api: ExtensionAPI) => {
  api.on("summarize_branch", summarizeBranch);
};
