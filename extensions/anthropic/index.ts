import type { ExtensionAPI } from "coppice";
import { anthropicProvider } from "./provider.ts";

/** Registers the provider `anthropic`; keys and base URL are read from the environment at each use. */
export default (api: ExtensionAPI) => {
  api.registerProvider("anthropic", anthropicProvider({ env: () => process.env, now: Date.now }));
};
