import type { Row } from "coppice";
import { visibleWidth } from "coppice/tui";

/** A row of key hints; those that do not fit are dropped whole, from the right (tui spec §2). */
export function hintRow(hints: readonly string[], columns: number): Row {
  let text = "";
  for (const hint of hints) {
    const longer = text === "" ? ` ${hint}` : `${text}  ${hint}`;
    if (visibleWidth(longer) > columns) break;
    text = longer;
  }
  return { start: [{ text, style: "dim" }] };
}
