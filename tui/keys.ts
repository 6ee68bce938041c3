import type { PanelKey } from "../host/index.ts";

/** Where a key acts; `all` holds on every screen, `lists` in popups and boxes (tui spec §3.2). */
export type Scope = "all" | "lists" | "chat";

export interface KeyRow extends PanelKey {
  readonly scope: Scope;
}

const row = (scope: Scope, id: string, title: string, ...keys: string[]): KeyRow => ({
  scope,
  id,
  keys,
  title,
});

/** The keys of the program. Those of a panel come from the panel. */
export const KEY_TABLE: readonly KeyRow[] = [
  row("all", "app.help", "help", "f1"),
  row("all", "app.suspend", "stop the program; fg in the shell goes on", "ctrl+z"),
  row("all", "app.redraw", "paint the screen again", "f5"),
  row("lists", "tui.select.up", "previous row", "up", "ctrl+p"),
  row("lists", "tui.select.down", "next row", "down", "ctrl+n"),
  row("lists", "tui.select.pageUp", "page up", "pageup"),
  row("lists", "tui.select.pageDown", "page down", "pagedown"),
  row("lists", "tui.select.first", "first row", "home"),
  row("lists", "tui.select.last", "last row", "end"),
  row("lists", "tui.select.confirm", "choose", "enter"),
  row("lists", "tui.select.cancel", "back", "escape"),
  row("chat", "tui.input.submit", "send", "enter"),
  row("chat", "tui.input.newLine", "new line", "shift+enter", "alt+enter", "ctrl+j"),
  row("chat", "app.interrupt", "close a popup, stop a reply; twice: the tree", "escape"),
  row("chat", "app.clear", "stop a reply, clear the text; twice: quit", "ctrl+c"),
  row("chat", "app.exit", "quit, or delete forward", "ctrl+d"),
  row("chat", "app.message.steer", "send", "ctrl+s"),
  row("chat", "app.history.search", "search what you sent", "ctrl+r"),
  row("chat", "app.session.back", "to the position before the last move", "alt+-"),
  row("chat", "tui.editor.cursorUp", "line up, or older text", "up"),
  row("chat", "tui.editor.cursorDown", "line down, or newer text", "down"),
  row("chat", "tui.editor.cursorLeft", "left", "left"),
  row("chat", "tui.editor.cursorRight", "right", "right"),
  row("chat", "tui.editor.cursorWordLeft", "word left", "alt+b", "alt+left", "ctrl+left"),
  row("chat", "tui.editor.cursorWordRight", "word right", "alt+f", "alt+right", "ctrl+right"),
  row("chat", "tui.editor.cursorLineStart", "start of the line", "home", "ctrl+a"),
  row("chat", "tui.editor.cursorLineEnd", "end of the line; first back down", "end", "ctrl+e"),
  row("chat", "tui.editor.deleteCharBackward", "delete backward", "backspace", "ctrl+backspace"),
  row("chat", "tui.editor.deleteCharForward", "delete forward", "delete"),
  row("chat", "tui.editor.deleteWordBackward", "delete the word before", "ctrl+w", "alt+backspace"),
  row("chat", "tui.editor.deleteWordForward", "delete the word behind", "alt+d"),
  row("chat", "tui.editor.deleteToLineStart", "delete to the start of the line", "ctrl+u"),
  row("chat", "tui.editor.deleteToLineEnd", "delete to the end of the line", "ctrl+k"),
  row("chat", "tui.editor.yank", "insert what was deleted", "ctrl+y"),
  row("chat", "tui.editor.yankPop", "insert what was deleted before", "alt+y"),
  row("chat", "tui.editor.undo", "undo", "ctrl+_"),
  row("chat", "tui.editor.redo", "redo", "alt+_"),
  row("chat", "tui.input.tab", "complete a command", "tab"),
  row("chat", "tui.editor.pageUp", "scroll up", "pageup"),
  row("chat", "tui.editor.pageDown", "scroll down", "pagedown"),
  row("chat", "app.tools.expand", "open or close the output of tools", "ctrl+o"),
  row("chat", "app.model.select", "choose the model", "ctrl+l"),
];

const SCOPES: readonly Scope[] = ["all", "lists", "chat"];
/** Ids that panels and extensions declare, which are not all known before they open. */
const OPEN_IDS = /^(app\.(tree|question)\.|ext\.)/;
const MODIFIERS = ["ctrl", "alt", "shift"];
const WORDS = new Set(
  "enter escape tab space backspace delete insert up down left right home end pageup pagedown"
    .split(" ")
    .concat(Array.from({ length: 12 }, (_, i) => `f${i + 1}`)),
);

/** Keys and the ids they act for. */
export type Binding = ReadonlyMap<string, string>;

export interface Bindings {
  readonly scopes: Readonly<Record<Scope, Binding>>;
  /** The setting `keys` as far as it is valid: id → keys. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  /** What is wrong with the setting, a sentence each. */
  readonly problems: readonly string[];
}

/** Joins the table with the setting `keys` (tui spec §3.1). */
export function bindKeys(setting: unknown): Bindings {
  const problems: string[] = [];
  const own = readSetting(setting, problems);
  const scopes = { all: new Map(), lists: new Map(), chat: new Map() };
  for (const scope of SCOPES) {
    const rows = KEY_TABLE.filter((each) => each.scope === scope || each.scope === "all");
    const bound = bindRows(rows, own, problems);
    const mine = new Set(rows.filter((each) => each.scope === scope).map(({ id }) => id));
    scopes[scope] = new Map([...bound].filter(([, id]) => mine.has(id)));
  }
  return { scopes, own, problems: [...new Set(problems)] };
}

/** The keys of a panel, bound as the setting has them. */
export function bindPanelKeys(keys: readonly PanelKey[], bindings: Bindings): Binding {
  return bindRows(keys, bindings.own, []);
}

/** The keys of an id as they are bound. */
export function keysOf(row: PanelKey, bindings: Bindings): readonly string[] {
  return bindings.own.get(row.id) ?? row.keys;
}

/** Own bindings come first; of two keys alike the first in the table stays. */
function bindRows(
  rows: readonly PanelKey[],
  own: ReadonlyMap<string, readonly string[]>,
  problems: string[],
): Binding {
  const bound = new Map<string, string>();
  const bind = (id: string, key: string): void => {
    const holder = bound.get(key);
    if (holder === undefined) bound.set(key, id);
    else if (holder !== id) problems.push(`the key ${key} acts for ${holder}, not for ${id}`);
  };
  for (const { id } of rows) for (const key of own.get(id) ?? []) bind(id, key);
  for (const { id, keys } of rows) if (!own.has(id)) for (const key of keys) bind(id, key);
  return bound;
}

function readSetting(setting: unknown, problems: string[]): ReadonlyMap<string, readonly string[]> {
  const own = new Map<string, readonly string[]>();
  if (setting === undefined || setting === null) return own;
  if (typeof setting !== "object" || Array.isArray(setting)) {
    problems.push("it is no object of lists of keys");
    return own;
  }
  for (const [id, keys] of Object.entries(setting)) {
    if (!isKnownId(id)) problems.push(`there is no ${id}`);
    else own.set(id, readKeys(id, keys, problems));
  }
  return own;
}

function readKeys(id: string, keys: unknown, problems: string[]): readonly string[] {
  if (!Array.isArray(keys)) problems.push(`${id} is no list of keys`);
  return (Array.isArray(keys) ? keys : []).flatMap((key) => {
    const name = canonicalKey(key);
    if (name === undefined) problems.push(`${id}: there is no key ${JSON.stringify(key)}`);
    return name === undefined ? [] : [name];
  });
}

function isKnownId(id: string): boolean {
  return OPEN_IDS.test(id) || KEY_TABLE.some((each) => each.id === id);
}

/** `Shift+Ctrl+Left` → `ctrl+shift+left`; `undefined` for what no terminal sends. */
function canonicalKey(key: unknown): string | undefined {
  if (typeof key !== "string") return undefined;
  const [, before = "", name = ""] =
    /^((?:(?:ctrl|alt|shift)\+)*)(.+)$/s.exec(key.toLowerCase()) ?? [];
  const isSign = [...name].length === 1 && name !== " ";
  if (!isSign && !WORDS.has(name)) return undefined;
  const modifiers = MODIFIERS.filter((modifier) => before.includes(modifier));
  return [...modifiers, name].join("+");
}

/** A key as people read it: `Ctrl+Left`, `Shift+L`, `Esc`. */
export function keyTitle(key: string): string {
  return key
    .split(/\+(?=.)/)
    .map((part) => TITLES[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join("+");
}

const TITLES: Readonly<Record<string, string>> = {
  escape: "Esc",
  pageup: "PageUp",
  pagedown: "PageDown",
};
