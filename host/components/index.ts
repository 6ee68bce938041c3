export { cleanLine, cleanText, jsonLine, revealHidden } from "../text/clean.ts";
export { clipText, truncateToWidth, visibleWidth, wrapText } from "../text/clip.ts";
export { graphemes } from "../text/clusters.ts";
export { layoutRow, rowText, spansText, spansWidth } from "../text/row.ts";
