import { type ErrorTable, errorMaker } from "../core/index.ts";

interface PathDetails {
  readonly path: string;
}

interface EventDetails {
  readonly extension: string;
  readonly event: string;
}

/** Who holds a session file (session tree §5.5). */
export interface LockHolder {
  readonly pid?: number | undefined;
  readonly host?: string | undefined;
}

/** Why an agent cannot start something now. */
export type BusyReason = "streaming" | "tools" | "compacting" | "navigating";

/** Host's rows of the error table (session tree §16, extensions spec §9): code → details → sentence. */
const hostErrors = {
  SESSION_NOT_FOUND: (d: { path: string; kind?: "path" | "id" }) =>
    d.kind === "id"
      ? `no session has an id that begins with ${JSON.stringify(d.path)}; \`coppice -r\` lists them`
      : `${d.path}: no such session file`,
  SESSION_AMBIGUOUS: (d: { prefix: string; candidates: readonly { id: string; path: string }[] }) =>
    `several sessions begin with ${JSON.stringify(d.prefix)}, give more of the id: ${d.candidates
      .map(({ id, path }) => `${id} (${path})`)
      .join(", ")}`,
  SESSION_UNREADABLE: (d: PathDetails & { reason: string }) => `cannot read ${d.path}: ${d.reason}`,
  SESSION_LOCKED: (
    d: PathDetails & { lockPath: string; isLost?: boolean; isUnchecked?: boolean } & LockHolder,
  ) =>
    `${d.path} ${d.isLost ? "was taken over" : "is being written"} by ${holder(d)} (lock ${d.lockPath}); ` +
    `open it with --read-only, or branch into a new file with --fork${unlockHint(d)}`,
  SESSION_CHANGED: (d: PathDetails & { expected: number; found: number | undefined }) =>
    `${d.path} was ${d.found === undefined ? "removed" : "changed"} by another program ` +
    `(expected ${d.expected} bytes, found ${d.found ?? "no file"}); nothing was written: ` +
    "open it again, or branch into a new file with --fork",
  INVALID_BRANCH_SOURCE: (d: { id: string; kind: string }) =>
    `entry ${JSON.stringify(d.id)} is a ${d.kind}, not a user message; choose a user message to branch from`,
  NO_ACTIVE_MODEL: (d: { purpose: string }) =>
    `${d.purpose} needs a model and none is chosen; choose one with /model or --model`,
  MODEL_CREDENTIALS_MISSING: (d: { provider: string; hint?: string }) =>
    `no credentials for the provider ${d.provider}${d.hint ? ` (${d.hint})` : ""}; ` +
    "give a key, or use /model offline",
  SUMMARY_FAILED: (d: { reason: string }) => `the summary failed: ${d.reason}`,
  AGENT_BUSY: (d: { reason: BusyReason }) =>
    `the agent is busy (${d.reason}); abort it first (Escape)`,
  NOT_SUPPORTED: (d: { member: string; instead?: string | undefined }) =>
    `${d.member} is not supported by this host${d.instead ? `; use ${d.instead}` : ""}`,
  NOT_READY: (d: { member: string }) =>
    `${d.member} cannot be used while the extension loads; use it in a session_start handler`,
  STALE_CONTEXT: (d: { member: string }) =>
    `${d.member} belongs to a session that has ended; use the context given to withSession`,
  PERMISSION_UNDECLARED: (d: { permission: string; member: string; extension?: string }) =>
    `${d.member} needs the permission ${d.permission}; ${d.extension ?? "the extension"} must list it in ` +
    "coppice.permissions of its package.json",
  PERMISSION_DENIED: (d: { permission: string; member: string; extension: string }) =>
    `${d.extension} may not use ${d.member}: ${d.permission} was refused; ` +
    `\`coppice ext permissions ${d.extension} --grant ${d.permission}\` allows it`,
  EXTENSION_LOAD_FAILED: (d: { extension: string; entry: string; reason: string }) =>
    `the extension ${d.extension} did not load (${d.entry}): ${d.reason}`,
  EXTENSION_EMPTY: (d: PathDetails & { looked: string }) =>
    `${d.path} holds no extension; looked for ${d.looked}`,
  SANDBOX_UNAVAILABLE: (d: { extension: string; missing: string }) =>
    `not run: ${d.extension}; ${missingPart(d.missing)}`,
  MODEL_UNKNOWN: (d: { name: string }) =>
    `no model is called ${JSON.stringify(d.name)}; \`/model\` lists the models, --model none works without one`,
  HOOK_FAILED: (d: EventDetails & { reason: string }) =>
    `${d.extension} failed in ${d.event}: ${d.reason}`,
  HOOK_TIMEOUT: (d: EventDetails & { limitMs: number }) =>
    `${d.extension} took longer than ${d.limitMs} ms in ${d.event} and was skipped`,
  HOOK_RESULT_INVALID: (d: EventDetails & { reason: string }) =>
    `${d.extension} answered ${d.event} with a result of the wrong shape: ${d.reason}`,
  EVENT_NEVER_FIRES: (d: EventDetails) =>
    `${d.extension} listens to ${d.event}, which never fires in this host`,
  NAME_TAKEN: (d: {
    kind: string;
    name: string;
    extension: string;
    owner: string;
    alias: string;
  }) => `the ${d.kind} ${d.name} of ${d.extension} is taken by ${d.owner}; it is ${d.alias} now`,
  COMMAND_UNKNOWN: (d: { name: string; disabled?: string | undefined }) =>
    `no command /${d.name}${d.disabled ? `: its extension ${d.disabled} is switched off` : "; /help lists the commands"}`,
  MANIFEST_INVALID: (d: PathDetails & { reason: string }) => `${d.path}: ${d.reason}`,
  SETTINGS_INVALID: (d: PathDetails & { line: number; column: number; reason: string }) =>
    `${d.path} line ${d.line} column ${d.column}: ${d.reason}; it was not read and not changed`,
  SETTINGS_WRITE_FAILED: (d: PathDetails & { reason: string }) =>
    `cannot write ${d.path}: ${d.reason}; the setting was not stored`,
} satisfies ErrorTable;

/** Makes an error of the host's table; the caller throws or reports it. */
export const hostError = errorMaker(hostErrors);

function holder({ pid, host }: LockHolder): string {
  if (pid === undefined) return "an unknown process";
  return host === undefined ? `process ${pid}` : `process ${pid} on ${host}`;
}

function unlockHint(d: PathDetails & { isLost?: boolean; isUnchecked?: boolean }): string {
  if (!d.isUnchecked || d.isLost) return "";
  return `; if nobody writes it any more, coppice doctor --unlock ${d.path} removes the lock`;
}

/** What is missing for the sandbox in words, and what helps (sandbox spec §2.2, §11). */
function missingPart(missing: string): string {
  const parts: Readonly<Record<string, string>> = {
    engine:
      "the sandbox has no engine; `npm rebuild isolated-vm` in the folder of coppice builds it, with " +
      "python3, make, g++ and the headers of Node (npm_config_nodedir names them)",
    platform: "the sandbox exists on Linux and macOS only",
    node: "the extension host could not be started; `coppice ext doctor` tells more",
    wrapper:
      "the program of the setting sandbox.wrapper could not be started; correct or remove it",
    selftest:
      "the extension host did not pass its self-test; `coppice ext doctor` shows it, and a Node of " +
      "another release may help",
    deaths: "the extension host has ended too often; the next start of coppice begins anew",
    disabled: "the setting sandbox.enabled is off",
  };
  return parts[missing] ?? `the sandbox could not be started (${missing})`;
}
