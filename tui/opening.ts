import { dirname, join } from "node:path";
import type { Diagnostic, SessionManager } from "../core/index.ts";
import { cleanLine, coppiceHome } from "../host/index.ts";
import type { NewNote } from "./model.ts";
import type { SessionFacts } from "./session-facts.ts";

/** Codes of lines, or parts of them, that could not be taken in. */
const UNREAD: ReadonlySet<string> = new Set([
  "MALFORMED_LINE",
  "NOT_AN_OBJECT",
  "MISSING_TYPE",
  "MISSING_ID",
  "TORN_TAIL",
  "INVALID_UTF8",
  "OVERSIZED_LINE",
]);
/** Codes whose own sentence the person needs. */
const TOLD: ReadonlySet<string> = new Set(["VERSION_NEWER", "READ_ONLY_FOLDER"]);
/** As much of a session's id as tells when it began. */
const ID_PREFIX = 13;

/** What is said when a session is opened: what of its file could not be read, or was mended. */
export function openingNotes({ id, file, diagnostics }: SessionFacts): readonly NewNote[] {
  const unread = diagnostics.filter(({ code }) => UNREAD.has(code));
  const told = diagnostics.filter(({ code }) => TOLD.has(code));
  const mended = diagnostics.length - unread.length - told.length;
  const how = `coppice tree ${sessionArgument(id, file)} --json lists the diagnostics.`;
  const parts = [
    ...(unread.length > 0 ? [`${unreadText(unread)} Everything else is here.`] : []),
    ...(mended > 0 ? [`${count(mended, "thing")} in the file had to be mended for reading.`] : []),
  ];
  return [
    ...told.map(({ message }) => ({ type: "warning" as const, text: message })),
    ...(parts.length === 0 ? [] : [{ type: "warning" as const, text: [...parts, how].join(" ") }]),
  ];
}

/** The line that tells how to come back to a session; `undefined` if nothing of it is stored. */
export function resumeCommand(sessionManager: SessionManager): string | undefined {
  if (!sessionManager.isPersisted() || sessionManager.isPending()) return undefined;
  const id = sessionManager.getSessionId();
  return `coppice --session ${sessionArgument(id, sessionManager.getSessionFile())}\n`;
}

function unreadText(unread: readonly Diagnostic[]): string {
  const { offset } = unread[0] ?? {};
  const place =
    offset === undefined
      ? ""
      : ` (${unread.length > 1 ? "the first at " : ""}byte ${offset.toLocaleString("en")})`;
  return `${count(unread.length, "line")} could not be read${place}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** What names a session on a command line: the beginning of its id where that is looked for, else its file. */
function sessionArgument(id: string, file: string | undefined): string {
  const prefix = id.slice(0, ID_PREFIX);
  const isFound = file === undefined || dirname(dirname(file)) === join(coppiceHome(), "sessions");
  return isFound && PLAIN_ID.test(prefix) ? prefix : shellWord(file ?? prefix);
}

const PLAIN_ID = /^\w[\w-]*$/;
const PLAIN_WORD = /^[\w@%+=:,./][\w@%+=:,./-]*$/;

/** A text as a shell takes it for one word. */
function shellWord(text: string): string {
  const shown = cleanLine(text);
  return PLAIN_WORD.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
