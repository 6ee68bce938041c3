export { cleanLine, cleanText, jsonLine, revealHidden } from "./clean.ts";
export {
  CUT_MARK,
  clipText,
  takeCells,
  visibleWidth,
  type WrappedLine,
  wrapClusters,
  wrapText,
} from "./clip.ts";
export { type Cluster, cellWidth, clusters, graphemes } from "./clusters.ts";
export { layoutRow, rowText, spansText, spansWidth } from "./row.ts";
export { parseSgr, RGB, type StyledText, type TextAttributes } from "./sgr.ts";
