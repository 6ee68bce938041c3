import { type Diagnostic, messageOf, messageText } from "../core/index.ts";
import type { AgentSession, ContextUsage, ModelChoice } from "../host/index.ts";
import { PathReader } from "./session-path.ts";
import type { Block } from "./transcript.ts";

export interface CommandFact {
  readonly name: string;
  readonly description: string;
  /** Short id of a third party's extension. */
  readonly source?: string;
}

/** What the screen shows of a session, read at one moment. */
export interface SessionFacts {
  readonly id: string;
  readonly file?: string;
  readonly name?: string;
  readonly cwd: string;
  /** Whether there is a file to come back to. */
  readonly isStored: boolean;
  readonly isReadOnly: boolean;
  readonly leafId: string | null;
  /** Ids of the entries to the leaf, the root first. */
  readonly path: readonly string[];
  /** What the last entries of the path show; the first of it are read once they are wanted. */
  readonly blocks: readonly Block[];
  readonly hasEarlier: boolean;
  /** The nearest label at or above the leaf. */
  readonly label?: string;
  /** Points of the path at which branches leave. */
  readonly forks: number;
  /** US dollars, of the replies on the path. */
  readonly cost: number;
  readonly choice: ModelChoice;
  readonly thinkingLevel: string;
  readonly usage?: ContextUsage;
  readonly diagnostics: readonly Diagnostic[];
  readonly commands: readonly CommandFact[];
}

/** Reads a session for the screen; a path that only grew is not read again. */
export class SessionReader {
  readonly #session: AgentSession;
  readonly #path: PathReader;
  #usage: { readonly messages: unknown; readonly model: unknown; readonly usage?: ContextUsage } = {
    messages: undefined,
    model: undefined,
  };

  constructor(session: AgentSession) {
    this.#session = session;
    this.#path = new PathReader(session.sessionManager);
  }

  /** Reads everything at the next time: another session has taken the place of this one. */
  forget(): void {
    this.#path.forget();
  }

  /** Reads more of what stands above. */
  readEarlier(): void {
    this.#path.readEarlier();
  }

  /** What a person wrote last on the path, the oldest first. */
  prompts(): readonly string[] {
    return this.#path.read().entries.flatMap((entry) => {
      const message = messageOf(entry);
      return message?.role === "user" ? [messageText(message)] : [];
    });
  }

  read(): SessionFacts {
    const { sessionManager, modelChoice, thinkingLevel } = this.#session;
    const { path, from, blocks, cost, forks } = this.#path.read();
    const name = sessionManager.getSessionName();
    const label = this.#labelAbove(path);
    const usage = this.#readUsage();
    const file = sessionManager.getSessionFile();
    return {
      id: sessionManager.getSessionId(),
      cwd: sessionManager.getCwd(),
      isStored: sessionManager.isPersisted() && !sessionManager.isPending(),
      isReadOnly: sessionManager.isReadOnly(),
      leafId: sessionManager.getLeafId(),
      path,
      blocks,
      hasEarlier: from > 0,
      forks,
      cost,
      choice: modelChoice,
      thinkingLevel,
      diagnostics: sessionManager.getDiagnostics(),
      commands: this.#commands(),
      ...(file !== undefined && { file }),
      ...(name && { name }),
      ...(label !== undefined && { label }),
      ...(usage && { usage }),
    };
  }

  #labelAbove(path: readonly string[]): string | undefined {
    const { sessionManager } = this.#session;
    const at = path.findLastIndex((id) => sessionManager.getLabel(id) !== undefined);
    return sessionManager.getLabel(path[at] ?? "");
  }

  #readUsage(): ContextUsage | undefined {
    const { messages, model } = this.#session;
    if (this.#usage.messages !== messages || this.#usage.model !== model) {
      const usage = this.#session.contextUsage();
      this.#usage = { messages, model, ...(usage && { usage }) };
    }
    return this.#usage.usage;
  }

  #commands(): readonly CommandFact[] {
    return this.#session.runtime.commands.all().map(({ name, options, instance }) => ({
      name,
      description: options.description ?? "",
      ...(!instance.extension.firstParty && { source: instance.extension.shortId }),
    }));
  }
}
