import type { Border } from "./border.ts";
import { append, apply, isArray, isError, keys, textFrom } from "./captured.ts";

const DEPTH = 4;
const ITEMS = 50;
const LINE = 4000;

type Level = "debug" | "info" | "warn" | "error";

/** `console`: every call is a line of the package's log, never the screen (sandbox spec §4.5). */
export function consoleOf(border: Border): Record<string, unknown> {
  const at = (level: Level) => {
    return (...values: readonly unknown[]) => border.log(level, lineOf(values));
  };
  const error = at("error");
  const nothing = () => undefined;
  return {
    log: at("info"),
    info: at("info"),
    debug: at("debug"),
    trace: at("debug"),
    dir: at("info"),
    table: at("info"),
    warn: at("warn"),
    error,
    assert(condition: unknown, ...values: readonly unknown[]) {
      if (!condition) apply(error, undefined, ["assertion failed", lineOf(values)]);
    },
    group: at("info"),
    groupCollapsed: at("info"),
    groupEnd: nothing,
    time: nothing,
    timeEnd: nothing,
    timeLog: nothing,
    count: nothing,
    countReset: nothing,
    clear: nothing,
  };
}

/** One line for any values, bounded in depth, items and length. */
function lineOf(values: readonly unknown[]): string {
  let line = "";
  for (let i = 0; i < values.length && line.length < LINE; i++) {
    const value = values[i];
    line += `${i === 0 ? "" : " "}${typeof value === "string" ? value : shown(value, 0, [])}`;
  }
  return line.length > LINE ? textFrom(line, 0, LINE) : line;
}

function shown(value: unknown, depth: number, above: object[]): string {
  if (typeof value !== "object" || value === null) return shownPlain(value);
  if (isError(value)) return `${value.stack ?? value.message}`;
  for (let i = 0; i < above.length; i++) if (above[i] === value) return "[circular]";
  if (depth >= DEPTH) return isArray(value) ? "[…]" : "{…}";
  append(above, value);
  const text = members(value, depth, above);
  above.length -= 1;
  return text;
}

function shownPlain(value: unknown): string {
  if (typeof value === "string")
    return `"${value.length > LINE ? textFrom(value, 0, LINE) : value}"`;
  const isNamed =
    typeof value === "function" || typeof value === "symbol" || typeof value === "bigint";
  return isNamed ? `[${typeof value}]` : `${value as number}`;
}

function members(value: object, depth: number, above: object[]): string {
  const names = keys(value);
  let text = "";
  for (let i = 0; i < names.length; i++) {
    if (i >= ITEMS || text.length > LINE) {
      text += ", …";
      break;
    }
    const name = names[i] as string;
    const inner = shown((value as Record<string, unknown>)[name], depth + 1, above);
    text += `${i === 0 ? "" : ", "}${isArray(value) ? inner : `${name}: ${inner}`}`;
  }
  return isArray(value) ? `[${text}]` : `{${text}}`;
}
