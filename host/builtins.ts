/** First-party extensions: those of this list, never those that claim a name. In order of dispatch. */
export const BUILTINS: readonly string[] = [
  "tree-selector",
  "filter-modes",
  "branch-command",
  "summarizer",
  "labels",
  "sessions",
  "models",
  "anthropic",
  "offline",
  "help",
];
