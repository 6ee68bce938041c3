import { type ErrorTable, errorMaker } from "coppice/core";

const summarizerErrors = {
  NO_ACTIVE_MODEL: () => "a summary needs a model and none is chosen; choose one with /model",
  SUMMARY_FAILED: (d: { reason: string }) => `the summary failed: ${d.reason}`,
} satisfies ErrorTable;

export const summarizerError = errorMaker(summarizerErrors);
