import type { ToolCallBlock } from "coppice/core";
import { oneLine, withDots } from "./shorten.ts";

type Arguments = Readonly<Record<string, unknown>>;

const COMMAND_CHARACTERS = 50;
const ARGUMENT_CHARACTERS = 40;

/** The row text of a tool call (session tree §13.2). `home` is shown as `~`. */
export function toolCallText(call: ToolCallBlock, home: string): string {
  const args = call.arguments ?? {};
  const place = (fallback: string) => pathText(args, home) || fallback;
  switch (call.name) {
    case "read":
      return `[read: ${place("")}${rangeText(args)}]`;
    case "write":
    case "edit":
      return `[${call.name}: ${place("")}]`;
    case "bash":
      return `[bash: ${withDots(args.command, COMMAND_CHARACTERS)}]`;
    case "grep":
      return `[grep: /${oneLine(args.pattern)}/ in ${place(".")}]`;
    case "find":
      return `[find: ${oneLine(args.pattern)} in ${place(".")}]`;
    case "ls":
      return `[ls: ${place(".")}]`;
    default:
      return `[${oneLine(call.name)}: ${withDots(JSON.stringify(args), ARGUMENT_CHARACTERS)}]`;
  }
}

function pathText(args: Arguments, home: string): string {
  const path = oneLine(args.path ?? args.file_path);
  const isHome = home !== "" && (path === home || path.startsWith(`${home}/`));
  return isHome ? `~${path.slice(home.length)}` : path;
}

function rangeText(args: Arguments): string {
  const { offset, limit } = args;
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const start = typeof offset === "number" ? offset : 1;
  return `:${start}-${typeof limit === "number" ? start + limit - 1 : ""}`;
}
