import type { PanelKey } from "coppice";

const key = (id: string, title: string, ...keys: string[]): PanelKey => ({ id, keys, title });

/** The keys of the tree (tui spec §3.2). */
export const TREE_KEYS: readonly PanelKey[] = [
  key("tui.select.up", "previous row", "up", "ctrl+p"),
  key("tui.select.down", "next row", "down", "ctrl+n"),
  key("tui.select.pageUp", "page up", "pageup"),
  key("tui.select.pageDown", "page down", "pagedown"),
  key("tui.select.first", "first row", "home"),
  key("tui.select.last", "last row", "end"),
  key("app.tree.fold", "fold, or to the parent", "left"),
  key("app.tree.unfold", "unfold, or to the first child", "right"),
  key("app.tree.foldOrUp", "fold, or up to the fork", "ctrl+left", "alt+left"),
  key("app.tree.unfoldOrDown", "unfold, or down to the next fork", "ctrl+right", "alt+right"),
  key("app.tree.previousBranchPoint", "branch point above", "ctrl+up", "alt+["),
  key("app.tree.nextBranchPoint", "branch point below", "ctrl+down", "alt+]"),
  key("app.tree.previousUserMessage", "your message above", "alt+up"),
  key("app.tree.nextUserMessage", "your message below", "alt+down"),
  key("app.tree.filter.cycleForward", "next filter", "tab", "ctrl+o"),
  key("app.tree.filter.cycleBackward", "previous filter", "shift+tab", "ctrl+shift+o"),
  key("app.tree.filter.default", "filter default", "alt+d", "ctrl+d"),
  key("app.tree.filter.noTools", "filter no-tools", "alt+t", "ctrl+t"),
  key("app.tree.filter.userOnly", "filter user-only", "alt+u", "ctrl+u"),
  key("app.tree.filter.labeledOnly", "filter labeled-only", "alt+l", "ctrl+l"),
  key("app.tree.filter.all", "filter all", "alt+a", "ctrl+a"),
  key("app.tree.editLabel", "edit the label", "shift+l"),
  key("app.tree.toggleLabelTimestamp", "show label times", "shift+t"),
  key("app.tree.sideParent", "where the side branch leaves, and back", "shift+p"),
  key("app.tree.leaf", "to the current position", "shift+h"),
  key("tui.editor.deleteCharBackward", "shorten the query", "backspace", "ctrl+backspace"),
  key("tui.select.confirm", "choose", "enter"),
  key("app.tree.goSilently", "go without question and summary", "shift+enter"),
  key("app.tree.newSession", "new session from your message", "ctrl+f"),
  key("tui.select.cancel", "back", "escape"),
  key("app.tree.close", "close", "ctrl+c"),
];

/** Printable keys that act only while the query is empty (tui spec §3.1). */
const WITHOUT_QUERY: ReadonlySet<string> = new Set([
  "app.tree.editLabel",
  "app.tree.toggleLabelTimestamp",
  "app.tree.sideParent",
  "app.tree.leaf",
]);

/** Actions that mean a row of the list, and so wait until the list is up to date. */
const ON_ROWS: ReadonlySet<string> = new Set([
  "tui.select.up",
  "tui.select.down",
  "tui.select.pageUp",
  "tui.select.pageDown",
  "tui.select.first",
  "tui.select.last",
  "tui.select.confirm",
  "app.tree.fold",
  "app.tree.unfold",
  "app.tree.foldOrUp",
  "app.tree.unfoldOrDown",
  "app.tree.previousBranchPoint",
  "app.tree.nextBranchPoint",
  "app.tree.previousUserMessage",
  "app.tree.nextUserMessage",
  "app.tree.editLabel",
  "app.tree.sideParent",
  "app.tree.leaf",
  "app.tree.goSilently",
  "app.tree.newSession",
]);

/** The filter that an action names. */
export const FILTER_ACTIONS: Readonly<Record<string, string>> = {
  "app.tree.filter.default": "default",
  "app.tree.filter.noTools": "no-tools",
  "app.tree.filter.userOnly": "user-only",
  "app.tree.filter.labeledOnly": "labeled-only",
  "app.tree.filter.all": "all",
};

export function needsEmptyQuery(action: string): boolean {
  return WITHOUT_QUERY.has(action);
}

export function isOnRows(action: string): boolean {
  return ON_ROWS.has(action);
}
