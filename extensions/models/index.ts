import type { ExtensionAPI } from "coppice";
import { modelCommand } from "./model-command.ts";
import { thinkingCommand } from "./thinking-command.ts";

/** `/model [name]` and `/thinking [level]`. */
export default (api: ExtensionAPI): void => {
  api.registerCommand("model", modelCommand(api));
  api.registerCommand("thinking", thinkingCommand(api));
};
