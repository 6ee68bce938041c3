import type { Panel, PanelKey, Row } from "../host/index.ts";
import { type Bindings, KEY_TABLE, keysOf, keyTitle } from "./keys.ts";

interface HelpModel {
  readonly query: string;
  readonly top: number;
  readonly page: number;
}

const KEY_CELLS = 26;
/** Rows that are no list: title, blank, key row. */
const FRAME_ROWS = 3;

/**
 * Lists the keys of the screen it is opened on, made from the table that binds them; typing narrows it
 * (tui spec §2.6). `own` are the keys of the panel in front; without any they are those of the chat.
 */
export function helpPanel(
  title: string,
  own: readonly PanelKey[],
  bindings: Bindings,
): Panel<HelpModel, never> {
  const everywhere = KEY_TABLE.filter(({ scope }) => scope === "all");
  const screen = own.length > 0 ? own : KEY_TABLE.filter(({ scope }) => scope === "chat");
  const rows = [...screen, ...everywhere].filter((row) => keysOf(row, bindings).length > 0);
  const found = ({ query }: HelpModel): readonly PanelKey[] =>
    rows.filter((row) => searchText(row, bindings).includes(query.toLowerCase()));
  return {
    title,
    keys: KEY_TABLE.filter(({ scope }) => scope === "lists"),
    init: { query: "", top: 0, page: 1 },
    update(model, event) {
      if (event.type === "resize") {
        const page = Math.max(1, (event.size?.rows ?? 0) - FRAME_ROWS);
        return { model: { ...model, page } };
      }
      if (event.type !== "key") return { model };
      if (event.action === "tui.select.cancel" && model.query === "") return { model, done: {} };
      const next = moved(model, event.action, event.text, event.key);
      const last = Math.max(0, found(next).length - next.page);
      return { model: { ...next, top: Math.max(0, Math.min(next.top, last)) } };
    },
    view(model) {
      const shown = found(model).slice(model.top, model.top + model.page);
      const search = model.query === "" ? "" : `/ ${model.query}`;
      return {
        rows: [
          { start: [{ text: ` ${title}  `, style: "bold" }], middle: [{ text: search }] },
          {},
          ...(shown.length === 0 ? [NOTHING] : shown.map((row) => keyRow(row, bindings))),
        ],
        footer: [{ middle: [{ text: " ↑↓ scroll · type to search · Esc back", style: "dim" }] }],
        cursor: { row: 0, column: 5 + title.length + model.query.length },
      };
    },
  };
}

const NOTHING: Row = { middle: [{ text: " No key matches.", style: "dim" }] };

function moved(
  model: HelpModel,
  action: string | undefined,
  text: string | undefined,
  key: string,
): HelpModel {
  const steps: Readonly<Record<string, number>> = {
    "tui.select.up": -1,
    "tui.select.down": 1,
    "tui.select.pageUp": -model.page,
    "tui.select.pageDown": model.page,
    "tui.select.first": Number.NEGATIVE_INFINITY,
    "tui.select.last": Number.POSITIVE_INFINITY,
  };
  const by = action === undefined ? undefined : steps[action];
  if (by !== undefined) return { ...model, top: model.top + by };
  if (action === "tui.select.cancel") return { ...model, query: "", top: 0 };
  if (key === "backspace")
    return { ...model, query: [...model.query].slice(0, -1).join(""), top: 0 };
  return text === undefined ? model : { ...model, query: model.query + text, top: 0 };
}

function keyRow(row: PanelKey, bindings: Bindings): Row {
  const keys = keysOf(row, bindings).map(keyTitle).join(", ");
  return {
    start: [{ text: ` ${keys.padEnd(KEY_CELLS)} ` }, { text: row.title }],
    end: [{ text: row.id, style: "dim" }],
  };
}

function searchText(row: PanelKey, bindings: Bindings): string {
  return [row.title, row.id, ...keysOf(row, bindings).map(keyTitle)].join(" ").toLowerCase();
}
