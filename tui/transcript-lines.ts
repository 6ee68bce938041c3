import { contentText } from "../core/index.ts";
import { cleanText } from "../host/index.ts";
import type { Block } from "./transcript.ts";
import { BLANK, coloured, type Line, paragraph, type Run, WIDEST } from "./transcript-text.ts";

/** Lines of an output shown while it is closed. */
const CLOSED_LINES = 2;
/** Lines of a summary shown while it is closed. */
const CLOSED_SUMMARY = 6;
const CALL_CELLS = 60;

export interface Look {
  readonly width: number;
  /** Whether the whole output of tools is shown. */
  readonly isExpanded: boolean;
}

interface Remembered extends Look {
  readonly lines: readonly Line[];
}

const remembered = new WeakMap<Block, Remembered>();

/** The lines of a block, the blank one before it included; made once for each width. */
export function linesOf(block: Block, look: Look): readonly Line[] {
  const known = remembered.get(block);
  if (known?.width === look.width && known.isExpanded === look.isExpanded) return known.lines;
  const width = Math.max(1, Math.min(look.width, WIDEST));
  const lines = shape(block, width, look.isExpanded);
  remembered.set(block, { ...look, lines });
  return lines;
}

function shape(block: Block, width: number, isExpanded: boolean): readonly Line[] {
  switch (block.kind) {
    case "user":
      return [BLANK, ...paragraph(block.text, width, { text: " › ", style: "user" }, "user")];
    case "assistant":
      return [BLANK, ...paragraph(block.text, width, INDENT)];
    case "thinking":
      return [BLANK, ...paragraph(block.text, width, INDENT, ["dim"])];
    case "error":
      return [BLANK, ...paragraph(block.text, width, { text: " ✗ ", style: "error" }, "error")];
    case "tool":
      return toolLines(block, width, isExpanded);
    case "bash":
      return bashLines(block, width, isExpanded);
    case "aside":
      return asideLines(block, width, isExpanded);
    case "note":
      return noteLines(block, width);
  }
}

const INDENT: Run = { text: "   " };
const OUTPUT: Run = { text: "     │ ", style: "dim" };

function toolLines(
  block: Extract<Block, { kind: "tool" }>,
  width: number,
  isExpanded: boolean,
): readonly Line[] {
  const { call, result } = block;
  const output = result === undefined ? "" : contentText(result.content);
  const isFailed = result?.isError === true;
  const mark: Run = isFailed
    ? { text: "   ✗ ", style: "error" }
    : { text: result === undefined ? "   ⚙ " : "   ✓ ", style: "tool" };
  const head: Line = {
    runs: [mark, { text: `${call.name}  ` }, { text: callText(call.arguments), style: "dim" }],
    ...(output !== "" && { end: [{ text: sizeOf(output), style: "dim" as const }] }),
  };
  return [head, ...outputOf(output, width, isExpanded || isFailed)];
}

function bashLines(
  { command, output, exitCode }: Extract<Block, { kind: "bash" }>,
  width: number,
  isExpanded: boolean,
): readonly Line[] {
  const isFailed = exitCode !== undefined && exitCode !== 0;
  const mark: Run = isFailed ? { text: " ✗ ", style: "error" } : { text: " $ ", style: "tool" };
  const code = isFailed ? { end: [{ text: `exit ${exitCode}`, style: "error" as const }] } : {};
  const [first = BLANK, ...rest] = paragraph(command, width, mark, "bold");
  return [
    BLANK,
    { ...first, ...code },
    ...rest,
    ...outputOf(output, width, isExpanded || isFailed),
  ];
}

function asideLines(
  { title, text }: Extract<Block, { kind: "aside" }>,
  width: number,
  isExpanded: boolean,
): readonly Line[] {
  const head: Line = { runs: [{ text: ` ≡ ${title}`, style: "summary" }] };
  const lines = text === "" ? [] : paragraph(text, width, INDENT, ["dim"]);
  return [BLANK, head, ...closed(lines, isExpanded ? lines.length : CLOSED_SUMMARY)];
}

const NOTE_MARKS: Readonly<Record<string, Run>> = {
  info: { text: " · ", style: "dim" },
  warning: { text: " ! ", style: "warning" },
  error: { text: " ✗ ", style: "error" },
};

function noteLines(
  { type, text }: Extract<Block, { kind: "note" }>,
  width: number,
): readonly Line[] {
  const style = type === "info" ? "dim" : type;
  return [BLANK, ...paragraph(text, width, NOTE_MARKS[type] ?? INDENT, style)];
}

function outputOf(output: string, width: number, isOpen: boolean): readonly Line[] {
  if (output.trim() === "") return [];
  const lines = coloured(output, width, OUTPUT);
  return closed(lines, isOpen ? lines.length : CLOSED_LINES);
}

function closed(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most) return lines;
  const shown = Math.max(1, lines.slice(0, most).findLastIndex(isWritten) + 1);
  const hidden = lines.length - shown;
  const last = lines[shown - 1] ?? BLANK;
  const more = [
    { text: `… ${hidden} more ${hidden === 1 ? "line" : "lines"}  (^O)`, style: "dim" as const },
  ];
  return [...lines.slice(0, shown - 1), { ...last, end: more }];
}

function isWritten({ runs }: Line): boolean {
  return runs.some(({ text }) => text.trim() !== "");
}

/** The argument of a call that tells most, else all of them. */
function callText(given: Readonly<Record<string, unknown>> | undefined): string {
  const { command, path, pattern, query, url } = given ?? {};
  const telling = [command, path, pattern, query, url].find((value) => typeof value === "string");
  const text = typeof telling === "string" ? telling : (JSON.stringify(given ?? {}) ?? "");
  const line = text === "{}" ? "" : text.replace(/\s+/g, " ").trim();
  return line.length > CALL_CELLS ? `${line.slice(0, CALL_CELLS).toWellFormed()}…` : line;
}

function sizeOf(output: string): string {
  const lines = cleanText(output).trimEnd().split("\n").length;
  return lines === 1 ? "1 line" : `${lines} lines`;
}
