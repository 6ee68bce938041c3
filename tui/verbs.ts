import { SessionManager } from "../core/index.ts";
import {
  type AgentSession,
  type CliCommand,
  listVerbs,
  nodeEnvironment,
  openSession,
  silentUI,
  type Verb,
  verbOf,
} from "../host/index.ts";
import { type Invocation, parsed, quietCommand } from "./arguments.ts";
import { contextVerb, runContextVerb } from "./context-verb.ts";
import { doctorVerb, runDoctorVerb } from "./doctor-verb.ts";
import { tuiError } from "./errors.ts";
import { EXIT } from "./output.ts";
import { runSessionsVerb, sessionsVerb } from "./sessions-verb.ts";
import { noteDiagnostics, noteReports, type Setting, startAgent } from "./startup.ts";

/** What a verb was called with. */
export interface VerbArguments {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

type VerbCall = Extract<Invocation, { readonly kind: "verb" }>;

/** `coppice ext`, which is about extensions and runs none. */
const extVerb = {
  name: "ext",
  description: "install, update and remove extensions, and decide what they may do",
};

/** Verbs that need neither an open session nor an extension. */
const OURS = [
  { verb: doctorVerb, run: runDoctorVerb },
  { verb: sessionsVerb, run: runSessionsVerb },
];

/** The verbs that come from no extension, for the help. */
export const ownVerbs = [contextVerb, doctorVerb, sessionsVerb, extVerb];

/** Runs a verb, ours or contributed; gives the exit code. */
export async function runVerb(call: VerbCall, setting: Setting): Promise<number> {
  if (call.name === extVerb.name) {
    // Loaded only now: no other run needs it.
    const { runExtVerb } = await import("./ext-verb.ts");
    return runExtVerb(call.args, setting);
  }
  const ours = OURS.find(({ verb }) => verb.name === call.name);
  if (ours) {
    const read = readVerbArguments(ours.verb, call.args, (text) => setting.output.write(text));
    return read ? ours.run(read, setting) : EXIT.done;
  }
  return call.name === contextVerb.name ? runContext(call, setting) : runContributed(call, setting);
}

/** Reads a session and needs no extension. */
async function runContext({ args }: VerbCall, setting: Setting): Promise<number> {
  const write = (text: string) => setting.output.write(text);
  const call = readVerbArguments(contextVerb, args, write);
  if (!call) return EXIT.done;
  const session = await openForReading(call, setting);
  try {
    runContextVerb({ options: call.options, write }, session);
    noteDiagnostics(setting.output, session);
    return EXIT.done;
  } finally {
    session.close();
  }
}

/**
 * A verb of an extension. Its options are known when the extensions are loaded, so the session it
 * names takes the place of an empty one then, before the extensions hear that a session starts.
 */
async function runContributed({ name, args }: VerbCall, setting: Setting): Promise<number> {
  const { cwd, output } = setting;
  const write = (text: string) => output.write(text);
  const sessionManager = SessionManager.inMemory(cwd, nodeEnvironment);
  let ready: { readonly verb: Verb; readonly call: VerbArguments | undefined } | undefined;
  const loaded = async (session: AgentSession) => {
    noteReports(output, session);
    const verb = requireVerb(session, name, setting);
    const call = readVerbArguments(verb.command, args, write);
    ready = { verb, call };
    if (call && verb.command.session === "read") {
      sessionManager.adopt(await openForReading(call, setting));
    }
  };
  const ui = silentUI((line) => output.note(line));
  const session = await startAgent(setting, { sessionManager, ui, loaded });
  try {
    if (!ready?.call) return EXIT.done;
    const code = await ready.verb.run({ ...ready.call, write });
    noteDiagnostics(output, sessionManager);
    return code;
  } finally {
    await session.close();
  }
}

function openForReading({ args }: VerbArguments, { settings, cwd }: Setting) {
  return openSession(args[0] ?? "", { settings, cwd, mode: "read" });
}

function requireVerb(session: AgentSession, name: string, { settings }: Setting): Verb {
  const verb = verbOf(session, name);
  if (verb) return verb;
  const extension = listVerbs().find((info) => info.name === name)?.extension ?? "";
  const disabled = settings.get("extensions.disabled") as readonly string[];
  const code = disabled.includes(extension) ? "VERB_DISABLED" : "VERB_MISSING";
  throw tuiError(code, { verb: name, extension });
}

/**
 * Reads the arguments of a verb by what it declares; `undefined` if its help was shown. Raises USAGE.
 */
function readVerbArguments(
  verb: Omit<CliCommand, "run">,
  args: readonly string[],
  write: (text: string) => void,
): VerbArguments | undefined {
  const name = `coppice ${verb.name}`;
  const command = quietCommand(name, write)
    .description(verb.description)
    .helpOption("-h, --help", "print this help");
  if (verb.arguments !== undefined) command.arguments(verb.arguments);
  for (const { flags, description } of verb.options ?? []) command.option(flags, description);
  const examples = (verb.examples ?? []).map((example) => `\n  ${example}`).join("");
  if (examples !== "") command.addHelpText("after", `\nExamples:${examples}`);
  if (!parsed(command, args, `${name} --help`)) return undefined;
  return { args: command.args, options: command.opts() };
}
