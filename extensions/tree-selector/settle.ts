import { setImmediate } from "node:timers/promises";
import type { TreeFilter } from "coppice";
import { type Admitted, admit } from "./filters.ts";
import { matches, queryTokens } from "./search.ts";
import type { TreeData } from "./tree-data.ts";
import { type VisibleTree, visibleTree } from "./visible.ts";

/** What is to be shown. */
export interface Wanted {
  readonly data: TreeData;
  readonly filter: TreeFilter;
  readonly query: string;
}

/** How it turned out; neither tree nor problem: something else was wanted meanwhile. */
export interface Settled {
  readonly wanted: Wanted;
  readonly tree?: VisibleTree;
  readonly problem?: string;
}

/** Rows and characters that are searched before others get their turn (session tree §17 rule 5). */
const SLICE_ROWS = 1000;
const SLICE_CHARACTERS = 1024 * 1024;

/** Finds what filter and query leave visible, in slices; a new search ends the one before. */
export class Settler {
  #current: Wanted | undefined;
  #admitted = new WeakMap<TreeData, Map<string, Admitted>>();
  #last: { readonly wanted: Wanted; readonly positions: Uint8Array } | undefined;

  async settle(wanted: Wanted): Promise<Settled> {
    this.#current = wanted;
    const admitted = await this.#admit(wanted);
    if (this.#current !== wanted) return { wanted };
    if ("problem" in admitted) return { wanted, problem: admitted.problem };
    const positions = await this.#search(wanted, admitted.positions);
    if (!positions) return { wanted };
    this.#last = { wanted, positions };
    return { wanted, tree: visibleTree(wanted.data.order, positions) };
  }

  async #admit({ data, filter }: Wanted): Promise<Admitted> {
    const known = this.#admitted.get(data) ?? new Map<string, Admitted>();
    this.#admitted.set(data, known);
    const admitted = known.get(filter.id) ?? (await admit(data, filter));
    if (!("problem" in admitted)) known.set(filter.id, admitted);
    return admitted;
  }

  async #search(wanted: Wanted, admitted: Uint8Array): Promise<Uint8Array | undefined> {
    const tokens = queryTokens(wanted.query);
    if (tokens.length === 0) return admitted;
    const candidates = this.#narrowed(wanted) ?? admitted;
    const found = new Uint8Array(candidates.length);
    let slice = { rows: 0, characters: 0 };
    for (let at = candidates.indexOf(1); at >= 0; at = candidates.indexOf(1, at + 1)) {
      const text = wanted.data.texts.searched(at);
      found[at] = Number(matches(text, tokens));
      slice = { rows: slice.rows + 1, characters: slice.characters + text.length };
      if (slice.rows < SLICE_ROWS && slice.characters < SLICE_CHARACTERS) continue;
      slice = { rows: 0, characters: 0 };
      await setImmediate();
      if (this.#current !== wanted) return undefined;
    }
    return found;
  }

  /** The last result, if a longer query can only find less than it did. */
  #narrowed(wanted: Wanted): Uint8Array | undefined {
    const last = this.#last;
    const isLonger =
      last?.wanted.data === wanted.data &&
      last.wanted.filter.id === wanted.filter.id &&
      wanted.query.startsWith(last.wanted.query);
    return isLonger ? last.positions : undefined;
  }
}
