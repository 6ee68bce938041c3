import { eastAsianWidth } from "get-east-asian-width";

/** A grapheme cluster and the terminal cells it takes; clusters of width 0 are not painted. */
export interface Cluster {
  readonly text: string;
  readonly width: 0 | 1 | 2;
}

/** A longer cluster is cut: stacked marks would otherwise make one cell cost without bound. */
const LONGEST_CLUSTER = 16;

const SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Characters that are segmented at a time: the segmenter's time grows with the square of them. */
const WINDOW = 64;

// Signs that join with no neighbour of their own kind and whose width is beyond doubt: Latin, Cyrillic,
// dashes, arrows, boxes and blocks take one cell, kana and ideographs two. The segmenter is slow, and
// most text is made of these alone.
const NARROW = String.raw` -~\xa1-\xac\xae-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u21ff\u2500-\u259f`;
const WIDE = String.raw`\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff`;
const NOT_SIMPLE = new RegExp(`[^${NARROW}${WIDE}]`);
const ANY_WIDE = new RegExp(`[${WIDE}]`);
// A stretch that needs the segmenter, with the neighbours that may belong to its outer clusters.
const NEEDS_SEGMENTER = new RegExp(
  `[${NARROW}${WIDE}]?[^${NARROW}${WIDE}](?:[^${NARROW}${WIDE}]|[${NARROW}${WIDE}](?=[^${NARROW}${WIDE}]))*[${NARROW}${WIDE}]?`,
  "g",
);
const FIRST_WIDE = 0x3041;
const PRINTABLE_ASCII: readonly Cluster[] = Array.from({ length: 95 }, (_, index) => ({
  text: String.fromCharCode(0x20 + index),
  width: 1,
}));
const NOT_PAINTED = /^[\p{M}\p{Cf}\p{Cc}\p{Zl}\p{Zp}]*$/u;
const STARTS_AS_EMOJI = /^\p{Emoji_Presentation}/u;
const EMOJI_VARIATION = "\ufe0f";

/** The grapheme clusters of a text in order, each with its width in cells (tui spec §1.5.1). */
export function clusters(text: string): readonly Cluster[] {
  const found: Cluster[] = [];
  let at = 0;
  for (const stretch of text.matchAll(NEEDS_SEGMENTER)) {
    pushSimple(found, text, at, stretch.index);
    for (const segment of graphemes(stretch[0])) found.push(clusterOf(segment));
    at = stretch.index + stretch[0].length;
  }
  pushSimple(found, text, at, text.length);
  return found;
}

/** The grapheme clusters of a text in order, in time that grows with its length. */
export function* graphemes(text: string): Generator<string> {
  let size = WINDOW;
  for (let at = 0; at < text.length; ) {
    const end = cutOutsidePairs(text, at + size);
    const found = Array.from(SEGMENTER.segment(text.slice(at, end)), ({ segment }) => segment);
    // What comes next may belong to the last one.
    if (end < text.length) found.pop();
    yield* found;
    at += found.reduce((sum, { length }) => sum + length, 0);
    size = found.length === 0 ? 2 * size : WINDOW;
  }
}

/** The place, or the one behind it where a surrogate pair would be cut. */
function cutOutsidePairs(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at + 1 : at;
}

/** True if every character is a cluster of its own that takes cells; such a text is clean. */
export function isSimple(text: string): boolean {
  return !NOT_SIMPLE.test(text);
}

/** Cells of clean text without line breaks. */
export function cellWidth(text: string): number {
  if (isSimple(text) && !ANY_WIDE.test(text)) return text.length;
  return clusters(text).reduce((sum, cluster) => sum + cluster.width, 0);
}

function pushSimple(found: Cluster[], text: string, from: number, to: number): void {
  for (let at = from; at < to; at++) found.push(simpleCluster(text, at));
}

function simpleCluster(text: string, at: number): Cluster {
  const code = text.charCodeAt(at);
  return (
    PRINTABLE_ASCII[code - 0x20] ?? { text: text.charAt(at), width: code < FIRST_WIDE ? 1 : 2 }
  );
}

function clusterOf(segment: string): Cluster {
  if (segment.length === 1 && isSimple(segment)) return simpleCluster(segment, 0);
  const text = segment.length > LONGEST_CLUSTER ? cutCluster(segment) : segment;
  return { text, width: clusterWidth(text) };
}

function cutCluster(segment: string): string {
  return [...segment].slice(0, LONGEST_CLUSTER).join("");
}

function clusterWidth(cluster: string): 0 | 1 | 2 {
  if (NOT_PAINTED.test(cluster)) return 0;
  if (cluster.includes(EMOJI_VARIATION) || STARTS_AS_EMOJI.test(cluster)) return 2;
  return eastAsianWidth(cluster.codePointAt(0) ?? 0);
}
