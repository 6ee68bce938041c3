import { type Diagnostic, messageOf, messageText, type SessionEntry } from "../core/index.ts";
import type { AgentSession, ContextUsage, ModelChoice } from "../host/index.ts";
import { type Block, blocksOf, lastAssistantAt } from "./transcript.ts";

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
  readonly path: readonly SessionEntry[];
  readonly blocks: readonly Block[];
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

/** The path to the leaf and what is summed up over it. */
interface PathFacts {
  readonly path: readonly SessionEntry[];
  readonly blocks: readonly Block[];
  readonly cost: number;
  /** Branch points above the leaf. */
  readonly forksAbove: number;
}

const EMPTY_PATH: PathFacts = { path: [], blocks: [], cost: 0, forksAbove: 0 };
/** A path that is longer than the last one by more entries is read anew. */
const STEPS_BACK = 64;

/** Reads a session for the screen; a path that only grew is not read again. */
export class SessionReader {
  readonly #session: AgentSession;
  #last = EMPTY_PATH;
  #usage: { readonly messages: unknown; readonly model: unknown; readonly usage?: ContextUsage } = {
    messages: undefined,
    model: undefined,
  };

  constructor(session: AgentSession) {
    this.#session = session;
  }

  /** Reads everything at the next time: another session has taken the place of this one. */
  forget(): void {
    this.#last = EMPTY_PATH;
  }

  read(): SessionFacts {
    const { sessionManager, modelChoice, thinkingLevel } = this.#session;
    const { path, blocks, cost, forksAbove } = this.#readPath();
    const leaf = path.at(-1);
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
      forks: forksAbove + (leaf !== undefined && this.#isFork(leaf) ? 1 : 0),
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

  #readPath(): PathFacts {
    const { sessionManager } = this.#session;
    const added = this.#entriesBehind(this.#last.path.at(-1)?.id ?? null);
    if (added === undefined) {
      const path = sessionManager.getBranch();
      this.#last = {
        path,
        blocks: blocksOf(path),
        cost: costOf(path),
        forksAbove: this.#forks(path),
      };
    } else if (added.length > 0) this.#last = this.#grown(this.#last, added);
    return this.#last;
  }

  /** The entries that the path gained behind an entry; `undefined` if it did not just grow. */
  #entriesBehind(id: string | null): readonly SessionEntry[] | undefined {
    const added: SessionEntry[] = [];
    let entry = this.#session.sessionManager.getLeafEntry();
    while ((entry?.id ?? null) !== id) {
      if (entry === undefined || added.length === STEPS_BACK) return undefined;
      added.unshift(entry);
      entry =
        entry.parentId === null ? undefined : this.#session.sessionManager.getEntry(entry.parentId);
    }
    return added;
  }

  #grown(last: PathFacts, added: readonly SessionEntry[]): PathFacts {
    const path = [...last.path, ...added];
    const from = lastAssistantAt(last.path);
    const kept = last.blocks.filter(({ at }) => at < from);
    const passed = path.slice(Math.max(0, last.path.length - 1), -1);
    return {
      path,
      blocks: [...kept, ...blocksOf(path, from)],
      cost: last.cost + costOf(added),
      forksAbove: last.forksAbove + passed.filter((entry) => this.#isFork(entry)).length,
    };
  }

  #isFork({ id }: SessionEntry): boolean {
    return this.#session.sessionManager.getChildren(id).length > 1;
  }

  #forks(path: readonly SessionEntry[]): number {
    const children = new Map<string, number>();
    for (const { parentId } of this.#session.sessionManager.getIndex()) {
      if (parentId !== null) children.set(parentId, (children.get(parentId) ?? 0) + 1);
    }
    return path.slice(0, -1).filter(({ id }) => (children.get(id) ?? 0) > 1).length;
  }

  #labelAbove(path: readonly SessionEntry[]): string | undefined {
    const { sessionManager } = this.#session;
    const at = path.findLastIndex(({ id }) => sessionManager.getLabel(id) !== undefined);
    return at < 0 ? undefined : sessionManager.getLabel(path[at]?.id ?? "");
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

/** What a person wrote on a path, the oldest first. */
export function promptsOf(path: readonly SessionEntry[]): readonly string[] {
  return path.flatMap((entry) => {
    const message = messageOf(entry);
    return message?.role === "user" ? [messageText(message)] : [];
  });
}

function costOf(entries: readonly SessionEntry[]): number {
  return entries.reduce((sum, entry) => {
    const message = messageOf(entry);
    const total = message?.role === "assistant" ? message.usage?.cost?.total : undefined;
    return sum + (typeof total === "number" && Number.isFinite(total) ? total : 0);
  }, 0);
}
