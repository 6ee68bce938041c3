import type { AgentSession } from "./agent-session.ts";
import { contextFor } from "./context.ts";
import type { CliCommand } from "./contributions-types.ts";
import { discoverBuiltins } from "./discover.ts";

/** A verb of the command line as a manifest names it. */
export interface VerbInfo {
  readonly name: string;
  readonly description: string;
  /** Id of the extension that contributes it. */
  readonly extension: string;
}

/** The verbs that extensions contribute, switched off or not; runs no code of theirs. */
export function listVerbs(): readonly VerbInfo[] {
  return discoverBuiltins().flatMap(({ id, manifest }) =>
    Object.entries(manifest.verbs).map(([name, description]) => ({
      name,
      description,
      extension: id,
    })),
  );
}

/** A contributed verb that is ready to run. */
export interface Verb {
  readonly command: CliCommand;
  /** Gives the exit code. What the verb throws goes through. */
  run(call: Parameters<CliCommand["run"]>[0]): Promise<number>;
}

/** The verb of a name, with the context of its extension; `undefined` if none is loaded. */
export function verbOf({ runtime }: AgentSession, name: string): Verb | undefined {
  const found = runtime.contributions.verb(name);
  if (!found) return undefined;
  const { value: command, instance } = found;
  return { command, run: (call) => command.run(call, contextFor(runtime, instance)) };
}
