import type { ReadonlySessionManager } from "coppice";
import { contentText, messageOf } from "coppice/core";
import { cleanLine } from "coppice/tui";

/** A message of the person that a new session can start from. */
export interface UserMessage {
  readonly entryId: string;
  /** On one line. */
  readonly text: string;
}

/** The user messages of all branches with text, in file order (session tree §10). */
export function userMessages(
  session: Pick<ReadonlySessionManager, "getIndex" | "getEntry">,
): readonly UserMessage[] {
  return session
    .getIndex()
    .filter(({ type, role, hasText }) => type === "message" && role === "user" && hasText)
    .map(({ id }) => ({ entryId: id, text: textOf(session, id) }));
}

/** Messages that hold every word of a query, in any case. */
export function matching(messages: readonly UserMessage[], query: string): readonly UserMessage[] {
  const words = query.toLowerCase().split(/\s+/);
  return messages.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
}

function textOf(session: Pick<ReadonlySessionManager, "getEntry">, id: string): string {
  const entry = session.getEntry(id);
  const message = entry && messageOf(entry);
  return message?.role === "user" ? cleanLine(contentText(message.content)).trim() : "";
}
