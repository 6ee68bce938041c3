import { SessionManager as CoreSessionManager } from "../core/index.ts";
import { nodeEnvironment } from "./environment.ts";
import { listSessions, type SessionListItem } from "./storage/sessions.ts";

/** The static part of the session manager for extension authors (extensions spec §2.7). */
export const SessionManager = {
  /** The sessions of a project, newest first, those of pi and omp included (session tree §2.7). */
  list(cwd: string): Promise<readonly SessionListItem[]> {
    return listSessions(cwd);
  },
  /** A full, writable manager of its own, without a file. */
  inMemory: (cwd = process.cwd()) => CoreSessionManager.inMemory(cwd, nodeEnvironment),
} as const;

export type { SessionListItem };
