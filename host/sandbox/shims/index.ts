export type { GuestHost, GuestSettings } from "./settings.ts";
