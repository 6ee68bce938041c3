import type xterm from "@xterm/headless";

type Emulator = InstanceType<typeof xterm.Terminal>;
type BufferCell = NonNullable<ReturnType<Emulator["buffer"]["active"]["getNullCell"]>>;

/** A run of cells that look alike. */
export interface StyleRun {
  readonly column: number;
  readonly text: string;
  /** Such as `bold fg4`, `inverse`, `dim bg#1e1e1e`; empty for plain text. */
  readonly style: string;
}

export interface ScreenCell {
  /** Empty in the second half of a wide cluster. */
  readonly text: string;
  readonly width: number;
  readonly style: string;
}

/** What an emulator shows, read when asked. */
export class ScreenView {
  /** Titles and clipboard texts the program set so far. */
  readonly titles: readonly string[];
  readonly clipboard: readonly string[];
  readonly #emulator: Emulator;

  constructor(
    emulator: Emulator,
    heard: { readonly titles: readonly string[]; readonly clipboard: readonly string[] },
  ) {
    this.#emulator = emulator;
    this.titles = heard.titles;
    this.clipboard = heard.clipboard;
  }

  get columns(): number {
    return this.#emulator.cols;
  }

  /** Rows of the screen without the blanks at their ends. */
  get rows(): readonly string[] {
    return Array.from({ length: this.#emulator.rows }, (_, row) => this.row(row));
  }

  /** All rows, without the empty ones at the end. */
  get text(): string {
    return this.rows.join("\n").trimEnd();
  }

  get isAlternate(): boolean {
    return this.#emulator.buffer.active.type === "alternate";
  }

  get cursor(): { readonly column: number; readonly row: number; readonly isVisible: boolean } {
    const { cursorX, cursorY } = this.#emulator.buffer.active;
    return { column: cursorX, row: cursorY, isVisible: !isCursorHidden(this.#emulator) };
  }

  get modes(): Emulator["modes"] {
    return this.#emulator.modes;
  }

  row(row: number): string {
    // A line of the emulator may still be as wide as the screen was before it shrank.
    return this.#line(row)?.translateToString(true, 0, this.columns).trimEnd() ?? "";
  }

  cell(column: number, row: number): ScreenCell {
    const cell = this.#line(row)?.getCell(column);
    if (cell === undefined) return { text: "", width: 0, style: "" };
    return { text: cell.getChars(), width: cell.getWidth(), style: styleOf(cell) };
  }

  /** The runs of a row, without plain blanks at its end. */
  runs(row: number): readonly StyleRun[] {
    const runs: { column: number; text: string; style: string }[] = [];
    for (let column = 0; column < this.columns; column++) {
      const { text, width, style } = this.cell(column, row);
      if (width === 0) continue;
      const last = runs.at(-1);
      const shown = text === "" ? " " : text;
      if (last?.style === style) last.text += shown;
      else runs.push({ column, text: shown, style });
    }
    const last = runs.at(-1);
    if (last?.style === "") last.text = last.text.trimEnd();
    return runs.filter((run) => run.text !== "");
  }

  /** Runs of all rows that are not plain: what a golden screen compares besides the text. */
  styleMap(): readonly string[] {
    return this.rows.flatMap((_, row) =>
      this.runs(row)
        .filter((run) => run.style !== "")
        .map((run) => `${row}:${run.column} ${run.style} ${JSON.stringify(run.text)}`),
    );
  }

  #line(row: number) {
    const { active } = this.#emulator.buffer;
    return active.getLine(active.baseY + row);
  }
}

const FLAGS = [
  ["bold", "isBold"],
  ["dim", "isDim"],
  ["italic", "isItalic"],
  ["underline", "isUnderline"],
  ["blink", "isBlink"],
  ["inverse", "isInverse"],
  ["strike", "isStrikethrough"],
] as const;

function styleOf(cell: BufferCell): string {
  const words: string[] = FLAGS.filter(([, test]) => cell[test]() !== 0).map(([name]) => name);
  if (!cell.isFgDefault()) words.push(`fg${colour(cell.getFgColor(), cell.isFgRGB())}`);
  if (!cell.isBgDefault()) words.push(`bg${colour(cell.getBgColor(), cell.isBgRGB())}`);
  return words.join(" ");
}

function colour(value: number, isRgb: boolean): string {
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : String(value);
}

/** The emulator tells it to nobody but its own renderers. */
function isCursorHidden(emulator: Emulator): boolean {
  const inner = emulator as unknown as { _core: { coreService: { isCursorHidden: boolean } } };
  return inner._core.coreService.isCursorHidden;
}
