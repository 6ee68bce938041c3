export { newHeader } from "./branched.ts";
export {
  buildSessionContext,
  contextOfPath,
  messageOfEntry,
  type SessionContext,
} from "./context.ts";
export { type ConvertOptions, convertToLlm } from "./convert.ts";
export * from "./diagnostics.ts";
export * from "./entries.ts";
export { type Environment, entryId, sessionId, timestamp } from "./environment.ts";
export {
  CoppiceError,
  coreError,
  type ErrorTable,
  errorCode,
  errorMaker,
  errorMessage,
} from "./errors.ts";
export { estimateSummaryTokens, estimateTextTokens, estimateTokens } from "./estimate.ts";
export type { FilesTouched } from "./files-touched.ts";
export { deepFreeze } from "./freeze.ts";
export { hexDigit } from "./id-keys.ts";
export { type Landing, landingOf, recordedLeaf } from "./leaf.ts";
export {
  encodeRecord,
  isFormat1,
  type LineReading,
  readLine,
  recordProblem,
  titleSlotOf,
} from "./line-codec.ts";
export { MemoryStore } from "./memory-store.ts";
export * from "./messages.ts";
export { type Migration, migrateHeader, migrationOf, versionOf } from "./migrations.ts";
export { repairRequest } from "./request.ts";
export { type RowSnapshot, RowTable, type ScannedRow } from "./row-table.ts";
export { type IndexRow, type RecordRow, type RowKind, type Rows, rowOf } from "./rows.ts";
export { serializeConversation } from "./serialize.ts";
export { type PreparedSession, SessionManager, type TreeMove } from "./session-manager.ts";
export type { ForkItem, ForkPlan, NewRecord, ReadOnlyReason, SessionStore } from "./store.ts";
export { hasSummarisable, type SummarySelection, selectForSummary } from "./summary.ts";
export { branchSummaryText, fileSection } from "./summary-text.ts";
export { buildTree, isNode, type LoadedTree, ROOT } from "./tree.ts";
export type { SessionTreeNode } from "./tree-nodes.ts";
