import {
  type BranchSummaryEntry,
  coreError,
  hasSummarisable,
  type Landing,
  landingOf,
  type SessionManager,
} from "../core/index.ts";
import { ABORTED, orAborted } from "./abort.ts";
import type { NavigateTreeOptions, NavigateTreeResult } from "./api.ts";
import { hostError } from "./errors.ts";
import type { BranchSummaryResult, TreePreparation } from "./events.ts";
import type { Hooks } from "./hooks.ts";
import { refuseReadOnly } from "./writable.ts";

/** What a move reads and tells: the session, its handlers, and who must know of the new leaf. */
export interface MoveHost {
  readonly sessionManager: SessionManager;
  readonly hooks: Hooks;
  /** The leaf has moved: the agent's messages follow. Called before `session_tree`. */
  moved(oldLeafId: string | null, editorText: string | undefined): void;
}

/** A move that is on its way (session tree §8.3). */
export interface Move {
  readonly targetId: string;
  readonly landing: Landing;
  readonly options: NavigateTreeOptions;
  readonly signal: AbortSignal;
}

interface Summary {
  readonly text: string;
  readonly details?: unknown;
  readonly fromExtension: boolean;
}

const SUPERSEDED: NavigateTreeResult = { cancelled: true, aborted: true };

/** Where a target lands. Raises ENTRY_NOT_FOUND. */
export function landingFor(sessionManager: SessionManager, targetId: string): Landing {
  const target = sessionManager.getEntry(targetId);
  if (!target) throw coreError("ENTRY_NOT_FOUND", { id: targetId });
  return landingOf(target);
}

/** A read-only session takes neither summary nor label. Raises SESSION_READ_ONLY (§8.2). */
export function refuseWrites(
  sessionManager: SessionManager,
  wants: { readonly summarize?: boolean; readonly label?: string },
): void {
  if (wants.summarize || wants.label?.trim()) refuseReadOnly(sessionManager);
}

/** Runs a move to its end: ask the handlers, make the summary, apply, tell (§8.3). */
export async function runMove(host: MoveHost, move: Move): Promise<NavigateTreeResult> {
  try {
    return await askAndApply(host, move);
  } catch (error) {
    if (error === ABORTED || move.signal.aborted) return SUPERSEDED;
    throw error;
  }
}

async function askAndApply(host: MoveHost, move: Move): Promise<NavigateTreeResult> {
  const prepared = prepare(host.sessionManager, move);
  const asked = await orAborted(askHandlers(host.hooks, prepared, move.signal), move.signal);
  if (asked === undefined) return { cancelled: true };
  refuseWrites(host.sessionManager, asked.preparation);
  const summary = await orAborted(makeSummary(host.hooks, asked, move), move.signal);
  return apply(host, move, summary, asked.preparation.label);
}

function prepare(sessionManager: SessionManager, move: Move): TreePreparation {
  const { targetId, options } = move;
  const oldLeafId = sessionManager.getLeafId();
  const { entries, commonAncestorId } = sessionManager.collectAbandoned(oldLeafId, targetId);
  const { customInstructions, replaceInstructions, label } = options;
  return {
    targetId,
    oldLeafId,
    commonAncestorId,
    entriesToSummarize: entries,
    userWantsSummary: options.summarize === true,
    ...(customInstructions !== undefined && { customInstructions }),
    ...(replaceInstructions !== undefined && { replaceInstructions }),
    ...(label?.trim() && { label }),
  };
}

interface Asked {
  readonly preparation: TreePreparation;
  readonly summary: BranchSummaryResult | undefined;
}

/** The preparation as the handlers leave it; `undefined` when one has cancelled. */
async function askHandlers(
  hooks: Hooks,
  preparation: TreePreparation,
  signal: AbortSignal,
): Promise<Asked | undefined> {
  const type = "session_before_tree";
  const outcome = await hooks.before(type, { type, preparation, signal });
  if (outcome.cancelled) return undefined;
  const { summary, cancel: _, ...changes } = outcome.result;
  return { preparation: { ...preparation, ...changes }, summary };
}

/** The summary to store, if there is to be one (table of §8.3 step 4). */
async function makeSummary(
  hooks: Hooks,
  { preparation, summary }: Asked,
  move: Move,
): Promise<Summary | undefined> {
  if (!preparation.userWantsSummary) return undefined;
  if (summary) return asSummary(summary, true);
  if (!hasSummarisable(preparation.entriesToSummarize)) return undefined;
  const type = "summarize_branch";
  const onProgress = (progress: { text: string; tokens: number }) =>
    move.options.onProgress?.(progress);
  const { signal } = move;
  const provided = await hooks.provide(type, { type, preparation, signal, onProgress });
  if (provided.by) return asSummary(provided.answer, !provided.by.extension.firstParty);
  if (provided.failure !== undefined) throw provided.failure;
  throw hostError("SUMMARY_FAILED", { reason: "no summarizer is active" });
}

function asSummary(result: BranchSummaryResult, fromExtension: boolean): Summary | undefined {
  if (result.summary === "") return undefined;
  const { summary: text, details } = result;
  return details === undefined ? { text, fromExtension } : { text, details, fromExtension };
}

/**
 * The commit: no `await` between the last look at the signal and the write (§8.3 steps 5–9). The root
 * position, where only `/back` leads, takes no label.
 */
async function apply(
  host: MoveHost,
  move: Move,
  summary: Summary | undefined,
  label: string | undefined,
): Promise<NavigateTreeResult> {
  const { sessionManager } = host;
  const { targetId, landing, signal } = move;
  if (signal.aborted) throw ABORTED;
  const oldLeafId = sessionManager.getLeafId();
  const hasTarget = sessionManager.getEntry(targetId) !== undefined;
  const summaryEntry = sessionManager.applyMove({
    newLeafId: landing.leafId,
    targetId,
    ...(summary && { summary }),
    ...(label !== undefined && hasTarget && { label }),
  });
  host.moved(oldLeafId, landing.editorText);
  await tell(host, oldLeafId, summaryEntry, summary?.fromExtension);
  const { editorText } = landing;
  return {
    cancelled: false,
    ...(editorText !== undefined && { editorText }),
    ...(summaryEntry && { summaryEntry }),
  };
}

async function tell(
  { hooks, sessionManager }: MoveHost,
  oldLeafId: string | null,
  summaryEntry: BranchSummaryEntry | undefined,
  fromExtension: boolean | undefined,
): Promise<void> {
  await hooks.after("session_tree", {
    type: "session_tree",
    newLeafId: sessionManager.getLeafId(),
    oldLeafId,
    ...(summaryEntry && { summaryEntry }),
    ...(fromExtension !== undefined && { fromExtension }),
  });
}
