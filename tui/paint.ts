import type { Cell, CursorPosition, Grid } from "./cells.ts";
import { DEFAULT_ATTRIBUTE } from "./styles.ts";

const BEGIN_FRAME = "\x1b[?2026h\x1b[?25l";
const END_FRAME = "\x1b[?2026l";
const CLEAR = "\x1b[2J";
const SHOW_CURSOR = "\x1b[?25h";
const NO_WRAP = "\x1b[?7l";
const WRAP = "\x1b[?7h";
/** Equal cells between two changes that are cheaper to write again than to skip. */
const REWRITTEN_RUN = 6;

/** A piece of a row to write: from one column to another, exclusive. */
interface Change {
  readonly from: number;
  readonly to: number;
}

/**
 * Turns a grid into the bytes that bring the terminal from the last frame to this one (tui spec §1.5).
 * It trusts the terminal to place a cell where it is told to, and nothing else about widths.
 */
export class Painter {
  readonly #sgr: (attribute: number) => string;
  #isWhole = true;
  #clears = false;
  #cursor: CursorPosition | undefined;

  /** `sgr` gives the parameters of the SGR sequence for an attribute of a cell. */
  constructor(sgr: (attribute: number) => string) {
    this.#sgr = sgr;
  }

  /** The next frame writes every cell, as nothing is known of the screen; `clear` also clears it first. */
  invalidate(clear = false): void {
    this.#isWhole = true;
    this.#clears ||= clear;
  }

  /**
   * The bytes of a frame, empty if nothing changed. `before` is the grid as last painted and is brought
   * up to date; both grids have the same size.
   */
  frame(grid: Grid, before: Grid, cursor?: CursorPosition): string {
    const body = this.#changedRows(grid, before);
    const isMoved = cursor?.column !== this.#cursor?.column || cursor?.row !== this.#cursor?.row;
    if (body === "" && !isMoved && !this.#isWhole) return "";
    const clear = this.#clears ? CLEAR : "";
    this.#isWhole = false;
    this.#clears = false;
    this.#cursor = cursor;
    const shown = cursor === undefined ? "" : moveTo(cursor.row, cursor.column) + SHOW_CURSOR;
    return BEGIN_FRAME + clear + body + shown + END_FRAME;
  }

  #changedRows(grid: Grid, before: Grid): string {
    const writer = new RowWriter(this.#sgr);
    for (const [y, row] of grid.entries()) {
      const old = before[y] ?? [];
      for (const change of this.#changesOf(row, old)) writer.write(y, row, change);
      copyRow(row, old);
    }
    return writer.end();
  }

  #changesOf(row: readonly Cell[], old: readonly Cell[]): readonly Change[] {
    const whole = [{ from: 0, to: row.length }];
    if (this.#isWhole) return whole;
    const changes = changedSpans(row, old);
    return changes.length > 0 && (row.some(isUnsafe) || old.some(isUnsafe)) ? whole : changes;
  }
}

/** Collects the bytes of rows, keeping track of the attribute the terminal is in. */
class RowWriter {
  readonly #sgr: (attribute: number) => string;
  #bytes = "";
  #attribute = DEFAULT_ATTRIBUTE;
  #wroteUnsafe = false;

  constructor(sgr: (attribute: number) => string) {
    this.#sgr = sgr;
  }

  write(y: number, row: readonly Cell[], { from, to }: Change): void {
    this.#bytes += moveTo(y, from);
    for (let x = from; x < to; x++) {
      const cell = row[x];
      if (cell === undefined || cell[1] === "") continue;
      this.#setAttribute(cell[0]);
      if (isUnsafe(cell)) this.#writeUnsafe(x, cell[1], row[x + 1]?.[1] === "" ? 2 : 1);
      else this.#bytes += cell[1];
    }
  }

  /** All bytes, with the terminal back in its default attribute. */
  end(): string {
    this.#setAttribute(DEFAULT_ATTRIBUTE);
    // A cluster that the terminal takes for wider than it is must not run on into the next row.
    return this.#wroteUnsafe ? NO_WRAP + this.#bytes + WRAP : this.#bytes;
  }

  #setAttribute(attribute: number): void {
    if (attribute === this.#attribute) return;
    this.#attribute = attribute;
    this.#bytes += `\x1b[${this.#sgr(attribute)}m`;
  }

  #writeUnsafe(x: number, text: string, width: number): void {
    this.#wroteUnsafe = true;
    this.#bytes += " ".repeat(width) + toColumn(x) + text + toColumn(x + width);
  }
}

/**
 * True for a cluster whose width terminals disagree about: more than one UTF-16 unit, or outside of the
 * ranges they agree on. Below U+2600 those of two cells are newer than some of the tables in use, as are
 * the hexagrams and the old jamo above.
 */
function isUnsafe([, text]: Cell): boolean {
  if (text.length > 1) return true;
  const code = text.charCodeAt(0);
  if (code < 0x2300 || Number.isNaN(code)) return false;
  if (code < 0x2600) return WIDE_AND_NEW.test(text);
  return code < 0x3000 || code > 0xd7af || (code >= 0x4dc0 && code <= 0x4dff);
}

const WIDE_AND_NEW = /[⌚⌛⏩-⏬⏰⏳◽◾]/;

/** Spans of changed cells, short equal runs between them included; none begins or ends inside a wide cluster. */
function changedSpans(row: readonly Cell[], old: readonly Cell[]): readonly Change[] {
  const spans: Change[] = [];
  for (let x = 0; x < row.length; x++) {
    if (sameCell(row[x], old[x])) continue;
    const last = spans.at(-1);
    if (last !== undefined && x - last.to <= REWRITTEN_RUN) {
      spans[spans.length - 1] = { from: last.from, to: x + 1 };
    } else spans.push({ from: x, to: x + 1 });
  }
  return spans.map((span) => aroundWide(span, row, old));
}

function aroundWide({ from, to }: Change, row: readonly Cell[], old: readonly Cell[]): Change {
  const isSecondHalf = (x: number): boolean => row[x]?.[1] === "" || old[x]?.[1] === "";
  let start = from;
  let end = to;
  while (start > 0 && isSecondHalf(start)) start--;
  while (end < row.length && isSecondHalf(end)) end++;
  return { from: start, to: end };
}

function sameCell(one: Cell | undefined, other: Cell | undefined): boolean {
  return one?.[0] === other?.[0] && one?.[1] === other?.[1];
}

function copyRow(row: readonly Cell[], to: readonly Cell[]): void {
  for (const [x, cell] of row.entries()) {
    const target = to[x];
    if (target === undefined) continue;
    target[0] = cell[0];
    target[1] = cell[1];
  }
}

function moveTo(row: number, column: number): string {
  return `\x1b[${row + 1};${column + 1}H`;
}

function toColumn(column: number): string {
  return `\x1b[${column + 1}G`;
}
