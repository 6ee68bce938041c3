import { cleanLine, cleanText, revealHidden } from "../text/index.ts";

/** By member, how the arguments that a person gets to see are cleaned (sandbox spec §8.5). */
const CLEANED: ReadonlyMap<string, readonly ((text: string) => string)[]> = new Map([
  ["ctx.ui.notify", [cleanLine]],
  ["ctx.ui.setStatus", [cleanLine, cleanLine]],
  ["ctx.ui.setWidget", [cleanLine, cleanLine]],
  ["ctx.ui.setEditorText", [cleanText]],
  ["ctx.ui.select", [revealHidden]],
  ["ctx.ui.input", [revealHidden, cleanLine]],
  ["ctx.ui.editor", [revealHidden, cleanText]],
  ["ctx.ui.confirm", [revealHidden, revealHidden]],
  ["api.setLabel", [asIs, cleanLine]],
  ["api.setSessionName", [cleanLine]],
]);

/**
 * The arguments of a guest's call as a person may see them. Options of `select` stay as they are: the
 * chosen one is the answer, and whoever draws them cleans them.
 */
export function shownValues(member: string, values: readonly unknown[]): readonly unknown[] {
  const cleaned = CLEANED.get(member);
  return cleaned ? values.map((value, i) => shown(value, cleaned[i] ?? asIs)) : values;
}

function shown(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  return Array.isArray(value) ? value.map((line) => shown(line, clean)) : value;
}

function asIs(text: string): string {
  return text;
}
