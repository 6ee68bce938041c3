import type { Attack } from "../attack.ts";
import { CALLS } from "./calls.ts";
import { COMPUTING } from "./computing.ts";
import { ESCAPE } from "./escape.ts";
import { MEMORY } from "./memory.ts";
import { MORE } from "./more.ts";
import { REALM } from "./realm.ts";
import { RESULTS } from "./results.ts";

/** Every attack, in the order of the list. */
export const ATTACKS: readonly Attack[] = [
  ...ESCAPE,
  ...RESULTS,
  ...COMPUTING,
  ...MEMORY,
  ...CALLS,
  ...REALM,
  ...MORE,
];
