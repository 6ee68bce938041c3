import { resolve } from "node:path";
import {
  type AgentSessionOptions,
  type ConsentWay,
  coppiceHome,
  nodeEnvironment,
  type PackageWork,
  packageForRun,
  placesOf,
} from "../host/index.ts";
import type { Flags } from "./arguments.ts";
import { askConsent } from "./ext-question.ts";
import type { Setting } from "./startup.ts";
import { type LineQuestions, openQuestions } from "./terminal-question.ts";

/** What `-e` names: with `--trust` paths that run with all rights, else packages for the sandbox. */
export interface ExtensionsOfRun {
  readonly trusted: readonly string[];
  readonly contained: NonNullable<AgentSessionOptions["installed"]>;
}

/**
 * The extensions of `-e`, asked about on a terminal like an install (extensions spec §6.6); one that is
 * refused is left out. Raises CONSENT_REQUIRED where there is nobody to ask, and what `packageForRun`
 * raises.
 */
export async function extensionsOfRun(setting: Setting): Promise<ExtensionsOfRun> {
  const { flags, cwd, output } = setting;
  const { extension: paths = [], trust } = flags;
  if (trust) return { trusted: paths.map((path) => resolve(cwd, path)), contained: [] };
  const contained: ExtensionsOfRun["contained"][number][] = [];
  if (paths.length === 0) return { trusted: [], contained };
  const questions = openIfAsked(flags);
  try {
    for (const path of paths) {
      const way = wayOf(flags, questions, (line) => output.note(line));
      const extension = await packageForRun(path, way, workOf(setting));
      if (extension) contained.push(extension);
    }
  } finally {
    questions?.close();
  }
  return { trusted: [], contained };
}

function openIfAsked({ yes, accept, acceptAll }: Flags): LineQuestions | undefined {
  const isAnswered = yes === true || acceptAll === true || accept !== undefined;
  const canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (isAnswered || !canAsk) return undefined;
  return openQuestions({ input: process.stdin, output: process.stderr }, undefined);
}

function wayOf(
  { yes = false, accept = [], acceptAll = false }: Flags,
  questions: LineQuestions | undefined,
  say: (line: string) => void,
): ConsentWay {
  const ask: ConsentWay["ask"] = questions && ((question) => askConsent(question, say, questions));
  return { yes, accept, acceptAll, deny: [], ask };
}

function workOf({ cwd, settings, output }: Setting): PackageWork {
  return {
    places: placesOf(coppiceHome()),
    cwd,
    settings,
    env: nodeEnvironment,
    variables: process.env,
    note: (line) => output.note(line),
  };
}
