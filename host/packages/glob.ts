/**
 * A pattern over paths with `/`: `*` and `?` stay within a name, `**` crosses names, `{a,b}` is
 * either. Everything else stands for itself.
 */
export function globPattern(glob: string): RegExp {
  return new RegExp(`^${partsOf(glob)}$`, "u");
}

/** True if a text holds anything that a pattern gives a meaning. */
export function isGlob(text: string): boolean {
  return /[*?{}]/.test(text);
}

function partsOf(glob: string): string {
  const token = /\*\*\/|\*\*|\*|\?|\{([^{}]*)\}|[^*?{}]+|[{}]/gu;
  return [...glob.matchAll(token)].map(([part, choices]) => translated(part, choices)).join("");
}

function translated(part: string, choices: string | undefined): string {
  if (part === "**/") return "(?:[^/]+/)*";
  if (part === "**") return ".*";
  if (part === "*") return "[^/]*";
  if (part === "?") return "[^/]";
  if (choices !== undefined) return `(?:${choices.split(",").map(partsOf).join("|")})`;
  return part.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");
}
