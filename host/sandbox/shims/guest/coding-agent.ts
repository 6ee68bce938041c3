import type { GuestSettings } from "../settings.ts";
import { hostFunction } from "./host-call.ts";
import { memorySession } from "./memory-sessions.ts";
import { unsupportedMember } from "./unsupported.ts";

export {
  buildSessionContext,
  CoppiceError,
  convertToLlm,
  estimateTokens,
  serializeConversation,
} from "../../../../core/index.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./text-limits.ts";
export {
  getMarkdownTheme,
  getSelectListTheme,
  getSettingsListTheme,
  highlightCode,
  keyHint,
  keyText,
} from "./themes.ts";

declare const settings: GuestSettings;
declare const require: (name: string) => Record<string, unknown>;

export const CONFIG_DIR_NAME = ".coppice";
export const VERSION = settings.coppiceVersion;

export const getAgentDir = (): string => settings.agentDir;

/** A definition as it is; for the author's types. */
export const defineTool = <T>(tool: T): T => tool;

interface ToolEvent {
  readonly toolName?: string;
}

export const isToolCallEventType = (name: string, event: ToolEvent): boolean =>
  event.toolName === name;
const isResultOf = (name: string) => (event: ToolEvent) => event.toolName === name;
export const isBashToolResult = isResultOf("bash");
export const isEditToolResult = isResultOf("edit");
export const isFindToolResult = isResultOf("find");
export const isGrepToolResult = isResultOf("grep");
export const isLsToolResult = isResultOf("ls");
export const isReadToolResult = isResultOf("read");
export const isWriteToolResult = isResultOf("write");

const tool =
  (creator: string, name: string) =>
  (...args: unknown[]): unknown =>
    hostFunction("tool", `coppice.${creator}`)(name, ...args);
export const createReadTool = tool("createReadTool", "read");
export const createWriteTool = tool("createWriteTool", "write");
export const createEditTool = tool("createEditTool", "edit");
export const createBashTool = tool("createBashTool", "bash");
export const createLsTool = tool("createLsTool", "ls");
export const createFindTool = tool("createFindTool", "find");
export const createGrepTool = tool("createGrepTool", "grep");

export const copyToClipboard = (text: string): Promise<void> =>
  hostFunction("copyToClipboard", "coppice.copyToClipboard")(text);

const queues = new Map<string, Promise<unknown>>();

/** Runs changes of one file one after the other. */
export async function withFileMutationQueue<T>(path: string, change: () => Promise<T>): Promise<T> {
  const before = queues.get(path) ?? Promise.resolve();
  const own = before.then(change, change);
  queues.set(path, own);
  try {
    return await own;
  } finally {
    if (queues.get(path) === own) queues.delete(path);
  }
}

const LANGUAGES: Readonly<Record<string, string>> = {
  bash: "bash",
  c: "c",
  cpp: "cpp",
  cs: "csharp",
  css: "css",
  go: "go",
  html: "html",
  java: "java",
  js: "javascript",
  json: "json",
  jsx: "javascript",
  kt: "kotlin",
  md: "markdown",
  php: "php",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  sql: "sql",
  swift: "swift",
  toml: "toml",
  ts: "typescript",
  tsx: "typescript",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
};

/** The language of a file by its suffix. */
export function getLanguageFromPath(path: string): string | undefined {
  return LANGUAGES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}

/** The YAML before a text, between two lines of `---`, and the rest. */
export function parseFrontmatter(content: string): { frontmatter: unknown; body: string } {
  const text = content.replace(/\r\n?/g, "\n");
  const match = /^---\n(?:([\s\S]*?)\n)?---(?:\n|$)([\s\S]*)$/.exec(text);
  if (match === null) return { frontmatter: {}, body: text };
  const parse = (large("coppice:yaml")?.parse ?? unsupportedMember("coppice.parseFrontmatter")) as (
    text: string,
  ) => unknown;
  return { frontmatter: parse(match[1] ?? "") ?? {}, body: (match[2] ?? "").trim() };
}

/** Modules whose text is there only if the package names what needs them: the compiler looks. */
function large(name: string): Record<string, unknown> | undefined {
  try {
    return require(name);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw error;
    return undefined;
  }
}

const components = large("coppice:components");
const component = (name: string) => components?.[name] ?? unsupportedMember(`coppice.${name}`);
export const DynamicBorder = component("DynamicBorder");
export const BorderedLoader = component("BorderedLoader");
export const CustomEditor = component("CustomEditor");

/** The static part of the session manager (extensions spec §2.7). */
export const SessionManager = {
  inMemory: (cwd = settings.cwd) => memorySession(cwd),
  list: (cwd: string) => hostFunction("sessions", "SessionManager.list").list(cwd),
  listAll: () => hostFunction("sessions", "SessionManager.listAll").listAll(),
  open: (path: string) => hostFunction("sessions", "SessionManager.open").open(path),
  create: (cwd: string) => hostFunction("sessions", "SessionManager.create").create(cwd),
  continueRecent: (cwd: string) =>
    hostFunction("sessions", "SessionManager.continueRecent").continueRecent(cwd),
  forkFrom: (path: string, cwd: string) =>
    hostFunction("sessions", "SessionManager.forkFrom").forkFrom(path, cwd),
};
