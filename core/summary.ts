import { contextOfPath } from "./context.ts";
import { isKind, type SessionEntry } from "./entries.ts";
import { estimateSummaryTokens } from "./estimate.ts";
import { FileSets, type FilesTouched } from "./files-touched.ts";
import { type AgentMessage, messageText } from "./messages.ts";
import { serializeConversation } from "./serialize.ts";

/** What a branch summary is made from (session tree §9.3). */
export interface SummarySelection extends FilesTouched {
  /** The entries taken, in path order; empty if nothing is summarisable. */
  readonly entries: readonly SessionEntry[];
  /** Their text (session tree §9.5). */
  readonly conversation: string;
}

interface Candidate {
  readonly entry: SessionEntry;
  readonly message: AgentMessage | undefined;
  readonly text: string;
}

/**
 * Whether a branch has anything to summarise (session tree §9.2). `entries` in path order, as
 * `TreePreparation.entriesToSummarize`.
 */
export function hasSummarisable(entries: readonly SessionEntry[]): boolean {
  const read = reader(entries);
  return entries.some((entry) => read(entry).text !== "");
}

/**
 * Chooses from a branch what fits the budget, newest first, and gathers the files it touched
 * (session tree §9.3). `entries` in path order; a budget of zero or less has no limit.
 */
export function selectForSummary(
  entries: readonly SessionEntry[],
  budget: number,
): SummarySelection {
  const limit = budget > 0 ? budget : Number.POSITIVE_INFINITY;
  const files = new FileSets();
  for (const entry of entries) files.addSummary(entry);
  const { taken, newest } = takeNewest(entries, limit, files);
  if (taken.length === 0 && newest) taken.push({ ...newest, text: cut(newest.text, limit * 4) });
  return {
    entries: taken.map(({ entry }) => entry),
    conversation: taken.map(({ text }) => text).join("\n\n"),
    ...files.result(),
  };
}

function takeNewest(entries: readonly SessionEntry[], limit: number, files: FileSets) {
  const read = reader(entries);
  const taken: Candidate[] = [];
  let newest: Candidate | undefined;
  let total = 0;
  for (const entry of entries.toReversed()) {
    const candidate = read(entry);
    if (candidate.message) files.addCalls(candidate.message);
    if (!candidate.message || candidate.text === "") continue;
    newest ??= candidate;
    const tokens = estimateSummaryTokens(candidate.message);
    const fits = total + tokens <= limit;
    if (fits || (isSummary(entry) && total < limit * 0.9)) taken.push(candidate);
    if (!fits) break;
    total += tokens;
  }
  return { taken: taken.reverse(), newest };
}

/** Reads entries as the `context_edit` entries among them leave them. */
function reader(entries: readonly SessionEntry[]): (entry: SessionEntry) => Candidate {
  const edits = new Map<string, SessionEntry[]>();
  for (const entry of entries) {
    if (!isKind(entry, "context_edit")) continue;
    edits.set(entry.targetId, [...(edits.get(entry.targetId) ?? []), entry]);
  }
  return (entry) => {
    const message = contextOfPath([entry, ...(edits.get(entry.id) ?? [])]).context.messages[0];
    return {
      entry,
      message,
      text: message && hasSubstance(message) ? serializeConversation([message]) : "",
    };
  };
}

/** A summary without text would still have the words of its template. */
function hasSubstance(message: AgentMessage): boolean {
  if (message.role !== "branchSummary" && message.role !== "compactionSummary") return true;
  return messageText(message).trim() !== "";
}

function isSummary(entry: SessionEntry): boolean {
  return entry.type === "branch_summary" || entry.type === "compaction";
}

/** At most `length` UTF-16 units, never half a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.floor(length);
  const splits = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "");
  return text.slice(0, splits ? end - 1 : end);
}
