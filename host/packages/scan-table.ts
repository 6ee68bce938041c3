import { HOOKS, type HookRow, SPELLINGS } from "../hook-catalogue.ts";
import { METHODS } from "../methods/index.ts";

type Needs = readonly string[];

/** Members that this host does not have yet, by full name, and what using one needs. */
const FURTHER_MEMBERS: Readonly<Record<string, string>> = {
  "api.registerFlag": "commands",
  "api.registerTool": "tools:register",
  "api.registerMessageRenderer": "ui:render",
  "api.registerEntryRenderer": "ui:render",
  "api.registerVirtualModel": "model:provider",
  "api.sendMessage": "agent:prompt",
  "api.sendUserMessage": "agent:prompt",
  "api.setActiveTools": "tools:configure",
  "api.events": "bus",
  "ctx.compact": "session:summarize",
  "ctx.reload": "host:lifecycle",
  "ctx.getSystemPrompt": "session:read",
  "ctx.ui.custom": "ui:render",
  "ctx.ui.theme": "ui",
  "ctx.ui.pasteToEditor": "ui",
  "ctx.ui.setEditorComponent": "ui:input",
  "ctx.ui.setWorkingMessage": "ui",
  "ctx.ui.setFooter": "ui:render",
  "ctx.ui.setHeader": "ui:render",
  "ctx.ui.onTerminalInput": "ui:input",
  "ctx.ui.addAutocompleteProvider": "ui:input",
  "ctx.ui.setTitle": "ui",
  "ctx.ui.setTheme": "ui",
  "ctx.modelRegistry.complete": "model:complete",
  "ctx.modelRegistry.getApiKey": "model:complete",
  "ctx.modelRegistry.getApiKeyAndHeaders": "model:complete",
  "ctx.modelRegistry.getApiKeyForProvider": "model:complete",
  "ctx.modelRegistry.registerProvider": "model:provider",
  "ctx.modelRegistry.authStorage": "model:credentials",
};

/** Full name of a member → the permissions that using it needs. */
export const MEMBERS: ReadonlyMap<string, Needs> = new Map<string, Needs>([
  ...Object.entries(FURTHER_MEMBERS).map(([name, needed]) => [name, [needed]] as const),
  ...METHODS.flatMap(({ name, permission }) =>
    permission === undefined ? [] : [[name, [permission].flat()] as const],
  ),
]);

/** Names that so many other objects have that a member counts only on an object known as ours. */
const COMMON: ReadonlySet<string> = new Set([
  ...["sendMessage", "setTitle", "setHeader", "setTheme", "setModel", "getChildren", "getEntry"],
  ...["getLabel", "getEntries", "getTree", "setStatus", "getApiKey"],
]);

/** Names that say whose member they are, whatever the object is called. */
export const DISTINCT_MEMBERS: ReadonlyMap<string, Needs> = new Map(
  [...MEMBERS].flatMap(([full, needs]) => {
    const name = full.slice(full.lastIndexOf(".") + 1);
    return /[a-z][A-Z]/.test(name) && !COMMON.has(name) ? [[name, needs] as const] : [];
  }),
);

export type EventRow = Pick<HookRow, "receive" | "honour" | "visible">;

const MODEL_TRAFFIC: EventRow = { receive: "model:provider" };
const CONTENT: EventRow = { receive: "session:read" };

/** Events that this host does not send yet (extensions spec §2.2). */
const FURTHER_EVENTS: Readonly<Record<string, EventRow>> = {
  session_before_compact: {
    receive: "session:read",
    honour: { cancel: "session:gate", compaction: "session:summarize" },
  },
  "session.compacting": {
    receive: "session:read",
    honour: { context: "session:summarize", prompt: "session:summarize" },
  },
  summarize_path: { receive: "session:read", honour: { summary: "session:summarize" } },
  session_compact: { visible: { compactionEntry: "session:read" } },
  project_trust: { receive: "host:trust" },
  before_agent_start: {
    receive: "session:read",
    honour: { message: "agent:context", systemPrompt: "agent:context" },
  },
  before_provider_request: MODEL_TRAFFIC,
  after_provider_response: MODEL_TRAFFIC,
  provider_stream_event: MODEL_TRAFFIC,
  tool_call: {
    receive: "tools:block",
    honour: { block: "tools:block" },
    visible: { input: "tools:input" },
  },
  tool_result: {
    receive: "session:read",
    honour: { content: "tools:mutate", details: "tools:mutate", isError: "tools:mutate" },
  },
  tool_execution_start: CONTENT,
  tool_execution_update: CONTENT,
  tool_execution_end: CONTENT,
  user_bash: { receive: "tools:mutate" },
};

/** The row of an event under any of its spellings. */
export function eventRow(event: string): EventRow | undefined {
  const name = SPELLINGS[event] ?? event;
  if (Object.hasOwn(HOOKS, name)) return HOOKS[name as keyof typeof HOOKS];
  return Object.hasOwn(FURTHER_EVENTS, name) ? FURTHER_EVENTS[name] : undefined;
}

/** Helpers of the host modules that touch the host (extensions spec §1.4). */
export const HELPERS: Readonly<Record<string, Needs>> = {
  createBashTool: ["exec:sh"],
  createLocalBashOperations: ["exec:sh"],
  createReadTool: ["fs:read"],
  createLsTool: ["fs:read"],
  createFindTool: ["fs:read"],
  createGrepTool: ["fs:read"],
  loadSkills: ["fs:read"],
  createWriteTool: ["fs:write"],
  createEditTool: ["fs:read", "fs:write"],
  complete: ["model:complete"],
  completeSimple: ["model:complete"],
  stream: ["model:complete"],
  streamSimple: ["model:complete"],
};

/** Static members of SessionManager that reach other sessions. */
export const OTHER_SESSIONS: ReadonlySet<string> = new Set(
  "list listAll open create continueRecent forkFrom".split(" "),
);

const READING = "readFile readdir stat lstat access exists createReadStream opendir realpath";
const WRITING =
  "writeFile appendFile mkdir mkdtemp rm rmdir unlink rename copyFile cp createWriteStream " +
  "truncate utimes chmod chown symlink link";

/** What a function of Node's `fs` does with its first argument; `undefined` for what does nothing. */
export function fileAccess(name: string): Needs | undefined {
  const plain = name.replace(/Sync$/, "");
  if (plain === "open") return ["fs:read", "fs:write"];
  if (READING.split(" ").includes(plain) || /^(?:watch|watchFile|readlink|glob)$/.test(plain)) {
    return ["fs:read"];
  }
  return WRITING.split(" ").includes(plain) ? ["fs:write"] : undefined;
}

/** Modules through which a package reaches other computers; npm packages reach them by Node's. */
export const NETWORK_MODULES: ReadonlySet<string> = new Set([
  ...["http", "https", "http2", "net", "tls", "dgram", "dns", "undici", "ws", "node-fetch"],
  ...["axios", "got"],
]);
