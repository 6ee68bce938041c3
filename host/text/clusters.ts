import { eastAsianWidth } from "get-east-asian-width";

/** A grapheme cluster and the terminal cells it takes; clusters of width 0 are not painted. */
export interface Cluster {
  readonly text: string;
  readonly width: 0 | 1 | 2;
}

/** A longer cluster is cut: stacked marks would otherwise make one cell cost without bound. */
const LONGEST_CLUSTER = 16;

const SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });
const PRINTABLE_ASCII: readonly Cluster[] = Array.from({ length: 95 }, (_, index) => ({
  text: String.fromCharCode(0x20 + index),
  width: 1,
}));
const NOT_PRINTABLE_ASCII = /[^ -~]/;
// A stretch that needs the segmenter, with the ASCII neighbours that may belong to its outer clusters.
const NEEDS_SEGMENTER = /[ -~]?[^ -~](?:[^ -~]|[ -~](?=[^ -~]))*[ -~]?/g;
const NOT_PAINTED = /^[\p{M}\p{Cf}\p{Cc}\p{Zl}\p{Zp}]*$/u;
const STARTS_AS_EMOJI = /^\p{Emoji_Presentation}/u;
const EMOJI_VARIATION = "\ufe0f";

/** The grapheme clusters of a text in order, each with its width in cells (tui spec §1.5.1). */
export function clusters(text: string): readonly Cluster[] {
  const found: Cluster[] = [];
  let at = 0;
  for (const stretch of text.matchAll(NEEDS_SEGMENTER)) {
    pushAscii(found, text, at, stretch.index);
    for (const { segment } of SEGMENTER.segment(stretch[0])) found.push(clusterOf(segment));
    at = stretch.index + stretch[0].length;
  }
  pushAscii(found, text, at, text.length);
  return found;
}

/** True if every character is one cell of printable ASCII, so that length and width are the same. */
export function isPlainAscii(text: string): boolean {
  return !NOT_PRINTABLE_ASCII.test(text);
}

/** Cells of clean text without line breaks. */
export function cellWidth(text: string): number {
  if (isPlainAscii(text)) return text.length;
  return clusters(text).reduce((sum, cluster) => sum + cluster.width, 0);
}

function pushAscii(found: Cluster[], text: string, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const cluster = PRINTABLE_ASCII[text.charCodeAt(at) - 0x20];
    if (cluster !== undefined) found.push(cluster);
  }
}

function clusterOf(segment: string): Cluster {
  const ascii = segment.length === 1 ? PRINTABLE_ASCII[segment.charCodeAt(0) - 0x20] : undefined;
  if (ascii !== undefined) return ascii;
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
