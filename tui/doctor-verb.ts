import {
  type CliCommand,
  cleanLine,
  type Examination,
  examineSession,
  type FileFinding,
  jsonLine,
  type Repaired,
  unlockSession,
} from "../host/index.ts";
import { tuiError } from "./errors.ts";
import { EXIT } from "./output.ts";
import type { Setting } from "./startup.ts";
import type { VerbArguments } from "./verbs.ts";

/** `coppice doctor`: what is wrong with a session file, a repaired copy of it, and its lock. */
export const doctorVerb: Omit<CliCommand, "run"> = {
  name: "doctor",
  description: "check a session file, repair it into a new one, or remove a lock left behind",
  arguments: "<session>",
  options: [
    { flags: "--repair", description: "write all that can be read into a new file" },
    { flags: "--unlock", description: "remove the lock, unless its owner lives on this host" },
    { flags: "--json", description: "one JSON object instead of text" },
  ],
  examples: ["coppice doctor session.jsonl", "coppice doctor session.jsonl --repair"],
};

/** Gives 0 for a sound file, 1 for a damaged one. Raises what reading, writing and unlocking raise. */
export async function runDoctorVerb(
  { args, options }: VerbArguments,
  { settings, cwd, output }: Setting,
): Promise<number> {
  const [session = ""] = args;
  const say = (lines: readonly string[]) => {
    for (const line of lines) output.write(`${cleanLine(line)}\n`);
  };
  const isJson = options.json === true;
  if (options.unlock === true) {
    if (options.repair === true) {
      throw tuiError("USAGE", { problem: "coppice doctor takes --repair or --unlock, not both" });
    }
    const { file, owner } = await unlockSession(session, { settings, cwd });
    if (isJson) output.write(`${jsonLine({ file, unlocked: owner !== undefined })}\n`);
    else say([owner ? `${file}: the lock is removed` : `${file}: there is no lock`]);
    return EXIT.done;
  }
  const found = await examineSession(session, { settings, cwd, repair: options.repair === true });
  if (isJson) output.write(`${jsonLine(found)}\n`);
  else say(examinationLines(found));
  return found.isDamaged ? EXIT.failed : EXIT.done;
}

function examinationLines(
  found: Examination & { readonly repaired?: Repaired },
): readonly string[] {
  const { file, entryCount, findings, isDamaged, repaired } = found;
  const state = isDamaged ? `damaged in ${count(findings.length, "place")}` : "sound";
  const hint = isDamaged && !repaired ? ["--repair writes a repaired copy; this file stays"] : [];
  const made = repaired
    ? [`repaired copy: ${repaired.file} (${count(repaired.entryCount, "entry", "entries")})`]
    : hint;
  return [
    `${file}: ${state}, ${count(entryCount, "entry", "entries")}`,
    ...findings.flatMap(findingLines),
    ...made,
  ];
}

function findingLines({ code, offset, message, remedy }: FileFinding): readonly string[] {
  const at = offset === undefined ? "" : ` (byte ${offset})`;
  return [`  ${code}${at}: ${message}`, `    repair: ${remedy}`];
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
