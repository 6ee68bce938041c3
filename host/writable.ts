import { coreError, type SessionManager } from "../core/index.ts";

/** Raises SESSION_READ_ONLY, with the reason, for a session that takes no append. */
export function refuseReadOnly(sessionManager: SessionManager): void {
  const reason = sessionManager.getReadOnlyReason();
  if (reason === undefined) return;
  const path = sessionManager.getSessionFile();
  throw coreError("SESSION_READ_ONLY", { reason, ...(path !== undefined && { path }) });
}
