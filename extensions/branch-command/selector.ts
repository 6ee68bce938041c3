import type { Panel, PanelEvent, PanelKey, PanelSize, PanelStep, PanelView, Row } from "coppice";
import { visibleWidth } from "coppice/tui";
import { matching, type UserMessage } from "./messages.ts";

interface SelectorModel {
  readonly query: string;
  readonly shown: readonly UserMessage[];
  /** Selected row; -1 in an empty list. */
  readonly row: number;
  readonly page: number;
}

const FRAME_ROWS = 3;
const KEYS: readonly PanelKey[] = [
  { id: "tui.select.up", keys: ["up", "ctrl+p"], title: "previous message" },
  { id: "tui.select.down", keys: ["down", "ctrl+n"], title: "next message" },
  { id: "tui.select.pageUp", keys: ["pageup"], title: "page up" },
  { id: "tui.select.pageDown", keys: ["pagedown"], title: "page down" },
  { id: "tui.select.first", keys: ["home"], title: "first message" },
  { id: "tui.select.last", keys: ["end"], title: "last message" },
  { id: "tui.editor.deleteCharBackward", keys: ["backspace"], title: "shorten the query" },
  { id: "tui.select.confirm", keys: ["enter"], title: "new session from here" },
  { id: "tui.select.cancel", keys: ["escape", "ctrl+c"], title: "close" },
];

/** The messages, oldest first and the last one selected; gives an entry id (session tree §14). */
export function messageSelector(
  messages: readonly UserMessage[],
  query: string,
): Panel<SelectorModel, string> {
  const title = "New session from one of your messages";
  return {
    title,
    keys: KEYS,
    init: withQuery(messages, { query: "", shown: [], row: -1, page: 10 }, query),
    update: (model, event) => update(messages, model, event),
    view: (model, size) => view(title, model, size),
    plain: {
      lines: (model) => model.shown.map(({ text }, row) => `${row + 1} ${text}`),
      prompt: "number, /text, Enter to cancel: ",
      answer: (model, text) => answered(messages, model, text.trim()),
    },
  };
}

type Step = PanelStep<SelectorModel, string>;

function withQuery(
  messages: readonly UserMessage[],
  model: SelectorModel,
  query: string,
): SelectorModel {
  const shown = query.trim() === "" ? messages : matching(messages, query.trim());
  return { ...model, query, shown, row: shown.length - 1 };
}

function update(messages: readonly UserMessage[], model: SelectorModel, event: PanelEvent): Step {
  switch (event.type) {
    case "resize":
      return { model: { ...model, page: Math.max(1, (event.size?.rows ?? 0) - FRAME_ROWS) } };
    case "paste":
      return { model: withQuery(messages, model, model.query + event.text.replace(/\s+/g, " ")) };
    case "key":
      return event.action === undefined
        ? { model: typed(messages, model, event.text ?? "") }
        : act(messages, model, event.action);
    default:
      return { model };
  }
}

function typed(messages: readonly UserMessage[], model: SelectorModel, text: string) {
  return text === "" ? model : withQuery(messages, model, model.query + text);
}

function act(messages: readonly UserMessage[], model: SelectorModel, action: string): Step {
  const value = model.shown[model.row]?.entryId;
  switch (action) {
    case "tui.select.confirm":
      return value === undefined ? { model } : { model, done: { value } };
    case "tui.select.cancel":
      return { model, done: {} };
    case "tui.editor.deleteCharBackward":
      return { model: withQuery(messages, model, Array.from(model.query).slice(0, -1).join("")) };
    default:
      return { model: moved(model, action) };
  }
}

function moved(model: SelectorModel, action: string): SelectorModel {
  const targets: Readonly<Record<string, number>> = {
    "tui.select.up": model.row - 1,
    "tui.select.down": model.row + 1,
    "tui.select.pageUp": model.row - model.page,
    "tui.select.pageDown": model.row + model.page,
    "tui.select.first": 0,
    "tui.select.last": model.shown.length - 1,
  };
  const row = Math.min(Math.max(targets[action] ?? model.row, 0), model.shown.length - 1);
  return { ...model, row };
}

function answered(messages: readonly UserMessage[], model: SelectorModel, text: string): Step {
  if (text === "") return { model, done: {} };
  if (text.startsWith("/")) return { model: withQuery(messages, model, text.slice(1)) };
  const value = model.shown[Number(text) - 1]?.entryId;
  return value === undefined ? { model } : { model, done: { value } };
}

function view(title: string, model: SelectorModel, size: PanelSize): PanelView {
  const height = Math.max(1, size.rows - FRAME_ROWS);
  const centred = model.row - Math.floor((height - 1) / 2);
  const top = Math.max(0, Math.min(centred, model.shown.length - height));
  const list = model.shown.slice(top, top + height).map(({ text }, place): Row => {
    const isSelected = top + place === model.row;
    return {
      cursor: isSelected ? "› " : "  ",
      middle: [{ text, style: "user" }],
      selected: isSelected,
    };
  });
  if (list.length === 0) list.push({ middle: [{ text: "  No message matches.", style: "dim" }] });
  const count = `${model.row + 1}/${model.shown.length} `;
  const asked = model.query === "" ? "type to search" : model.query;
  const header: readonly Row[] = [
    { middle: [{ text: ` ${title}`, style: "bold" }], end: [{ text: count, style: "dim" }] },
    { middle: [{ text: ` / ${asked}`, style: model.query === "" ? "dim" : "bold" }] },
  ];
  const keys = " ↑↓ choose  ⏎ new session from here  Esc closes";
  return {
    rows: [...header, ...list],
    footer: [{ middle: [{ text: keys, style: "dim" }] }],
    cursor:
      model.query === ""
        ? { row: header.length + Math.max(0, model.row - top), column: 0 }
        : { row: 1, column: visibleWidth(` / ${model.query}`) },
  };
}
