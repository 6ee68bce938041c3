import type { Environment } from "../../../core/index.ts";
import type { ProviderConfig } from "../../model-types.ts";
import type { Panel } from "../../panel.ts";
import { panelForHost } from "./panel.ts";
import { providerForHost } from "./provider.ts";
import type { GuestFunction } from "./references.ts";
import { setupForHost } from "./setup.ts";

export interface HostForms {
  readonly env: Environment;
  cwd(): string;
}

/** Arguments whose functions the host could not call as they are, in a form in which it can. */
export function forHost(
  member: string,
  values: readonly unknown[],
  { env, cwd }: HostForms,
): readonly unknown[] {
  if (member === "ctx.ui.panel") {
    return [panelForHost(values[0] as Panel<unknown, unknown>), values[1]];
  }
  if (member === "api.registerProvider") {
    return [values[0], providerForHost(values[1] as ProviderConfig)];
  }
  const options = values[0] as { readonly setup?: GuestFunction } | undefined;
  if (member !== "ctx.newSession" || typeof options?.setup !== "function") return values;
  return [{ ...options, setup: setupForHost(options.setup, env, cwd) }];
}
