import type { Command } from "commander";
import { parsed, quietCommand } from "./arguments.ts";
import { tuiError } from "./errors.ts";

/** A command of `coppice ext` as it was typed (extensions spec §5.1). */
export interface ExtCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: ExtOptions;
}

export interface ExtOptions {
  readonly json?: boolean;
  readonly project?: boolean;
  readonly yes?: boolean;
  readonly accept?: readonly string[];
  readonly acceptAll?: boolean;
  readonly deny?: readonly string[];
  readonly all?: boolean;
  readonly check?: boolean;
  readonly keepData?: boolean;
  readonly feature?: readonly string[];
  readonly fix?: boolean;
  readonly grant?: readonly string[];
  readonly reset?: readonly string[];
  readonly runTrusted?: boolean;
  readonly sandboxed?: boolean;
  readonly log?: boolean;
}

type OptionName =
  | "--project"
  | "-y, --yes"
  | "--accept <permission>"
  | "--accept-all"
  | "--deny <permission>"
  | "--all"
  | "--check"
  | "--keep-data"
  | "--feature <name>"
  | "--fix"
  | "--grant <permission>"
  | "--reset <permission>"
  | "--run-trusted"
  | "--sandboxed"
  | "--log";

const OPTIONS: Readonly<Record<OptionName, string>> = {
  "--project": "for the project in this folder only",
  "-y, --yes": "switch on with what needs no question",
  "--accept <permission>": "and with this permission; may be repeated",
  "--accept-all": "and with all it asks for, except what must be named",
  "--deny <permission>": "refuse this permission for good; may be repeated",
  "--all": "those that come with coppice too",
  "--check": "only tell what there is",
  "--keep-data": "leave the folder of its data",
  "--feature <name>": "the features that are on from now on; may be repeated",
  "--fix": "repair the lock file, without grants, and clear leftovers",
  "--grant <permission>": "grant a permission; may be repeated",
  "--reset <permission>": "ask again; may be repeated",
  "--run-trusted": "run it outside the sandbox, with all your rights",
  "--sandboxed": "run it in the sandbox again",
  "--log": "what was asked, decided and used",
};

interface ExtCommand {
  readonly usage: string;
  readonly description: string;
  readonly options: readonly OptionName[];
}

const CONSENT = [
  "-y, --yes",
  "--accept <permission>",
  "--accept-all",
  "--deny <permission>",
] as const;

const COMMANDS: readonly ExtCommand[] = [
  {
    usage: "install <source>",
    description: "install a package: npm:name, git:host/owner/repo, ./path, ./file.tgz",
    options: ["--project", ...CONSENT],
  },
  { usage: "search <words...>", description: "look for packages in the registry", options: [] },
  { usage: "list", description: "what is there, and its state", options: ["--all"] },
  {
    usage: "info <id-or-source>",
    description: "what a package is and may do, without running it",
    options: [],
  },
  {
    usage: "update [ids...]",
    description: "fetch newer versions; one that asks for more waits for you",
    options: ["--check", ...CONSENT],
  },
  { usage: "remove <id>", description: "undo an install", options: ["--keep-data"] },
  {
    usage: "enable <id>",
    description: "switch an extension on",
    options: ["--project", "--feature <name>", ...CONSENT],
  },
  { usage: "disable <id>", description: "switch an extension off", options: ["--project"] },
  { usage: "doctor [id]", description: "what is wrong, and what helps", options: ["--fix"] },
  {
    usage: "permissions <id>",
    description: "show and change what a package may do",
    options: [
      "--grant <permission>",
      "--deny <permission>",
      "--reset <permission>",
      "--run-trusted",
      "--sandboxed",
      "-y, --yes",
      "--log",
    ],
  },
];

const EXAMPLES = `
Examples:
  coppice ext install npm:pi-aliases              ask what it may do, then install it
  coppice ext install npm:pi-aliases --yes        only with what needs no question
  coppice ext info npm:@hyperprior/pi-todo        what it would ask, without installing
  coppice ext permissions pi-todo --deny net      refuse something for good

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 something waits for consent, 130 interrupted.`;

/** Reads the arguments after `coppice ext`; `undefined` if help was shown. Raises USAGE. */
export function readExtArguments(
  args: readonly string[],
  write: (text: string) => void,
): ExtCall | undefined {
  let call: ExtCall | undefined;
  const program = quietCommand("coppice ext", write)
    .description("Install, update and remove extensions, and decide what they may do.")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .addHelpText("after", EXAMPLES);
  program.action((_options: object, { args: [name] }: Command) => {
    const known = COMMANDS.map(({ usage }) => usage.split(" ")[0]).join(", ");
    const problem = name === undefined ? "a command is missing" : `there is no command ${name}`;
    throw tuiError("USAGE", { problem: `${problem}, only ${known}`, help: "coppice ext --help" });
  });
  program.allowExcessArguments();
  for (const command of COMMANDS) {
    addCommand(program, command).action((...given: readonly unknown[]) => {
      const { args: positional } = given.at(-1) as Command;
      const options = given.at(-2) as ExtOptions;
      call = { command: nameOf(command), args: positional, options: checked(options) };
    });
  }
  return parsed(program, args, "coppice ext --help") ? call : undefined;
}

function nameOf({ usage }: ExtCommand): string {
  return usage.split(" ")[0] ?? "";
}

function addCommand(program: Command, { usage, description, options }: ExtCommand): Command {
  const command = program
    .command(usage)
    .description(description)
    .helpOption("-h, --help", "print this help")
    .option("--json", "one JSON value on stdout");
  for (const flags of options) {
    if (flags.includes("<")) command.option(flags, OPTIONS[flags], collect);
    else command.option(flags, OPTIONS[flags]);
  }
  return command;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function checked(options: ExtOptions): ExtOptions {
  const { runTrusted, sandboxed } = options;
  if (!runTrusted || !sandboxed) return options;
  throw tuiError("USAGE", { problem: "--run-trusted and --sandboxed exclude each other" });
}
