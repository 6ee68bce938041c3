/** Whose words a sentence is. */
export type Speaker = "user" | "assistant" | "tool" | "summary";

export interface Sentence {
  readonly text: string;
  readonly speaker: Speaker;
  /** Position among all sentences, oldest first. */
  readonly index: number;
  readonly terms: readonly string[];
}

export interface Passage {
  readonly speaker: Speaker;
  readonly text: string;
}

/** Characters of a sentence that are shown. */
const LONGEST = 240;

/** The sentences of passages in order, each text once. Lines end sentences too; headings are none. */
export function sentencesOf(passages: readonly Passage[]): Sentence[] {
  const seen = new Set<string>();
  const sentences: Sentence[] = [];
  for (const { speaker, text } of passages) {
    for (const part of splitSentences(text)) {
      const terms = termsOf(part);
      if (terms.length === 0 || seen.has(part)) continue;
      seen.add(part);
      sentences.push({ text: clip(part), speaker, index: sentences.length, terms });
    }
  }
  return sentences;
}

function splitSentences(text: string): string[] {
  return text
    .split(/\n+/)
    .filter((line) => !/^\s*#+\s/.test(line))
    .map((line) => line.replace(/^\s*(?:[-*>]+|\d+[.)])\s+/, ""))
    .flatMap((line) => line.split(/(?<=[.!?…])\s+|(?<=[。！？；])/u))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function clip(text: string): string {
  const characters = [...text];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join("")}…` : text;
}

const WORDS = /[\p{L}\p{N}]+/gu;

/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]+/gu;

/**
 * The terms that a text is found by: words in lower case without plural, the parts of names such as
 * `readFile`, and pairs of characters where words are not set apart by spaces.
 */
export function termsOf(text: string): string[] {
  const pairs = (text.match(UNSPACED) ?? []).flatMap(pairsOf);
  const words = text.replace(UNSPACED, " ").match(WORDS) ?? [];
  return [...words.flatMap(partsOf).map(stem).filter(isTelling), ...pairs];
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

function partsOf(word: string): string[] {
  const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u);
  return parts.length > 1 ? [word, ...parts] : parts;
}

function stem(word: string): string {
  const lower = word.toLowerCase();
  return lower.length > 3 && /[^s]s$/.test(lower) ? lower.slice(0, -1) : lower;
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about all also am an and any are as at be been but by can could did do doe for from get had has
  have he her him hi how i if in into is it just let may me more my no not now of off on one or our
  out please she so some than that the them then there these they thi those to too up us was we were
  what when where which who whose why will with would yes you your`.split(/\s+/),
);

function isTelling(term: string): boolean {
  return !STOP_WORDS.has(term) && (term.length > 1 || /[^a-z]/.test(term));
}
