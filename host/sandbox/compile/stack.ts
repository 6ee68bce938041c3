import { SourceMap } from "node:module";
import { cleanLine } from "../../text/index.ts";

const MAX_LINES = 30;
const MAX_LENGTH = 500;
/** Longer lines are no frames, and would take long to match. */
const MAX_READ = 2000;
/** `    at name (file:line:column)`, with or without a name. */
const FRAME = /^\s*at (?:(.*) \()?(.+?):(\d+):(\d+)\)?$/;

/** Where frames of one package come from. */
export interface StackSource {
  /** Name under which the compiled code was evaluated: `ext:<id>`. */
  readonly fileName: string;
  /** The source map of the compiled code, as JSON. */
  readonly map: string;
}

/**
 * Gives stacks in the author's own lines; the map is parsed once for all of them. Frames of the package become `path/in/package.ts:line:column`,
 * other frames are left out, and what remains is cleaned and cut (sandbox spec §3.6). The text is the
 * guest's and may be forged.
 */
export function stackMapper(source: StackSource): (stack: string) => string {
  const place = placeIn(source);
  return (stack) => mapped(stack, source.fileName, place);
}

function mapped(stack: string, fileName: string, place: Place): string {
  const lines: string[] = [];
  for (const line of stack.split("\n")) {
    if (lines.length === MAX_LINES) break;
    const shown = mappedLine(line.slice(0, MAX_READ), fileName, place);
    if (shown !== undefined) lines.push(cleanLine(shown).slice(0, MAX_LENGTH));
  }
  return lines.join("\n");
}

type Place = (line: number, column: number) => string | undefined;

/** The map is parsed only if a frame asks for it, and once for all stacks. */
function placeIn({ map }: StackSource): Place {
  let parsed: SourceMap | undefined;
  return (line, column) => {
    parsed ??= new SourceMap(JSON.parse(map));
    const entry = parsed.findEntry(line - 1, column - 1);
    if (!("originalSource" in entry)) return undefined;
    return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  };
}

function mappedLine(line: string, fileName: string, place: Place): string | undefined {
  if (!/^\s*at /.test(line)) return line;
  const frame = FRAME.exec(line);
  // `at new Promise (<anonymous>)` and the like have no file, and tell something all the same.
  if (frame === null) return /[/:\\]/.test(line) ? undefined : line;
  const [, name, file, row, column] = frame;
  if (file !== fileName) return undefined;
  const mapped = place(Number(row), Number(column));
  if (mapped === undefined) return undefined;
  return name === undefined ? `    at ${mapped}` : `    at ${name} (${mapped})`;
}
