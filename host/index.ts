export { AgentSession } from "./agent-session.ts";
export type * from "./api.ts";
export { nodeEnvironment } from "./environment.ts";
export { hostError } from "./errors.ts";
export { loadOutcomes } from "./load-outcomes.ts";
export type { ModelChoice, ModelSource } from "./model-choice.ts";
export * from "./packages/index.ts";
export type { Row, Span, StyleName } from "./panel.ts";
export { type Report, Reports } from "./reports.ts";
export { completeArgument, parseCommand } from "./run-command.ts";
export { runShortcut } from "./run-shortcut.ts";
export type { Activity, SessionEvent } from "./session-events.ts";
export { type AgentSessionOptions, createAgentSession } from "./start.ts";
export type { Examination, FileFinding } from "./storage/doctor.ts";
export type { Repaired } from "./storage/doctor-repair.ts";
export { coppiceHome, projectFolder, sessionFileName } from "./storage/session-dir.ts";
export {
  type CreateOptions,
  continueRecent,
  createSession,
  examineSession,
  findSession,
  listSessions,
  mostRecent,
  type OpenOptions,
  openSession,
  type SessionListItem,
  type StorageOptions,
  unlockSession,
} from "./storage/sessions.ts";
export { loadSettings, type Settings } from "./storage/settings.ts";
export {
  type Cluster,
  CUT_MARK,
  cellWidth,
  cleanLine,
  cleanText,
  clipText,
  clusters,
  jsonLine,
  layoutRow,
  parseSgr,
  RGB,
  revealHidden,
  rowText,
  type StyledText,
  spansText,
  spansWidth,
  type TextAttributes,
  takeCells,
  visibleWidth,
  type WrappedLine,
  wrapClusters,
  wrapText,
} from "./text/index.ts";
export { requestFor } from "./turn.ts";
export { type Asking, type HostMode, silentUI, type UserInterface } from "./ui.ts";
export { listVerbs, type Verb, type VerbInfo, verbOf } from "./verbs.ts";
