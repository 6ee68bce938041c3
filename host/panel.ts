/** A style of the theme table (tui spec §4.1). Unknown names paint as `text`. */
export type StyleName =
  | "text"
  | "dim"
  | "bold"
  | "selection"
  | "user"
  | "assistant"
  | "summary"
  | "tool"
  | "error"
  | "warning"
  | "label"
  | "active"
  | "match";

/** A run of text in one or more styles. It never holds escapes: the painter cleans and measures it. */
export interface Span {
  readonly text: string;
  readonly style?: StyleName | readonly StyleName[];
  /** Largest width in cells; longer text is cut with `…`. */
  readonly max?: number;
}

/**
 * One row of a panel. Painted as `cursor` + `levels` + `start` + `middle` … `end`: start and end are
 * kept, the middle is cut to what is left (session tree §13.2, tui spec §1.7).
 */
export interface Row {
  /** Leading cells that never move, such as the selection mark. */
  readonly cursor?: string;
  /** Tree levels of three cells each, outermost first; dropped from the left when room is short. */
  readonly levels?: readonly string[];
  readonly start?: readonly Span[];
  readonly middle?: readonly Span[];
  readonly end?: readonly Span[];
  readonly selected?: boolean;
}

export interface PanelSize {
  readonly columns: number;
  readonly rows: number;
}

/** What a panel shows: one block of rows from the top, a footer at the bottom, perhaps a cursor. */
export interface PanelView {
  readonly rows: readonly Row[];
  readonly footer?: readonly Row[];
  /** Cell of the hardware cursor, counted from the panel's top left. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export interface PanelKey {
  readonly id: string;
  /** Key names such as `ctrl+left`, `shift+l`, `escape`. */
  readonly keys: readonly string[];
  readonly title: string;
}

export type PanelEvent =
  | { readonly type: "key"; readonly key: string; readonly text?: string; readonly action?: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "resize"; readonly size?: PanelSize }
  | { readonly type: "effect"; readonly value?: unknown; readonly error?: unknown };

export interface PanelStep<M, T> {
  readonly model: M;
  /** Present when the panel closes; `{}` closes it without a value. */
  readonly done?: { readonly value?: T };
  /** Work to do outside; its settling comes back as an event of type `effect`. */
  readonly effect?: () => Promise<unknown>;
}

/** The form of a panel where there is no full screen (tui spec §4.3). */
export interface PlainForm<M, T> {
  lines(model: M): readonly string[];
  readonly prompt: string;
  answer(model: M, text: string): PanelStep<M, T>;
}

/**
 * A full-screen view as plain data: model, update, view (extensions spec §2.6).
 * `update` and `view` have no side effects. A key bound in `keys` arrives with its id as `action`;
 * a printable one also with its `text`, and the panel decides which of the two it means.
 */
export interface Panel<M, T> {
  readonly title: string;
  readonly keys?: readonly PanelKey[];
  readonly init: M;
  update(model: M, event: PanelEvent): PanelStep<M, T>;
  view(model: M, size: PanelSize): PanelView;
  readonly plain?: PlainForm<M, T>;
}
