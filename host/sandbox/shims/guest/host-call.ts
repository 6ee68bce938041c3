import type { GuestHost, GuestSettings } from "../settings.ts";
import { unsupportedMember } from "./unsupported.ts";

declare const settings: GuestSettings;

/** A function of the host under the name by which a package imports it; not supported if it has none. */
export function hostFunction<K extends keyof GuestHost>(key: K, name: string): GuestHost[K] {
  return settings.host[key] ?? (unsupportedMember(name) as GuestHost[K]);
}
