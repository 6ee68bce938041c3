import { type Sentence, termsOf } from "./sentences.ts";

/** Saturation of repeated terms, and how much long sentences are held back (Okapi BM25). */
const K1 = 1.2;
const B = 0.75;

/** A share of the best score below which a sentence does not answer. */
const RELEVANT = 0.35;

/** The sentences that answer a query, best first, at most `count`; none without a common term. */
export function answerSentences(
  sentences: readonly Sentence[],
  query: string,
  count: number,
): Sentence[] {
  const scores = matchScores(sentences, query);
  const best = scores.reduce((highest, score) => Math.max(highest, score), 0);
  return byScore(sentences, scores)
    .filter(({ index }) => best > 0 && (scores[index] ?? 0) >= best * RELEVANT)
    .slice(0, count);
}

/** How well each sentence matches a query, by its position. */
export function matchScores(sentences: readonly Sentence[], query: string): number[] {
  const wanted = [...new Set(termsOf(query))];
  const frequency = documentFrequency(sentences);
  const total = sentences.reduce((sum, { terms }) => sum + terms.length, 0);
  const average = total / Math.max(1, sentences.length);
  return sentences.map(({ terms }) => {
    const norm = K1 * (1 - B + (B * terms.length) / average);
    return wanted.reduce((score, term) => {
      const count = terms.filter((one) => one === term).length;
      if (count === 0) return score;
      const df = frequency.get(term) ?? 0;
      const rarity = Math.log(1 + (sentences.length - df + 0.5) / (df + 0.5));
      return score + (rarity * count * (K1 + 1)) / (count + norm);
    }, 0);
  });
}

/**
 * How much each sentence says of what the whole is about: it holds many terms that other sentences
 * hold too. Later sentences count somewhat more.
 */
export function centralScores(sentences: readonly Sentence[]): number[] {
  const frequency = documentFrequency(sentences);
  return sentences.map(({ terms, index }) => {
    const weight = [...new Set(terms)].reduce((sum, term) => {
      const df = frequency.get(term) ?? 0;
      return df > 1 ? sum + Math.log(df) : sum;
    }, 0);
    return (weight / Math.sqrt(terms.length + 4)) * (1 + (0.5 * index) / sentences.length);
  });
}

/** The sentences by falling score; equal ones newest first. */
export function byScore(sentences: readonly Sentence[], scores: readonly number[]): Sentence[] {
  const score = ({ index }: Sentence) => scores[index] ?? 0;
  return [...sentences].sort((a, b) => score(b) - score(a) || b.index - a.index);
}

function documentFrequency(sentences: readonly Sentence[]): ReadonlyMap<string, number> {
  const frequency = new Map<string, number>();
  for (const { terms } of sentences) {
    for (const term of new Set(terms)) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  }
  return frequency;
}
