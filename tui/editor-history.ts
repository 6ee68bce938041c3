/** Texts that were sent or taken away, the oldest first, and where a person looks into them. */
export interface History {
  readonly texts: readonly string[];
  readonly browsing?: {
    /** Index of the text shown. */
    readonly at: number;
    /** What stood in the editor before; texts that begin with it are offered. */
    readonly draft: string;
  };
}

export const EMPTY_HISTORY: History = { texts: [] };
const KEPT_TEXTS = 500;

/** The text goes to the end; blank ones and repetitions are left out. */
export function remember(history: History, text: string): History {
  const trimmed = text.trim();
  if (trimmed === "" || history.texts.at(-1) === trimmed) return { texts: history.texts };
  return { texts: [...history.texts, trimmed].slice(-KEPT_TEXTS) };
}

/** The next older text that begins like the draft; `undefined` if there is none. */
export function older(
  history: History,
  current: string,
): { readonly history: History; readonly text: string } | undefined {
  const { at, draft } = history.browsing ?? { at: history.texts.length, draft: current };
  const next = history.texts.findLastIndex(
    (text, i) => i < at && text.startsWith(draft) && text !== current,
  );
  const text = history.texts[next];
  if (text === undefined) return undefined;
  return { history: { ...history, browsing: { at: next, draft } }, text };
}

/** The next newer text, at last the draft; `undefined` while nobody looks. */
export function newer(
  history: History,
  current: string,
): { readonly history: History; readonly text: string } | undefined {
  const { texts, browsing } = history;
  if (browsing === undefined) return undefined;
  const { at, draft } = browsing;
  const next = texts.findIndex((text, i) => i > at && text.startsWith(draft) && text !== current);
  const text = texts[next];
  if (text === undefined) return { history: { texts }, text: draft };
  return { history: { texts, browsing: { at: next, draft } }, text };
}
