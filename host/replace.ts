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
import type { BranchOptions } from "./session-control.ts";

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

interface BranchPlan {
  /** Leaf of the path to copy; `null`: an empty session. */
  readonly leafId: string | null;
  readonly selectedText?: string;
}

/** Branches into a new session file. Raises ENTRY_NOT_FOUND, INVALID_BRANCH_SOURCE. */
export async function branchInto(
  host: ReplaceHost,
  entryId: string,
  { position = "before" }: BranchOptions,
): Promise<BranchResult> {
  const { sessionManager } = host;
  const { leafId, ...text } = planOfBranch(sessionManager, entryId, position);
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
  options: { readonly parentSession?: string },
): Promise<{ readonly cancelled: boolean }> {
  const { parentSession } = options;
  return switchTo(host, "new", undefined, async () =>
    host.sessionManager.prepareNewSession(parentSession === undefined ? {} : { parentSession }),
  );
}

/** Continues in another session file; it is opened and locked before anything ends. */
export function resume(host: ReplaceHost, path: string): Promise<{ readonly cancelled: boolean }> {
  return switchTo(host, "resume", path, async () => {
    const session = await host.openSession(path);
    return {
      session,
      adopt() {
        host.sessionManager.adopt(session);
        return session.getSessionFile();
      },
      discard: () => session.close(),
    };
  });
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

function planOfBranch(
  sessionManager: SessionManager,
  entryId: string,
  position: "before" | "at",
): BranchPlan {
  const entry = sessionManager.getEntry(entryId);
  if (!entry) throw coreError("ENTRY_NOT_FOUND", { id: entryId });
  if (position === "at") return { leafId: entry.id };
  const role = messageOf(entry)?.role;
  if (role !== "user") {
    throw hostError("INVALID_BRANCH_SOURCE", { id: entryId, kind: role ?? entry.type });
  }
  const { leafId, editorText = "" } = landingOf(entry);
  return { leafId, selectedText: editorText };
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

/** Shutdown on the old session, switch, new instances, start (extensions spec §3.5). */
async function replace(
  { extensions, adopted }: ReplaceHost,
  prepared: PreparedSession,
  adoption: Adoption,
  previous: string | undefined,
): Promise<void> {
  await extensions.shutdown(adoption.reason, prepared.session.getSessionFile());
  prepared.adopt();
  extensions.unload();
  await extensions.load();
  adopted(adoption);
  await extensions.start(adoption.reason, previous);
}

function storedFile(sessionManager: SessionManager): string | undefined {
  return sessionManager.isPending() ? undefined : sessionManager.getSessionFile();
}
