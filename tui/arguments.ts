import { Command, CommanderError, Option } from "commander";
import type { VerbInfo } from "../host/index.ts";
import { tuiError } from "./errors.ts";
import { packageVersion } from "./version.ts";

/** The options of the program itself, as they were given. */
export interface Flags {
  readonly print?: string;
  readonly session?: string;
  readonly continue?: boolean;
  /** `true`: to be chosen from the list. */
  readonly resume?: string | true;
  readonly fork?: string;
  readonly demo?: boolean;
  readonly readOnly?: boolean;
  readonly model?: string;
  readonly extension?: readonly string[];
  readonly trust?: boolean;
  /** Answers the question about the extensions of `-e`, as for an install. */
  readonly yes?: boolean;
  readonly accept?: readonly string[];
  readonly acceptAll?: boolean;
  /** Whether the project is trusted in this run; absent: as the user decided. */
  readonly approve?: boolean;
  /** False with `--no-extensions`. */
  readonly extensions: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
}

/** What the arguments ask for. */
export type Invocation =
  | { readonly kind: "shown" }
  | { readonly kind: "run"; readonly flags: Flags }
  | {
      readonly kind: "verb";
      readonly name: string;
      /** Everything after the verb that is no option of the program. */
      readonly args: readonly string[];
      readonly flags: Flags;
    };

/** The options that say which session a run works on; at most one of them. */
const CHOICES = ["session", "continue", "resume", "fork", "demo"] as const;

/**
 * Reads the arguments after `coppice`. Help and version are written and give `shown`. Raises USAGE
 * for what does not fit together.
 */
export function readArguments(
  args: readonly string[],
  verbs: readonly Pick<VerbInfo, "name" | "description">[],
  write: (text: string) => void,
): Invocation {
  let invocation: Invocation = { kind: "shown" };
  const program = programOf(write).action((flags: Flags, { args: rest }: Command) => {
    if (rest.length > 0) throw unknownVerb(rest[0] ?? "", verbs);
    invocation = { kind: "run", flags: checkRun(flags) };
  });
  for (const { name, description } of verbs) {
    verbCommand(program, name, description).action((_args, _options, command: Command) => {
      const flags = checkVerb(name, program.opts());
      const args = [...command.args, ...consentArguments(flags)];
      invocation = { kind: "verb", name, args, flags };
    });
  }
  return parsed(program, args, "coppice --help") ? invocation : { kind: "shown" };
}

/** Parses; false if help or version was shown. Raises USAGE naming the help to look at. */
export function parsed(command: Command, args: readonly string[], help: string): boolean {
  try {
    command.parse(args, { from: "user" });
    return true;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return false;
    throw tuiError("USAGE", { problem: error.message.replace(/^error: /, ""), help });
  }
}

/** A command whose help goes to `write` and whose errors are thrown. */
export function quietCommand(name: string, write: (text: string) => void): Command {
  return new Command(name)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined });
}

function programOf(write: (text: string) => void): Command {
  return quietCommand("coppice", write)
    .description("An agent whose conversations are trees and whose every feature is an extension.")
    .usage("[options] [verb]")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .commandsGroup("Verbs:")
    .configureHelp({ subcommandTerm: (verb) => verb.name() })
    .allowExcessArguments()
    .option("-p, --print <prompt>", "send a prompt, print the reply, end")
    .option("-c, --continue", "go on with the last session of this folder")
    .option("-r, --resume [session]", "go on with a session; without a value choose it from a list")
    .option("--session <file|id>", "open a session: its file, or the beginning of its id")
    .option("--fork <file|id>", "copy the current path of a session into a new one and open that")
    .option("--demo", "open the sample session, with the offline model")
    .option("--read-only", "open the session without writing to it")
    .option("--model <model>", "provider/model, a model, a provider, or none")
    .addOption(extensionOption())
    .option("--trust", "run the extensions of -e with all your rights")
    .option("--yes", "load the extensions of -e without a question, with what needs none")
    .addOption(acceptOption())
    .option("--accept-all", "the same with all they ask for, but for what is named alone")
    .option("--approve", "trust the project in this folder for this run")
    .option("--no-approve", "leave out what the project brings, in this run")
    .option("--no-extensions", "only the extensions that come with coppice, and those of -e")
    .option("--no-color", "no colours, as with NO_COLOR")
    .addHelpText("after", EXAMPLES);
}

function acceptOption(): Option {
  return new Option("--accept <permission>", "and with this permission; may be repeated").argParser(
    (permission: string, before: readonly string[] = []) => [...before, permission],
  );
}

function extensionOption(): Option {
  return new Option(
    "-e, --extension <path>",
    "load an extension for this run; may be repeated",
  ).argParser((path: string, before: readonly string[] = []) => [...before, path]);
}

const EXAMPLES = `
Examples:
  coppice                                  start a session in this folder
  coppice --demo                           look around in a sample session
  coppice -c                               go on where you were
  coppice -p "Explain core/tree.ts" -c     one reply, on stdout
  coppice tree 0199a1b2 --json             the tree of a session, for a program
  coppice context session.jsonl --request  what the model would be sent
  coppice -e ./my-extension                try an extension for one run

Environment: ANTHROPIC_API_KEY, COPPICE_HOME, NO_COLOR; COPPICE_DEBUG=1 shows where an error arose.
Exit codes: 0 done, 1 an error with its code on stderr, 2 wrong usage, 128+n ended by signal n.`;

function verbCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument("[args...]")
    .helpOption(false)
    .allowUnknownOption();
}

/** Answers to a question of consent, which a verb may be about as well as `-e`. */
function consentArguments({ extension, yes, accept = [], acceptAll }: Flags): readonly string[] {
  if (extension !== undefined) return [];
  return [
    ...(yes ? ["--yes"] : []),
    ...accept.flatMap((permission) => ["--accept", permission]),
    ...(acceptAll ? ["--accept-all"] : []),
  ];
}

function unknownVerb(name: string, verbs: readonly { readonly name: string }[]): Error {
  const known = verbs.map((verb) => verb.name).join(", ");
  return tuiError("USAGE", { problem: `there is no verb ${JSON.stringify(name)}, only ${known}` });
}

function checkRun(flags: Flags): Flags {
  const chosen = CHOICES.filter((name) => flags[name] !== undefined);
  if (chosen.length > 1) {
    const names = chosen.map((name) => `--${name}`).join(" and ");
    throw tuiError("USAGE", { problem: `${names} exclude each other` });
  }
  if (flags.readOnly && (chosen.length === 0 || flags.fork !== undefined)) {
    throw tuiError("USAGE", {
      problem: "--read-only needs an existing session, such as --session",
    });
  }
  if (flags.print?.trim() === "") throw tuiError("USAGE", { problem: "the prompt is empty" });
  if (flags.print !== undefined && flags.resume === true) {
    throw tuiError("USAGE", { problem: "--resume needs a session where there is no list" });
  }
  return checkTrust(flags);
}

function checkVerb(name: string, flags: Flags): Flags {
  const foreign = ["print", ...CHOICES, "readOnly"].filter(
    (key) => flags[key as keyof Flags] !== undefined,
  );
  if (foreign.length === 0) return name === "ext" ? flags : checkTrust(flags);
  const option = foreign[0] === "readOnly" ? "read-only" : foreign[0];
  throw tuiError("USAGE", { problem: `coppice ${name} takes no --${option}` });
}

function checkTrust(flags: Flags): Flags {
  if (flags.extension !== undefined) return flags;
  const name = ["trust", "yes", "accept", "acceptAll"].find((one) => one in flags);
  if (name === undefined) return flags;
  const option = name === "acceptAll" ? "accept-all" : name;
  throw tuiError("USAGE", {
    problem: `--${option} is for the extensions of -e, and there is none`,
  });
}
