import { CoppiceError } from "../core/index.ts";
import {
  type AskConsent,
  type ConsentWay,
  changePermissions,
  cleanLine,
  coppiceHome,
  describePackage,
  disableExtension,
  doctor,
  enableExtension,
  installPackage,
  jsonLine,
  listPackages,
  nodeEnvironment,
  type PackageWork,
  permissionLog,
  placesOf,
  removePackage,
  searchPackages,
  updatePackages,
} from "../host/index.ts";
import { type ExtCall, type ExtOptions, readExtArguments } from "./ext-arguments.ts";
import {
  doctorLines,
  infoLines,
  installLines,
  listLines,
  logLines,
  permissionsLines,
  removeLines,
  searchLines,
  switchLines,
  updateLines,
} from "./ext-print.ts";
import { askConsent, confirmTrusted } from "./ext-question.ts";
import { type Interrupts, watchInterrupts } from "./interrupts.ts";
import { EXIT, exitCodeOf, type Output, reportError } from "./output.ts";
import type { Setting } from "./startup.ts";
import { type LineQuestions, openQuestions } from "./terminal-question.ts";

/** What a command gives: a value for programs, lines for people, and the exit code. */
interface Outcome {
  readonly result: unknown;
  readonly lines: readonly string[];
  readonly code: number;
}

/** What the commands work with. */
interface Ext {
  readonly work: PackageWork;
  /** Absent where there is nobody to ask. */
  readonly questions: LineQuestions | undefined;
  say(line: string): void;
}

/**
 * Runs `coppice ext <command>`; gives the exit code of extensions spec §5.1. With `--json` stdout is one
 * JSON value, also for an error.
 */
export async function runExtVerb(args: readonly string[], setting: Setting): Promise<number> {
  const { output } = setting;
  const interrupts = watchInterrupts(process);
  const ext = openExt(setting, interrupts);
  try {
    const call = readExtArguments(args, (text) => output.write(text));
    return call ? await runCommand(call, ext, output) : EXIT.done;
  } catch (error) {
    return interrupts.exitCode() ?? reportExt(args, error, output);
  } finally {
    ext.questions?.close();
  }
}

async function runCommand(call: ExtCall, ext: Ext, output: Output): Promise<number> {
  const { command, options } = call;
  const { result, lines, code } = await COMMANDS[command as keyof typeof COMMANDS](call, ext);
  const json = () => jsonLine({ ok: true, command, result: plain(result) });
  for (const line of options.json ? [json()] : lines.map(cleanLine)) output.write(`${line}\n`);
  return code;
}

function reportExt(args: readonly string[], error: unknown, output: Output): number {
  const isJson = args.includes("--json");
  if (!isJson || !(error instanceof CoppiceError)) return reportError(output, error, process.env);
  const command = args.find((arg) => !arg.startsWith("-")) ?? "";
  output.write(`${jsonLine({ ok: false, command, error: errorJson(error) })}\n`);
  return exitCodeOf(error.code);
}

function openExt({ cwd, settings, output }: Setting, { signal }: Interrupts): Ext {
  const say = (line: string) => output.note(line);
  const canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    say,
    questions: canAsk
      ? openQuestions({ input: process.stdin, output: process.stderr }, signal)
      : undefined,
    work: {
      places: placesOf(coppiceHome()),
      cwd,
      settings,
      env: nodeEnvironment,
      variables: process.env,
      signal,
      note: say,
    },
  };
}

function errorJson(error: CoppiceError): object {
  const { code, message, details } = error;
  return { ...(plain(details) as object), code, message };
}

/** Errors among the data become objects; everything else is data already. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, inner) => (inner instanceof CoppiceError ? errorJson(inner) : inner)),
  );
}

function wayOf(options: ExtOptions, { questions, say }: Ext): ConsentWay {
  const { yes = false, accept = [], acceptAll = false, deny = [] } = options;
  const ask: AskConsent | undefined =
    questions && ((question) => askConsent(question, say, questions));
  return { yes, accept, acceptAll, deny, ask };
}

const WAITING = new Set(["needs-consent", "update-pending"]);

/** The exit code by what became of packages. */
function exitOf(states: readonly string[]): number {
  if (states.some((state) => state === "failed" || state === "cancelled")) return EXIT.failed;
  return states.some((state) => WAITING.has(state)) ? EXIT.consent : EXIT.done;
}

const COMMANDS = {
  async install({ args: [source = ""], options }: ExtCall, ext: Ext): Promise<Outcome> {
    const isProject = options.project === true;
    const way = wayOf(options, ext);
    const result = await installPackage(source, { ...way, isProject }, ext.work);
    return { result, lines: installLines(result), code: exitOf([result.state]) };
  },
  async search({ args }: ExtCall, { work }: Ext): Promise<Outcome> {
    const result = await searchPackages(args, work);
    return { result, lines: searchLines(result), code: EXIT.done };
  },
  async list({ options }: ExtCall, { work }: Ext): Promise<Outcome> {
    const result = listPackages({ all: options.all === true }, work);
    return { result, lines: listLines(result), code: EXIT.done };
  },
  async info({ args: [text = ""] }: ExtCall, { work }: Ext): Promise<Outcome> {
    const result = await describePackage(text, work);
    return { result, lines: infoLines(result), code: EXIT.done };
  },
  async update({ args: ids, options }: ExtCall, ext: Ext): Promise<Outcome> {
    const isCheck = options.check === true;
    const result = await updatePackages({ ...wayOf(options, ext), ids, isCheck }, ext.work);
    const code = exitOf(result.map(({ outcome }) => outcome));
    return { result, lines: updateLines(result), code };
  },
  async remove({ args: [id = ""], options }: ExtCall, { work }: Ext): Promise<Outcome> {
    const result = await removePackage(id, { keepData: options.keepData === true }, work);
    return { result, lines: removeLines(result), code: EXIT.done };
  },
  async enable({ args: [id = ""], options }: ExtCall, ext: Ext): Promise<Outcome> {
    const { feature: features, project } = options;
    const way = { ...wayOf(options, ext), isProject: project === true, features };
    const result = await enableExtension(id, way, ext.work);
    return { result, lines: switchLines(result), code: exitOf([result.state]) };
  },
  async disable({ args: [id = ""], options }: ExtCall, { work }: Ext): Promise<Outcome> {
    const result = await disableExtension(id, { isProject: options.project === true }, work);
    return { result, lines: switchLines(result), code: EXIT.done };
  },
  async doctor({ args: [id], options }: ExtCall, { work }: Ext): Promise<Outcome> {
    const result = await doctor({ id, fix: options.fix === true }, work);
    const isWrong = result.some(({ isRemark }) => !isRemark);
    return { result, lines: doctorLines(result), code: isWrong ? EXIT.failed : EXIT.done };
  },
  async permissions(call: ExtCall, ext: Ext): Promise<Outcome> {
    const {
      args: [id = ""],
      options,
    } = call;
    if (options.log) {
      const records = permissionLog(id, ext.work);
      return { result: records, lines: logLines(records), code: EXIT.done };
    }
    const { grant = [], deny = [], reset = [], runTrusted, sandboxed } = options;
    const chosen = runTrusted || sandboxed ? { runTrusted: runTrusted === true } : {};
    const confirm = confirmation(options, ext);
    const result = await changePermissions(
      id,
      { grant, deny, reset, ...chosen, confirm },
      ext.work,
    );
    const isRefused = runTrusted === true && !result.isTrusted;
    const code = isRefused ? EXIT.failed : EXIT.done;
    return { result, lines: permissionsLines(result), code };
  },
};

/** A person types the id; without a terminal `--yes` stands for it. */
function confirmation({ yes }: ExtOptions, { questions, say }: Ext) {
  return async (id: string) => (questions ? confirmTrusted(id, say, questions) : yes === true);
}
