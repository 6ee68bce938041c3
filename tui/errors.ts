import { type ErrorTable, errorMaker } from "../core/index.ts";

/** The terminal's rows of the error table (extensions spec §9): code → details → sentence. */
const tuiErrors = {
  SCREEN_UNSUPPORTED: (d: { package: string; missing: string }) =>
    `the screen package ${d.package} is not the one coppice was made for: ${d.missing} was not found; ` +
    "install blessed 0.1.81, or work without the screen (coppice -p)",
  TERMINAL_MISSING: (d: { reason: string }) =>
    `the screen needs a terminal to draw on: ${d.reason}; coppice -p sends a prompt without one`,
  USAGE: (d: { problem: string; help?: string }) =>
    `${d.problem}; ${d.help ?? "coppice --help"} shows what there is`,
  VERB_DISABLED: (d: { verb: string; extension: string }) =>
    `coppice ${d.verb} is not there: its extension ${d.extension} is switched off`,
  VERB_MISSING: (d: { verb: string; extension: string }) =>
    `coppice ${d.verb} is not there: its extension ${d.extension} did not give it`,
  REPLY_FAILED: (d: { model: string; reason: string }) => `${d.model} gave no reply: ${d.reason}`,
  OUTPUT_FAILED: (d: { reason: string }) => `the output could not be written: ${d.reason}`,
} satisfies ErrorTable;

export const tuiError = errorMaker(tuiErrors);
