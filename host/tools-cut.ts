import type { ToolResult } from "./tools-types.ts";

type Content = ToolResult["content"];

/** What a model is sent of the text of one result at most (extensions spec §2.9). */
const MAX_BYTES = 50 * 1024;
const MAX_LINES = 2000;

/** Content as it is, or its beginning in whole lines, with a note of the full size. */
export function cutContent(content: Content): Content {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const whole = sizeOf(texts);
  if (whole.bytes <= MAX_BYTES && whole.lines <= MAX_LINES) return content;
  const left = { bytes: MAX_BYTES, lines: MAX_LINES };
  const kept = content.flatMap((block): Content => {
    if (block.type !== "text") return [block];
    const text = beginning(block.text, left);
    const isCut = text !== block.text;
    left.bytes = isCut ? 0 : left.bytes - Buffer.byteLength(text);
    left.lines = isCut ? 0 : left.lines - linesOf(text);
    return text === "" ? [] : [{ ...block, text }];
  });
  const size = `${whole.lines} lines and ${(whole.bytes / 1024).toFixed(1)} kB`;
  return [...kept, { type: "text", text: `[The output was cut here; it has ${size} in all.]` }];
}

interface Size {
  readonly bytes: number;
  readonly lines: number;
}

function sizeOf(texts: readonly string[]): Size {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { bytes, lines: texts.reduce((sum, text) => sum + linesOf(text), 0) };
}

function linesOf(text: string): number {
  return text === "" ? 0 : text.split("\n").length;
}

/** As many whole lines as fit; a part of the first one if none does. */
function beginning(text: string, { bytes, lines }: Size): string {
  const first = text.split("\n").slice(0, Math.max(0, lines)).join("\n");
  if (Buffer.byteLength(first) <= bytes) return first;
  const fitting = Buffer.from(first).subarray(0, Math.max(0, bytes));
  const end = fitting.lastIndexOf(0x0a);
  if (end > 0) return fitting.toString("utf8", 0, end);
  return new TextDecoder("utf8").decode(fitting, { stream: true });
}
