import { type IndexRow, messageOf, type SessionEntry, type ToolCallBlock } from "coppice/core";
import { entryText } from "./entry-text.ts";
import { NONE, type TreeOrder } from "./order.ts";
import { fullText } from "./search.ts";
import { oneLine } from "./shorten.ts";
import { ToolCalls } from "./tool-calls.ts";

/** Row texts that are kept, and characters of search texts that are (64 MiB of two bytes each). */
const KEPT_TEXTS = 4000;
const KEPT_SEARCH_CHARACTERS = 32 * 1024 * 1024;

export interface RowTextsOptions {
  /** Shown as `~` in paths. */
  readonly home: string;
  /** Texts that other extensions give, by id; they replace the host's own. */
  readonly replaced: ReadonlyMap<string, string>;
}

/** The texts of the rows of one tree, made when they are first asked for (session tree §17). */
export class RowTexts {
  readonly #rows: readonly IndexRow[];
  readonly #order: TreeOrder;
  readonly #entry: (id: string) => SessionEntry | undefined;
  readonly #options: RowTextsOptions;
  readonly #calls: ToolCalls;
  readonly #shown = new Map<number, string>();
  readonly #searched: (string | undefined)[] = [];
  #searchedCharacters = 0;

  constructor(
    rows: readonly IndexRow[],
    order: TreeOrder,
    entry: (id: string) => SessionEntry | undefined,
    options: RowTextsOptions,
  ) {
    this.#rows = rows;
    this.#order = order;
    this.#entry = entry;
    this.#options = options;
    this.#calls = new ToolCalls(rows, order, entry);
  }

  /** The text of the row at a position (session tree §13.2). */
  shown(position: number): string {
    const known = this.#shown.get(position);
    if (known !== undefined) return known;
    const text = this.#shownText(position);
    if (this.#shown.size >= KEPT_TEXTS) this.#shown.clear();
    this.#shown.set(position, text);
    return text;
  }

  /** What a search looks at, in lower case (session tree §13.4). */
  searched(position: number): string {
    const known = this.#searched[position];
    if (known !== undefined) return known;
    const text = this.#searchText(position);
    if (this.#searchedCharacters + text.length <= KEPT_SEARCH_CHARACTERS) {
      this.#searchedCharacters += text.length;
      this.#searched[position] = text;
    }
    return text;
  }

  #shownText(position: number): string {
    const row = this.#row(position);
    const replaced = row && this.#options.replaced.get(row.id);
    if (replaced !== undefined) return oneLine(replaced);
    return this.#ownText(position);
  }

  #ownText(position: number): string {
    const entry = this.#entryAt(position);
    if (!entry) return `[${oneLine(this.#row(position)?.type)}]`;
    return entryText(entry, { call: this.#callOf(position, entry), home: this.#options.home });
  }

  #searchText(position: number): string {
    const row = this.#row(position);
    const entry = this.#entryAt(position);
    const replaced = row && this.#options.replaced.get(row.id);
    const parts = [row?.label ?? "", oneLine(row?.label), this.#ownText(position), replaced ?? ""];
    if (entry) parts.push(fullText(entry, this.#callOf(position, entry)));
    return parts.join("\n").toLowerCase();
  }

  #callOf(position: number, entry: SessionEntry): ToolCallBlock | undefined {
    const message = messageOf(entry);
    return message?.role === "toolResult"
      ? this.#calls.find(position, message.toolCallId)
      : undefined;
  }

  #row(position: number): IndexRow | undefined {
    return this.#rows[this.#order.order[position] ?? NONE];
  }

  #entryAt(position: number): SessionEntry | undefined {
    const row = this.#row(position);
    return row && this.#entry(row.id);
  }
}
