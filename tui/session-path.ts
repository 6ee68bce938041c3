import { messageOf, type SessionEntry, type SessionManager } from "../core/index.ts";
import { type Block, blocksOf, lastAssistantAt } from "./transcript.ts";

/** The path to the leaf: all of its ids, its last entries, and what is summed up over it. */
export interface PathFacts {
  readonly path: readonly string[];
  /** Place on the path of the first entry that is read. */
  readonly from: number;
  readonly entries: readonly SessionEntry[];
  readonly blocks: readonly Block[];
  /** US dollars. */
  readonly cost: number;
  /** Points of the path at which branches leave. */
  readonly forks: number;
}

/** Points are counted without the leaf, which becomes one only when the next entry comes. */
type Known = Omit<PathFacts, "forks"> & { readonly forksAbove: number };

const EMPTY: Known = { path: [], from: 0, entries: [], blocks: [], cost: 0, forksAbove: 0 };
/** Entries read at first; as many again each time more is wanted. */
const FIRST_ENTRIES = 400;
/** A path that is longer than the last one by more entries is read anew. */
const STEPS_BACK = 64;

/** Reads the path of a session; one that only grew is not read again, and its beginning only if wanted. */
export class PathReader {
  readonly #session: SessionManager;
  #known = EMPTY;

  constructor(session: SessionManager) {
    this.#session = session;
  }

  /** Reads everything at the next time. */
  forget(): void {
    this.#known = EMPTY;
  }

  read(): PathFacts {
    const added = this.#entriesBehind(this.#known.path.at(-1) ?? null);
    if (added === undefined) this.#known = this.#whole();
    else if (added.length > 0) this.#known = this.#grown(this.#known, added);
    const { forksAbove, ...known } = this.#known;
    const leaf = known.path.at(-1);
    return { ...known, forks: forksAbove + (leaf !== undefined && this.#isFork(leaf) ? 1 : 0) };
  }

  readEarlier(): void {
    const { path, from, entries } = this.#known;
    const earlier = Math.max(0, from - Math.max(FIRST_ENTRIES, entries.length));
    const all = [...this.#entriesOf(path.slice(earlier, from)), ...entries];
    this.#known = { ...this.#known, from: earlier, entries: all, blocks: blocksOf(all, earlier) };
  }

  #whole(): Known {
    const rows = new Map(this.#session.getIndex().map((row) => [row.id, row]));
    const children = new Map<string | null, number>();
    for (const { parentId } of rows.values()) {
      children.set(parentId, (children.get(parentId) ?? 0) + 1);
    }
    const path: string[] = [];
    let cost = 0;
    for (let id = this.#session.getLeafId(); id !== null; id = rows.get(id)?.parentId ?? null) {
      path.push(id);
      cost += rows.get(id)?.cost ?? 0;
    }
    path.reverse();
    const from = Math.max(0, path.length - FIRST_ENTRIES);
    const entries = this.#entriesOf(path.slice(from));
    const forksAbove = path.slice(0, -1).filter((id) => (children.get(id) ?? 0) > 1).length;
    return { path, from, entries, blocks: blocksOf(entries, from), cost, forksAbove };
  }

  /** The entries that the path gained behind an entry; `undefined` if it did not just grow. */
  #entriesBehind(id: string | null): readonly SessionEntry[] | undefined {
    const added: SessionEntry[] = [];
    let entry = this.#session.getLeafEntry();
    while ((entry?.id ?? null) !== id) {
      if (entry === undefined || added.length === STEPS_BACK) return undefined;
      added.unshift(entry);
      entry = entry.parentId === null ? undefined : this.#session.getEntry(entry.parentId);
    }
    return added;
  }

  #grown(known: Known, added: readonly SessionEntry[]): Known {
    const entries = [...known.entries, ...added];
    const path = [...known.path, ...added.map(({ id }) => id)];
    const first = lastAssistantAt(known.entries);
    const kept = known.blocks.filter(({ at }) => at < known.from + first);
    const passed = path.slice(Math.max(0, known.path.length - 1), -1);
    return {
      path,
      from: known.from,
      entries,
      blocks: [...kept, ...blocksOf(entries.slice(first), known.from + first)],
      cost: known.cost + costOf(added),
      forksAbove: known.forksAbove + passed.filter((id) => this.#isFork(id)).length,
    };
  }

  #entriesOf(ids: readonly string[]): readonly SessionEntry[] {
    return ids.flatMap((id) => this.#session.getEntry(id) ?? []);
  }

  #isFork(id: string): boolean {
    return this.#session.getChildren(id).length > 1;
  }
}

function costOf(entries: readonly SessionEntry[]): number {
  return entries.reduce((sum, entry) => {
    const message = messageOf(entry);
    const total = message?.role === "assistant" ? message.usage?.cost?.total : undefined;
    return sum + (typeof total === "number" && Number.isFinite(total) ? total : 0);
  }, 0);
}
