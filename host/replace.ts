import { resolve } from "node:path";
import {
  coreError,
  landingOf,
  messageOf,
  type PreparedSession,
  type SessionManager,
} from "../core/index.ts";
import type { BranchResult, WithSession } from "./api.ts";
import { commandContextFor } from "./context.ts";
import { hostError } from "./errors.ts";
import { type Extension, Instance } from "./extension.ts";
import type { ExtensionHost } from "./extension-host.ts";
import type { Runtime } from "./runtime.ts";
import { setUp } from "./session-setup.ts";
import { realPath } from "./storage/session-dir.ts";
import type { NewSessionOptions } from "./with-session.ts";

/** Another session has taken the place of the old one, and the new instances are loaded. */
export interface Adoption {
  readonly reason: "new" | "resume" | "fork";
  /** The agent's messages stay those of the old session. */
  readonly keepMessages: boolean;
}

/** The parts that replace one session by another (session tree §10, extensions spec §3.5). */
export interface ReplaceHost {
  readonly sessionManager: SessionManager;
  readonly runtime: Runtime;
  readonly extensions: ExtensionHost;
  openSession(path: string): Promise<SessionManager>;
  adopted(adoption: Adoption): void;
}

/** What a branch copies, and the event it is announced with. */
export interface BranchPlan {
  readonly entryId: string;
  readonly position: "before" | "at";
  /** Leaf of the path to copy; `null`: an empty session. */
  readonly leafId: string | null;
  readonly selectedText?: string;
}

/** Branches into a new session file (session tree §10). */
export async function branchInto(host: ReplaceHost, plan: BranchPlan): Promise<BranchResult> {
  const { sessionManager } = host;
  const { entryId, position, leafId, ...text } = plan;
  const type = "session_before_branch";
  const outcome = await host.runtime.hooks.before(type, { type, entryId, position });
  if (outcome.cancelled) return { cancelled: true, ...text };
  await sessionManager.sync();
  const previous = storedFile(sessionManager);
  const prepared = prepareBranch(sessionManager, leafId, previous);
  const keepMessages = outcome.result.skipConversationRestore === true;
  await replace(host, prepared, { reason: "fork", keepMessages }, previous);
  const branched = "session_branch";
  await host.runtime.hooks.after(branched, { type: branched, previousSessionFile: previous });
  return { cancelled: false, ...text };
}

/** Starts an empty session. */
export function startNew(
  host: ReplaceHost,
  { parentSession, setup }: NewSessionOptions,
): Promise<{ readonly cancelled: boolean }> {
  return switchTo(host, "new", undefined, async () => {
    const parent = parentSession === undefined ? {} : { parentSession };
    const prepared = host.sessionManager.prepareNewSession(parent);
    if (setup) await setUp(prepared, setup);
    return prepared;
  });
}

/**
 * Continues in another session file; it is opened and locked before anything ends. The file that is
 * open already is begun anew where it stands.
 */
export function resume(host: ReplaceHost, path: string): Promise<{ readonly cancelled: boolean }> {
  const { sessionManager } = host;
  return switchTo(host, "resume", path, async () => {
    if (isSameFile(path, sessionManager.getSessionFile())) return inPlace(sessionManager);
    const session = await host.openSession(path);
    return {
      session,
      adopt() {
        sessionManager.adopt(session);
        return session.getSessionFile();
      },
      discard: () => session.close(),
    };
  });
}

function inPlace(session: SessionManager): PreparedSession {
  return { session, adopt: () => session.getSessionFile(), discard: () => undefined };
}

/** Runs a callback of an ended instance with a context of the new session (extensions spec §2.5). */
export async function runInNewSession(
  runtime: Runtime,
  extension: Extension,
  withSession: WithSession,
): Promise<void> {
  const instance = new Instance(extension);
  instance.commit();
  try {
    await withSession(commandContextFor(runtime, instance));
  } finally {
    instance.end();
  }
}

async function switchTo(
  host: ReplaceHost,
  reason: "new" | "resume",
  target: string | undefined,
  prepare: () => Promise<PreparedSession>,
): Promise<{ readonly cancelled: boolean }> {
  const { hooks } = host.runtime;
  const to = target === undefined ? {} : { targetSessionFile: target };
  const type = "session_before_switch";
  const outcome = await hooks.before(type, { type, reason, ...to });
  if (outcome.cancelled) return { cancelled: true };
  await host.sessionManager.sync();
  const previous = storedFile(host.sessionManager);
  await replace(host, await prepare(), { reason, keepMessages: false }, previous);
  const switched = "session_switch";
  await hooks.after(switched, { type: switched, reason, previousSessionFile: previous });
  return { cancelled: false };
}

/** What to branch at an entry. Raises ENTRY_NOT_FOUND, INVALID_BRANCH_SOURCE. */
export function planOfBranch(
  sessionManager: SessionManager,
  entryId: string,
  position: "before" | "at",
): BranchPlan {
  const entry = sessionManager.getEntry(entryId);
  if (!entry) throw coreError("ENTRY_NOT_FOUND", { id: entryId });
  if (position === "at") return { entryId, position, leafId: entryId };
  const role = messageOf(entry)?.role;
  if (role !== "user") {
    throw hostError("INVALID_BRANCH_SOURCE", { id: entryId, kind: role ?? entry.type });
  }
  const { leafId, editorText = "" } = landingOf(entry);
  return { entryId, position, leafId, selectedText: editorText };
}

function prepareBranch(
  sessionManager: SessionManager,
  leafId: string | null,
  previous: string | undefined,
): PreparedSession {
  if (leafId !== null) return sessionManager.prepareBranch(leafId);
  return sessionManager.prepareNewSession(
    previous === undefined ? {} : { parentSession: previous },
  );
}

/**
 * Shutdown on the old session, switch, new instances, start (extensions spec §3.5). What the handlers
 * of the shutdown have appended is on disk before the switch; if that fails there is none.
 */
async function replace(
  { sessionManager, extensions, adopted }: ReplaceHost,
  prepared: PreparedSession,
  adoption: Adoption,
  previous: string | undefined,
): Promise<void> {
  await extensions.shutdown(adoption.reason, prepared.session.getSessionFile());
  try {
    await sessionManager.sync();
  } catch (error) {
    prepared.discard();
    throw error;
  }
  prepared.adopt();
  extensions.unload();
  await extensions.load();
  adopted(adoption);
  await extensions.start(adoption.reason, previous);
}

function isSameFile(path: string, other: string | undefined): boolean {
  return other !== undefined && realPath(resolve(path)) === realPath(other);
}

function storedFile(sessionManager: SessionManager): string | undefined {
  return sessionManager.isPending() ? undefined : sessionManager.getSessionFile();
}
