import type { ExtensionAPI } from "coppice";
import { offlineProvider } from "./provider.ts";

/** Registers the provider `offline`, the last resort where no other has credentials. */
export default (api: ExtensionAPI) => {
  api.registerProvider("offline", offlineProvider({ now: Date.now }));
};
