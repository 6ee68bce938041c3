import { coreError, isJsonObject } from "../../core/index.ts";
import type {
  Panel,
  PanelEvent,
  PanelKey,
  PanelSize,
  PanelStep,
  PanelView,
  Row,
  Span,
} from "../panel.ts";
import type { PanelAnswer, PanelTurn } from "./panel-wire.ts";

/** A panel as a guest gives it: `update` takes a turn in the sync lane, `view` runs an effect. */
export interface GuestPanel {
  readonly title: string;
  readonly keys?: unknown;
  update(turn: PanelTurn, size: PanelSize): Promise<unknown>;
  view(effect: number): Promise<unknown>;
}

/** What is on the screen until the guest has answered. */
interface Shown {
  readonly view: PanelView;
}

const NOTHING: PanelView = { rows: [] };
const MOST_ROWS = 1000;
const MOST_SPANS = 200;
const MOST_KEYS = 100;
/** Characters of one span. */
const MOST_TEXT = 10_000;

/**
 * The panel of a guest as one of this process: events go out in order, and what comes back is shown
 * when it is there. The last view stays until then (sandbox spec §4.1).
 */
export function drivenPanel(guest: GuestPanel): Panel<Shown, unknown> {
  const drive = new PanelDrive(guest);
  return {
    title: guest.title,
    keys: checkedKeys(guest.keys),
    init: { view: NOTHING },
    update: (shown, event) => drive.update(shown, event),
    view: ({ view }) => view,
  };
}

class PanelDrive {
  readonly #guest: GuestPanel;
  #size: PanelSize = { columns: 80, rows: 24 };
  #turns: Promise<unknown> = Promise.resolve();
  #answers: (PanelAnswer | { readonly failure: unknown })[] = [];
  #waiting: (() => void) | undefined;
  #isRead = false;

  constructor(guest: GuestPanel) {
    this.#guest = guest;
  }

  update({ view }: Shown, event: PanelEvent): PanelStep<Shown, unknown> {
    if (event.type === "effect") return this.#answered(view, event);
    if (event.type === "resize" && event.size) this.#size = event.size;
    this.#take(event);
    if (this.#isRead) return { model: { view } };
    this.#isRead = true;
    return { model: { view }, effect: () => this.#next() };
  }

  #answered(view: PanelView, { value, error }: { value?: unknown; error?: unknown }) {
    if (error !== undefined) throw error;
    const answer = value as PanelAnswer | { readonly failure: unknown };
    if ("failure" in answer) throw answer.failure;
    const model = { view: checkedView(answer.view) ?? view };
    if (answer.done !== undefined) return { model, done: { value: answer.done.value } };
    return { model, effect: () => this.#next() };
  }

  #take(turn: PanelTurn): void {
    const size = this.#size;
    const answered = this.#turns.then(() => this.#guest.update(turn, size));
    this.#turns = answered.then(
      (value) => this.#give(checkedAnswer(value)),
      (failure: unknown) => this.#give({ failure }),
    );
  }

  #give(answer: PanelAnswer | { readonly failure: unknown }): void {
    const { effect } = answer as PanelAnswer;
    if (effect !== undefined) {
      const settled = () => this.#take({ type: "settled", effect });
      this.#guest.view(effect).then(settled, (failure: unknown) => this.#give({ failure }));
    }
    this.#answers.push(answer);
    this.#waiting?.();
  }

  async #next(): Promise<unknown> {
    while (this.#answers.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return this.#answers.shift();
  }
}

function checkedAnswer(value: unknown): PanelAnswer {
  if (!isJsonObject(value)) {
    throw coreError("INVALID_ARGUMENT", { argument: "panel", reason: "update gave no step" });
  }
  const { view, done, effect } = value;
  return {
    view,
    ...(isJsonObject(done) && { done: { value: done.value } }),
    ...(Number.isSafeInteger(effect) && { effect: effect as number }),
  };
}

function checkedKeys(keys: unknown): readonly PanelKey[] {
  return listOf(keys, MOST_KEYS, (key) => {
    if (!isJsonObject(key)) return undefined;
    const { id, title } = key;
    const names = listOf(key.keys, MOST_KEYS, textOf);
    return typeof id === "string" && typeof title === "string"
      ? { id, title, keys: names }
      : undefined;
  });
}

/** The parts of a view that are as they should be; `undefined` if it is none. */
function checkedView(view: unknown): PanelView | undefined {
  if (!isJsonObject(view) || !Array.isArray(view.rows)) return undefined;
  const { footer, cursor } = view;
  return {
    rows: listOf(view.rows, MOST_ROWS, checkedRow),
    ...(Array.isArray(footer) && { footer: listOf(footer, MOST_ROWS, checkedRow) }),
    ...(isCell(cursor) && { cursor: { row: cursor.row, column: cursor.column } }),
  };
}

function checkedRow(row: unknown): Row | undefined {
  if (!isJsonObject(row)) return undefined;
  const { cursor, levels, start, middle, end, selected } = row;
  return {
    ...(typeof cursor === "string" && { cursor: cursor.slice(0, MOST_TEXT) }),
    ...(Array.isArray(levels) && { levels: listOf(levels, MOST_SPANS, textOf) }),
    ...(Array.isArray(start) && { start: listOf(start, MOST_SPANS, checkedSpan) }),
    ...(Array.isArray(middle) && { middle: listOf(middle, MOST_SPANS, checkedSpan) }),
    ...(Array.isArray(end) && { end: listOf(end, MOST_SPANS, checkedSpan) }),
    ...(selected === true && { selected }),
  };
}

function checkedSpan(span: unknown): Span | undefined {
  if (!isJsonObject(span) || typeof span.text !== "string") return undefined;
  const { text, style, max } = span;
  const styles = typeof style === "string" ? [style] : listOf(style, MOST_SPANS, textOf);
  return {
    text: text.slice(0, MOST_TEXT),
    // The painter takes names that it does not know for plain text.
    ...(styles.length > 0 && { style: styles as Span["style"] & readonly string[] }),
    ...(typeof max === "number" && max >= 0 && { max }),
  } as Span;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, MOST_TEXT) : undefined;
}

function isCell(value: unknown): value is { row: number; column: number } {
  return isJsonObject(value) && Number.isInteger(value.row) && Number.isInteger(value.column);
}

function listOf<T>(list: unknown, most: number, take: (item: unknown) => T | undefined): T[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, most).flatMap((item) => take(item) ?? []);
}
