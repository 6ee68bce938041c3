import { cleanLine, clusters, layoutRow, type Row, type Span } from "../host/index.ts";
import { type Glyphs, glyphOf } from "./glyphs.ts";
import {
  attributesOf,
  DEFAULT_ATTRIBUTE,
  type Style,
  type StyleTable,
  type Theme,
} from "./styles.ts";

/** Attribute and cluster; a wide cluster fills its cell, the next one holds `""` (tui spec §1.5.2). */
export type Cell = [attribute: number, text: string];
export type Grid = readonly (readonly Cell[])[];

/** Where the hardware cursor stands, in cells of the screen. */
export interface CursorPosition {
  readonly column: number;
  readonly row: number;
}

export interface CanvasLook {
  readonly styles: StyleTable;
  readonly theme: Theme;
  readonly glyphs: Glyphs;
}

interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
}

/**
 * A rectangle of the screen to paint on. Columns and rows count from its own top left; whatever lies
 * outside is not painted. All text is cleaned here, so that none can reach the terminal raw.
 */
export class Canvas {
  readonly columns: number;
  readonly rows: number;
  readonly #grid: Grid;
  readonly #look: CanvasLook;
  readonly #left: number;
  readonly #top: number;

  constructor(grid: Grid, look: CanvasLook, area: Rectangle = wholeOf(grid)) {
    this.#grid = grid;
    this.#look = look;
    this.#left = area.left;
    this.#top = area.top;
    this.columns = area.columns;
    this.rows = area.rows;
  }

  /** A rectangle inside this one; what of it would lie outside is cut off. */
  region(column: number, row: number, columns: number, rows: number): Canvas {
    const left = Math.max(0, Math.min(column, this.columns));
    const top = Math.max(0, Math.min(row, this.rows));
    return new Canvas(this.#grid, this.#look, {
      left: this.#left + left,
      top: this.#top + top,
      columns: Math.max(0, Math.min(column + columns, this.columns) - left),
      rows: Math.max(0, Math.min(row + rows, this.rows) - top),
    });
  }

  /** The position of a cell of this canvas on the screen, for the hardware cursor. */
  position(column: number, row: number): CursorPosition {
    return {
      column: this.#left + Math.max(0, Math.min(column, this.columns - 1)),
      row: this.#top + Math.max(0, Math.min(row, this.rows - 1)),
    };
  }

  /** Blanks in one style over the whole canvas. */
  fill(style?: Style): void {
    const attribute = this.#attribute(style);
    for (let row = 0; row < this.rows; row++) this.#blank(0, row, this.columns, attribute);
  }

  /** Paints one line of text; gives the column behind it, also where that lies outside. */
  text(column: number, row: number, text: string, style?: Style): number {
    return this.#write(column, row, cleanLine(text), this.#attribute(style));
  }

  /** Paints spans side by side; gives the column behind them. `max` of a span is the layout's affair. */
  spans(column: number, row: number, spans: readonly Span[]): number {
    return spans.reduce((at, span) => this.text(at, row, span.text, span.style), column);
  }

  /** Paints a row over the full width of the canvas; a selected one in style `selection`. */
  row(row: number, content: Row): void {
    const selected = content.selected === true;
    const spans = layoutRow(content, this.columns);
    const shown = selected ? spans.map(selectedSpan) : spans;
    const end = this.spans(0, row, shown);
    this.#blank(end, row, this.columns - end, this.#attribute(selected ? "selection" : undefined));
  }

  #attribute(style: Style): number {
    return this.#look.styles.numberOf(attributesOf(this.#look.theme, style));
  }

  #write(column: number, row: number, line: string, attribute: number): number {
    let at = column;
    for (const { text, width } of clusters(line)) {
      if (width === 0) continue;
      const shown = glyphOf(text, this.#look.glyphs);
      if (at >= 0 && at + width <= this.columns) this.#set(at, row, shown, width, attribute);
      else this.#blank(at, row, width, attribute);
      at += width;
    }
    return at;
  }

  #blank(column: number, row: number, columns: number, attribute: number): void {
    const end = Math.min(column + columns, this.columns);
    for (let at = Math.max(0, column); at < end; at++) this.#set(at, row, " ", 1, attribute);
  }

  #set(column: number, row: number, text: string, width: number, attribute: number): void {
    if (row < 0 || row >= this.rows) return;
    const cells = this.#grid[this.#top + row] ?? [];
    const at = this.#left + column;
    dropHalves(cells, at, at + width);
    setCell(cells, at, attribute, text);
    if (width === 2) setCell(cells, at + 1, attribute, "");
  }
}

/** A wide cluster of which one half is painted over leaves a blank in the other. */
function dropHalves(cells: readonly Cell[], from: number, to: number): void {
  const first = cells[from];
  const before = cells[from - 1];
  const after = cells[to];
  if (first?.[1] === "" && before !== undefined) before[1] = " ";
  if (after?.[1] === "") after[1] = " ";
}

function setCell(cells: readonly Cell[], at: number, attribute: number, text: string): void {
  const cell = cells[at];
  if (cell === undefined) return;
  cell[0] = attribute;
  cell[1] = text;
}

function selectedSpan(span: Span): Span {
  const styles = span.style === undefined ? [] : [span.style].flat();
  return { ...span, style: [...styles, "selection"] };
}

function wholeOf(grid: Grid): Rectangle {
  return { left: 0, top: 0, columns: grid[0]?.length ?? 0, rows: grid.length };
}

/** A grid of blanks. */
export function blankGrid(columns: number, rows: number): Grid {
  return Array.from({ length: rows }, () =>
    Array.from({ length: columns }, (): Cell => [DEFAULT_ATTRIBUTE, " "]),
  );
}
