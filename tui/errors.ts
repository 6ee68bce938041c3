import { type ErrorTable, errorMaker } from "../core/index.ts";

/** The terminal's rows of the error table (extensions spec §9): code → details → sentence. */
export const tuiErrors = {
  SCREEN_UNSUPPORTED: (d: { package: string; missing: string }) =>
    `the screen package ${d.package} is not the one coppice was made for: ${d.missing} was not found; ` +
    "install blessed 0.1.81, or start with --plain",
} satisfies ErrorTable;

export const tuiError = errorMaker(tuiErrors);
