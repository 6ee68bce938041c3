import type { SessionSetup, WithSession } from "./api.ts";
import type { Instance } from "./extension.ts";

/** What a command wants to do in the session that takes the place of its own. */
export interface Following {
  readonly withSession?: WithSession | undefined;
  /** The instance whose command asked. */
  readonly by?: Instance | undefined;
}

/** How a new session begins. */
export interface NewSessionOptions {
  readonly parentSession?: string;
  readonly setup?: SessionSetup;
}
