import {
  coppiceHome,
  listVerbs,
  loadSettings,
  placesOf,
  projectTrust,
  silentUI,
} from "../host/index.ts";
import { type Flags, readArguments } from "./arguments.ts";
import { watchInterrupts } from "./interrupts.ts";
import { EXIT, Output, reportError } from "./output.ts";
import { runPrint } from "./print.ts";
import { chooseSession } from "./session-choice.ts";
import { modelFlag, noteDiagnostics, noteReports, type Setting, startAgent } from "./startup.ts";
import { ownVerbs, runVerb } from "./verbs.ts";

/** Runs the program with the arguments after its name; gives its exit code (architecture §6). */
export async function runCli(args: readonly string[]): Promise<number> {
  const output = new Output(process);
  const report = (error: unknown) => reportError(output, error, process.env);
  const crashed = (error: unknown) => process.exit(report(error));
  process.on("uncaughtException", crashed);
  const leave = () => void process.off("uncaughtException", crashed);
  let code = await run(args, output, leave).catch(report);
  await output.flush().catch((error) => {
    code = report(error);
  });
  return code;
}

/** `leave` is called before the screen takes over the process and what goes wrong in it. */
async function run(args: readonly string[], output: Output, leave: () => void): Promise<number> {
  const write = (text: string) => output.write(text);
  const invocation = readArguments(args, [...listVerbs(), ...ownVerbs], write);
  if (invocation.kind === "shown") return EXIT.done;
  const setting = await settingOf(invocation.flags, output);
  const { print } = invocation.flags;
  if (invocation.kind === "run" && print === undefined) return showScreen(setting, leave);
  try {
    return invocation.kind === "verb"
      ? await runVerb(invocation, setting)
      : await runPrompt(print ?? "", setting);
  } finally {
    for (const warning of setting.settings.warnings) output.note(`note: ${warning}`);
  }
}

async function settingOf(flags: Flags, output: Output): Promise<Setting> {
  const cwd = process.cwd();
  const trust = projectTrust({ places: placesOf(coppiceHome()), cwd, approve: flags.approve });
  const settings = await loadSettings({ cwd, isTrusted: trust.isTrusted });
  for (const { code, message } of settings.problems) output.note(`${code}: ${message}`);
  return { flags, cwd, settings, output };
}

async function runPrompt(prompt: string, setting: Setting): Promise<number> {
  const { flags, output } = setting;
  const interrupts = watchInterrupts(process);
  const sessionManager = await chooseSession(setting);
  noteDiagnostics(output, sessionManager);
  const ui = silentUI((line) => output.note(line));
  const session = await startAgent(setting, { sessionManager, model: modelFlag(flags), ui });
  noteReports(output, session);
  try {
    return await runPrint(session, prompt, { output, interrupts });
  } finally {
    await session.close();
  }
}

/** The screen is loaded only where it is shown. */
async function showScreen(setting: Setting, leave: () => void): Promise<number> {
  const { runScreen } = await import("./run-screen.ts");
  return runScreen(setting, leave);
}
