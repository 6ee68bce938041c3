import type { SessionManager } from "../core/index.ts";
import {
  continueRecent,
  createSession,
  hostError,
  mostRecent,
  openSession,
  type StorageOptions,
} from "../host/index.ts";
import { demoSession } from "./demo.ts";
import type { Setting } from "./startup.ts";

type Choosing = Pick<Setting, "flags" | "cwd" | "settings">;

/** The session that the options choose, ready to work on. Raises the errors of session tree §3.1. */
export async function chooseSession({ flags, cwd, settings }: Choosing): Promise<SessionManager> {
  const mode = flags.readOnly ? "read" : "write";
  const named = flags.demo ? demoSession() : (flags.session ?? flags.resume);
  if (typeof named === "string") return openSession(named, { settings, cwd, mode });
  if (flags.fork !== undefined) return fork(flags.fork, { settings }, cwd);
  if (!flags.continue) return createSession(cwd, { settings });
  return flags.readOnly ? readRecent(cwd, { settings }) : continueRecent(cwd, { settings });
}

async function readRecent(cwd: string, options: StorageOptions): Promise<SessionManager> {
  const path = await mostRecent(cwd, options);
  if (path === undefined) throw hostError("SESSION_NOT_FOUND", { path: cwd });
  return openSession(path, { ...options, mode: "read" });
}

/** A new session that holds the path of the leaf; the source needs no lock and stays as it is. */
async function fork(source: string, options: StorageOptions, cwd: string): Promise<SessionManager> {
  const session = await openSession(source, { ...options, cwd, mode: "read" });
  try {
    const leafId = session.getLeafId();
    if (leafId !== null) session.createBranchedSession(leafId);
    else session.newSession({ parentSession: session.getSessionFile() ?? source });
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}
