import { HOOKS, SPELLINGS } from "../hook-catalogue.ts";
import { control } from "./control.ts";
import type { Method } from "./method.ts";
import { registration } from "./registration.ts";
import { registrationMore } from "./registration-more.ts";
import { session } from "./session.ts";
import { state } from "./state.ts";
import { ui } from "./ui.ts";

/**
 * THE TABLE: every call an extension can make, with its permission, arguments and what it does. The
 * objects of extensions in process are made from it, and so is the wire of the sandbox.
 */
export const METHODS: readonly Method[] = [
  ...registration,
  ...registrationMore,
  ...session,
  ...state,
  ...ui,
  ...control,
];

/** Full names of all that works: members, and events as `on:name`. */
export const SUPPORTED: ReadonlySet<string> = new Set([
  ...METHODS.map(({ name }) => name),
  ...[...Object.keys(HOOKS), ...Object.keys(SPELLINGS)].map((event) => `on:${event}`),
]);
