/** What `engineStatus` of `engine-status.mjs` answers. */
export type EngineStatus =
  | { readonly present: true; readonly version: string; readonly sum: number }
  | { readonly present: false; readonly reason: string };

export function engineStatus(): EngineStatus;
