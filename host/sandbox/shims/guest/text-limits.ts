export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
const MAX_LINE_LENGTH = 500;
const KIB = 1024;

interface Limits {
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

/** Bytes as a person reads them. */
export function formatSize(bytes: number): string {
  if (bytes < KIB) return `${bytes}B`;
  return bytes < KIB ** 2 ? `${(bytes / KIB).toFixed(1)}KB` : `${(bytes / KIB ** 2).toFixed(1)}MB`;
}

/** The first whole lines of a text that stay within the limits. */
export function truncateHead(content: string, limits: Limits = {}) {
  const lines = linesOf(content);
  const kept = keptLines(lines, limits);
  return resultOf(content, lines, lines.slice(0, kept), kept, limits);
}

/** The last whole lines of a text that stay within the limits; a part of the very last one if it alone is too long. */
export function truncateTail(content: string, limits: Limits = {}) {
  const lines = linesOf(content);
  const kept = keptLines([...lines].reverse(), limits);
  const isPartial = kept === 0 && lines.length > 0;
  const last = isPartial
    ? [endOf(lines.at(-1) ?? "", bytesLimit(limits))]
    : lines.slice(lines.length - kept);
  return {
    ...resultOf(content, lines, last, last.length, limits),
    firstLineExceedsLimit: false,
    lastLinePartial: isPartial,
  };
}

/** One line cut to a number of characters. */
export function truncateLine(line: string, maxChars = MAX_LINE_LENGTH) {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

function bytesLimit({ maxBytes = DEFAULT_MAX_BYTES }: Limits): number {
  return maxBytes;
}

function linesOf(content: string): string[] {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function keptLines(lines: readonly string[], limits: Limits): number {
  const { maxLines = DEFAULT_MAX_LINES } = limits;
  let bytes = 0;
  let kept = 0;
  for (const line of lines.slice(0, maxLines)) {
    bytes += bytesOf(line) + (kept > 0 ? 1 : 0);
    if (bytes > bytesLimit(limits)) break;
    kept += 1;
  }
  return kept;
}

function endOf(line: string, bytes: number): string {
  const all = encoder.encode(line);
  let start = Math.max(all.length - bytes, 0);
  while (start < all.length && ((all[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(all.subarray(start));
}

function resultOf(
  content: string,
  lines: readonly string[],
  output: readonly string[],
  kept: number,
  limits: Limits,
) {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const truncated = kept < lines.length || bytesOf(output.join("\n")) > maxBytes;
  const text = truncated || output.length < lines.length ? output.join("\n") : content;
  return {
    content: text,
    truncated,
    truncatedBy: truncated ? (kept >= maxLines ? "lines" : "bytes") : null,
    totalLines: lines.length,
    totalBytes: bytesOf(content),
    outputLines: output.length,
    outputBytes: bytesOf(text),
    lastLinePartial: false,
    firstLineExceedsLimit: kept === 0 && lines.length > 0,
    maxLines,
    maxBytes,
  };
}
