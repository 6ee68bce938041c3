import type { WithSession } from "./api.ts";
import { commandContextFor } from "./context.ts";
import { type Extension, Instance } from "./extension.ts";
import type { Runtime } from "./runtime.ts";

/** What a command wants to do in the session that takes the place of its own. */
export interface Following {
  readonly withSession?: WithSession | undefined;
  /** The instance whose command asked. */
  readonly by?: Instance | undefined;
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
