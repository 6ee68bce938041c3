import type { PanelSize, PanelView, Row, Span } from "coppice";
import { visibleWidth, wrapText } from "coppice/tui";
import { BOX_ROWS, boxCursor, boxRows } from "./box-view.ts";
import { statusLine } from "./classic-row.ts";
import { hintRow } from "./hints.ts";
import { dataOf, isFolded, type SelectorModel } from "./model.ts";
import { NONE } from "./order.ts";
import { queryTokens } from "./search.ts";

const HEADER_ROWS = 2;
/** Rows of a notice at most, and those that stay for a row of the list and the status line. */
const NOTICE_ROWS = 4;
const ROWS_BESIDE_NOTICE = 2;
/** Below this size the list stands alone (tui spec §2.7). */
const SMALL: PanelSize = { columns: 40, rows: 10 };

/** What the frame shows beside the model. */
export interface ViewOptions {
  readonly title: string;
  readonly filters: readonly { readonly id: string }[];
  readonly isPicker: boolean;
  now(): Date;
}

/** The selector as rows: header, list with the selected row centred, status line, keys. */
export function view(options: ViewOptions, model: SelectorModel, size: PanelSize): PanelView {
  const isSmall = size.columns < SMALL.columns || size.rows < SMALL.rows;
  const header = isSmall ? [] : headerRows(options, model);
  const footer = footerRows(options, model, size, isSmall);
  const box = model.box ? boxRows(model.box, size.columns) : [];
  const room = size.rows - header.length - footer.length - 1 - (model.box ? BOX_ROWS : 0);
  const height = Math.max(1, room);
  const top = Math.max(
    0,
    Math.min(model.row - Math.floor((height - 1) / 2), model.listed.length - height),
  );
  const list = listRows(options, model, size.columns, { top, height });
  const rows = [...header, ...list, ...box, statusRow(model)];
  const first = header.length;
  const places = { header: first, list: first + list.length, top, columns: size.columns };
  const cursor = cursorOf(model, places);
  return { rows, footer, ...(cursor && { cursor }) };
}

function listRows(
  options: ViewOptions,
  model: SelectorModel,
  columns: number,
  window: { readonly top: number; readonly height: number },
): Row[] {
  const tokens = queryTokens(model.shown.query);
  const times = model.labelTimes ? { labelTimesAt: options.now() } : {};
  const nodes = model.listed.subarray(window.top, window.top + window.height);
  const rows = Array.from(nodes, (node, place) =>
    model.rowOf(node, {
      isFolded: isFolded(model, node),
      isSelected: window.top + place === model.row,
      columns,
      tokens,
      ...times,
    }),
  );
  if (rows.length === 0) rows.push({ middle: [{ text: emptyText(model), style: "dim" }] });
  while (rows.length < window.height) rows.push({});
  return rows;
}

function emptyText(model: SelectorModel): string {
  const { filter, query, data } = model.shown;
  if (query.trim() !== "") return `  Nothing matches “${query}” in ${filter.title}. Esc clears`;
  if (filter.id === "labeled-only") return "  No labels. ⇧L on any entry adds one.";
  return `  Nothing to show in ${filter.title}: ${data.rows.length} entries are hidden.`;
}

function statusRow(model: SelectorModel): Row {
  const { filter } = model.shown;
  const text = statusLine(model.row, model.listed.length, filter, model.labelTimes);
  return { start: [{ text, style: "dim" }] };
}

function headerRows(options: ViewOptions, model: SelectorModel): Row[] {
  const { filter, query, data } = model.wanted;
  const at = options.filters.findIndex(({ id }) => id === filter.id) + 1;
  const asked: Span =
    query === "" ? { text: "type to search", style: "dim" } : { text: query, style: "bold" };
  return [
    {
      start: [{ text: " " }],
      middle: [{ text: options.title, style: "bold" }],
      end: [
        { text: `‹${filter.title}› ${at} of ${options.filters.length}` },
        { text: `   ${counted(data.rows.length, "entry", "entries")} `, style: "dim" },
      ],
    },
    { start: [{ text: " / " }], middle: [asked], end: [{ text: searchNote(model), style: "dim" }] },
  ];
}

function searchNote(model: SelectorModel): string {
  if (model.work === "settling") return "… ";
  if (model.wanted.query !== "") return `${counted(model.listed.length, "match", "matches")} `;
  const { forks } = model.tree;
  const { labelled } = dataOf(model);
  const labels = labelled === 0 ? "" : ` · ⚑ ${counted(labelled, "label", "labels")}`;
  const branches =
    forks === 0 ? "no branches yet" : `⋔ ${counted(forks, "branch point", "branch points")}`;
  return `${branches}${labels} `;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function footerRows(
  options: ViewOptions,
  model: SelectorModel,
  size: PanelSize,
  isSmall: boolean,
): Row[] {
  const notice = noticeRows(model.notice, size);
  return isSmall ? notice : [...notice, keyRow(options, model, size.columns)];
}

/** A notice may need more than a row: at its end stands the way out. */
function noticeRows(notice: string | undefined, { columns, rows }: PanelSize): Row[] {
  if (notice === undefined) return [];
  const most = Math.max(1, Math.min(NOTICE_ROWS, rows - ROWS_BESIDE_NOTICE));
  const lines = wrapText(notice, Math.max(1, columns - 2)).slice(0, most);
  return lines.map((text) => ({ start: [{ text: " " }], middle: [{ text, style: "warning" }] }));
}

function keyRow(options: ViewOptions, model: SelectorModel, columns: number): Row {
  const hasQuery = model.wanted.query !== "";
  const hints = [
    options.isPicker ? "⏎ choose" : "⏎ go here",
    "←→ fold",
    "^O filter",
    ...(hasQuery ? [] : ["⇧L label"]),
    ...(options.isPicker ? [] : ["^F new session"]),
    hasQuery ? "Esc clears" : "Esc closes",
  ];
  return hintRow(hints, columns);
}

function cursorOf(
  model: SelectorModel,
  at: { header: number; list: number; top: number; columns: number },
): PanelView["cursor"] {
  if (model.box) {
    return { row: at.list + 1, column: boxCursor(model.box, at.columns) };
  }
  if (model.wanted.query !== "" && at.header > 0) {
    return { row: HEADER_ROWS - 1, column: 3 + visibleWidth(model.wanted.query) };
  }
  return model.row === NONE ? undefined : { row: at.header + model.row - at.top, column: 0 };
}
