import {
  type CliCommand,
  cleanLine,
  jsonLine,
  listSessions,
  type SessionListItem,
} from "../host/index.ts";
import { EXIT } from "./output.ts";
import type { Setting } from "./startup.ts";
import type { VerbArguments } from "./verbs.ts";

/** `coppice sessions`: those of this folder, with the ones that pi and omp wrote. */
export const sessionsVerb: Omit<CliCommand, "run"> = {
  name: "sessions",
  description: "list the sessions of this folder, newest first",
  options: [{ flags: "--json", description: "one JSON list instead of text" }],
  examples: ["coppice sessions", "coppice sessions --json"],
};

/** Shorter lists are there before anybody wonders. */
const PROGRESS_FROM = 100;

export async function runSessionsVerb(
  { options }: VerbArguments,
  { settings, cwd, output }: Setting,
): Promise<number> {
  const isWatched = process.stderr.isTTY === true;
  const onProgress = (done: number, all: number) => {
    if (isWatched && all >= PROGRESS_FROM && done % PROGRESS_FROM === 0) {
      output.note(`read ${done} of ${all} sessions`);
    }
  };
  const items = await listSessions(cwd, { settings, onProgress });
  if (options.json === true) output.write(`${jsonLine(items)}\n`);
  else for (const item of items) output.write(`${cleanLine(itemLine(item))}\n`);
  return EXIT.done;
}

function itemLine(item: SessionListItem): string {
  const { id, origin, modified, messageCount, name, firstUserText, reason, path } = item;
  const title = name ?? firstUserText ?? "";
  return [
    modified.toISOString().slice(0, 16).replace("T", " "),
    (id ?? path).slice(0, id === undefined ? undefined : 36),
    origin,
    `${messageCount} messages`,
    ...(title === "" ? [] : [title.slice(0, 80)]),
    ...(reason === undefined ? [] : [`(${reason})`]),
  ].join("  ");
}
