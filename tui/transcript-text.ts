import {
  type Cluster,
  cleanText,
  clusters,
  parseSgr,
  type Span,
  wrapClusters,
  wrapText,
} from "../host/index.ts";
import type { Style } from "./styles.ts";

/** A run of text on a line, in a style of the theme or with looks of its own. */
export interface Run {
  readonly text: string;
  readonly style?: Style;
}

/** One line of the transcript; `end` stands at the right edge where there is room. */
export interface Line {
  readonly runs: readonly Run[];
  readonly end?: readonly Span[];
}

/** Text wider than this is hard to read. */
export const WIDEST = 100;

export const BLANK: Line = { runs: [] };

/** Tabs of tool output, in cells; they are not aligned. */
const TAB = "    ";

/** Lines of a text, the first behind `first` and the others behind blanks of its width. */
export function paragraph(text: string, width: number, first: Run, style?: Style): readonly Line[] {
  const indent = clusters(first.text).reduce((sum, cluster) => sum + cluster.width, 0);
  const lines = wrapRemembered(text, Math.max(1, width - indent));
  return lines.map((line, index) => ({
    runs: [
      index === 0 ? first : { text: " ".repeat(indent) },
      style === undefined ? { text: line } : { text: line, style },
    ],
  }));
}

/** Lines of tool output behind a mark, in their own colours. */
export function coloured(text: string, width: number, mark: Run): readonly Line[] {
  const room = Math.max(1, width - mark.text.length);
  return outputLines(text).flatMap((line) =>
    wrapRuns(line, room).map((runs) => ({ runs: [mark, ...runs] })),
  );
}

/** The lines of an output as runs, without the empty ones at its end. */
function outputLines(text: string): readonly (readonly Run[])[] {
  const lines: Run[][] = [[]];
  for (const { text: run, attributes } of parseSgr(text.trimEnd())) {
    for (const [index, part] of run.replaceAll("\t", TAB).split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, style: { dim: true, ...attributes } });
    }
  }
  return lines;
}

interface StyledCluster extends Cluster {
  readonly style: Style;
}

function wrapRuns(line: readonly Run[], width: number): readonly (readonly Run[])[] {
  const cells: StyledCluster[] = line.flatMap((run) =>
    clusters(run.text)
      .filter((cluster) => cluster.width > 0)
      .map((cluster) => ({ ...cluster, style: run.style })),
  );
  return wrapClusters(cells, width).map(({ start, end }) => joinCells(cells.slice(start, end)));
}

function joinCells(cells: readonly StyledCluster[]): readonly Run[] {
  const runs: { text: string; style: Style }[] = [];
  for (const { text, style } of cells) {
    const last = runs.at(-1);
    if (last !== undefined && last.style === style) last.text += text;
    else runs.push({ text, style });
  }
  return runs;
}

const KEPT_LINES = 4000;
let wrapped = new Map<string, readonly string[]>();
let wrappedWidth = 0;

/**
 * `wrapText`, where lines wrapped lately need no work again: of a reply that grows, only its last line
 * does.
 */
function wrapRemembered(text: string, width: number): readonly string[] {
  if (width !== wrappedWidth || wrapped.size > KEPT_LINES) wrapped = new Map();
  wrappedWidth = width;
  return cleanText(text)
    .split("\n")
    .flatMap((line) => {
      const known = wrapped.get(line);
      if (known !== undefined) return known;
      const lines = wrapText(line, width);
      wrapped.set(line, lines);
      return lines;
    });
}
