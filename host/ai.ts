export type * from "./model-types.ts";
export { THINKING_LEVELS } from "./model-types.ts";
export { costOf, createAssistantMessageEventStream, emptyUsage } from "./stream.ts";
