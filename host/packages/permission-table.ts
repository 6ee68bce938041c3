/** How dangerous a permission is, in the words of the question (extensions spec §6.2). */
export type Risk = "low" | "medium" | "high" | "critical";

/**
 * When a permission is decided: G granted and listed; I asked at install; F asked at first use of
 * each scope; X explicitly only, never by "all".
 */
export type PermissionDefault = "G" | "I" | "F" | "X";

/** What may follow a permission's name. */
export type ScopeKind = "glob" | "program" | "host" | "name";

export interface PermissionRow {
  readonly covers: string;
  readonly risk: Risk;
  readonly default: PermissionDefault;
  /** Granted in a gesture unless refused. */
  readonly isGesture?: true;
  readonly scope?: ScopeKind;
}

/** Every permission, by its name without scope (extensions spec §6.2). */
export const PERMISSIONS: Readonly<Record<string, PermissionRow>> = {
  commands: { covers: "commands, shortcuts, flags", risk: "low", default: "G" },
  "tools:register": { covers: "tools for the model", risk: "low", default: "G" },
  ui: { covers: "dialogs, notes, status, widgets of lines, titles", risk: "low", default: "G" },
  "ui:render": { covers: "components, panels, renderers", risk: "low", default: "G" },
  "ui:input": { covers: "sees what is typed", risk: "high", default: "I" },
  "session:read": {
    covers: "entries, messages, labels, the system prompt",
    risk: "medium",
    default: "I",
  },
  "session:append": { covers: "entries of its own in the session", risk: "low", default: "G" },
  "session:label": { covers: "labels and the session's name", risk: "low", default: "G" },
  "session:gate": { covers: "refusing moves, branches and switches", risk: "low", default: "G" },
  "session:navigate": {
    covers: "moving in the session tree",
    risk: "medium",
    default: "F",
    isGesture: true,
  },
  "session:branch": {
    covers: "branching, new and other sessions",
    risk: "medium",
    default: "F",
    isGesture: true,
  },
  "session:list": { covers: "other sessions: list, open, append", risk: "high", default: "I" },
  "session:summarize": {
    covers: "summaries: changes what the model knows",
    risk: "medium",
    default: "I",
  },
  "agent:prompt": { covers: "messages to the agent: spends tokens", risk: "medium", default: "F" },
  "agent:context": { covers: "changing what the model is sent", risk: "high", default: "I" },
  "tools:block": { covers: "blocking tool calls, by name", risk: "low", default: "G" },
  "tools:input": { covers: "seeing the input of tool calls", risk: "medium", default: "I" },
  "tools:mutate": { covers: "changing tool inputs and results", risk: "high", default: "I" },
  "tools:configure": { covers: "switching tools on and off", risk: "medium", default: "F" },
  "model:complete": { covers: "model calls of its own: cost money", risk: "medium", default: "F" },
  "model:select": { covers: "choosing model and thinking level", risk: "low", default: "G" },
  "model:credentials": { covers: "the true keys of models", risk: "critical", default: "X" },
  "model:provider": {
    covers: "providing models: sees all traffic with them",
    risk: "critical",
    default: "I",
  },
  "fs:read": { covers: "reading files", risk: "medium", default: "F", scope: "glob" },
  "fs:write": { covers: "writing files", risk: "high", default: "F", scope: "glob" },
  exec: {
    covers: "running programs, with everything they can do",
    risk: "critical",
    default: "F",
    scope: "program",
  },
  net: { covers: "connections to other computers", risk: "high", default: "F", scope: "host" },
  env: { covers: "reading environment variables", risk: "medium", default: "F", scope: "name" },
  "host:lifecycle": {
    covers: "ending, reloading, aborting",
    risk: "low",
    default: "F",
    isGesture: true,
  },
  "host:trust": {
    covers: "answering whether a project is trusted",
    risk: "critical",
    default: "X",
  },
  bus: { covers: "events between packages", risk: "low", default: "G" },
};

/** Scopes that are granted to everybody (extensions spec §6.2). */
export const FREE_SCOPES: Readonly<Record<string, readonly string[]>> = {
  env: [
    ...["HOME", "USER", "SHELL", "PATH", "TERM", "LANG", "LC_*", "EDITOR", "VISUAL", "TMPDIR"],
    ...["NO_COLOR", "COLORTERM"],
  ],
  "fs:read": ["$DATA/**", "$PKG/**", "$TMP/**"],
  "fs:write": ["$DATA/**", "$TMP/**"],
};

/** Programs that run others: the question says so. */
export const RUNNERS: ReadonlySet<string> = new Set([
  ...["sh", "bash", "zsh", "node", "python", "python3", "env", "sudo", "git", "npm", "npx"],
  ...["find", "xargs", "make", "ssh", "tar", "awk"],
]);
