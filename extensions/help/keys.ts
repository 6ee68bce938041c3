/** The keys a newcomer needs; the full list is behind F1. */
export const MAIN_KEYS: readonly (readonly [keys: string, action: string])[] = [
  ["Enter", "send"],
  ["Shift+Enter, Alt+Enter", "new line"],
  ["Escape", "stop the reply"],
  ["Escape Escape", "open the tree (setting doubleEscapeAction)"],
  ["Alt+-", "back to where you were before the last move"],
  ["Tab", "complete a command"],
  ["PageUp, PageDown", "scroll"],
  ["Ctrl+C, Ctrl+D", "clear the text, quit"],
  ["in the tree: type", "search"],
  ["in the tree: Ctrl+O", "next filter"],
  ["in the tree: Left, Right", "fold, unfold"],
  ["in the tree: Shift+L", "label the row"],
];
