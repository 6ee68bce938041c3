import { CoppiceError, type SessionManager } from "../core/index.ts";
import {
  type AgentSession,
  type AgentSessionOptions,
  coppiceHome,
  createAgentSession,
  discoverInstalled,
  loadOutcomes,
  nodeEnvironment,
  placesOf,
  recordLoads,
  type Settings,
} from "../host/index.ts";
import type { Flags } from "./arguments.ts";
import { extensionsOfRun } from "./extensions-of-run.ts";
import type { Output } from "./output.ts";

/** What every run has. */
export interface Setting {
  readonly flags: Flags;
  /** The folder the program was started in. */
  readonly cwd: string;
  readonly settings: Settings;
  readonly output: Output;
}

/**
 * Starts an agent on a session with the extensions of the run; on an error the session is released.
 * Raises what `extensionsOfRun` and `createAgentSession` raise.
 */
export async function startAgent(
  { flags, cwd, settings, output }: Setting,
  options: Omit<AgentSessionOptions, "settings" | "trusted" | "installed">,
): Promise<AgentSession> {
  try {
    const home = coppiceHome();
    const ofRun = await extensionsOfRun({ flags, cwd, settings, output });
    const { extensions: found, problems } = flags.extensions
      ? discoverInstalled({ home, cwd, settings, approve: flags.approve })
      : { extensions: [], problems: [] };
    for (const { code, message } of problems) output.note(`${code}: ${message}`);
    const others = found.filter(({ id }) => !ofRun.contained.some((one) => one.id === id));
    const installed = [...others, ...ofRun.contained];
    const { trusted } = ofRun;
    const session = await createAgentSession({ ...options, settings, trusted, installed });
    await keepOutcomes(session, others, home, output);
    return session;
  } catch (error) {
    options.sessionManager.close();
    throw error;
  }
}

/** What loaded is kept for lists and help; a home that cannot be written to stops no run. */
async function keepOutcomes(
  session: AgentSession,
  installed: NonNullable<AgentSessionOptions["installed"]>,
  home: string,
  output: Output,
): Promise<void> {
  try {
    await recordLoads(placesOf(home), nodeEnvironment, loadOutcomes(session, installed));
  } catch (error) {
    if (!(error instanceof CoppiceError)) throw error;
    output.note(`${error.code}: ${error.message}`);
  }
}

/** The model that the demo talks to unless another is asked for: it needs no key. */
const DEMO_MODEL = "offline";

/** The model that the options ask for. */
export function modelFlag({ model, demo }: Flags): string | undefined {
  return model ?? (demo ? DEMO_MODEL : undefined);
}

/** Says on one line what reading a session noticed, if anything. */
export function noteDiagnostics(output: Output, session: SessionManager): void {
  const [first, ...more] = session.getDiagnostics();
  if (!first) return;
  const rest = more.length > 0 ? `, and ${more.length} more; coppice tree --json lists them` : "";
  output.note(`note: ${first.code}: ${first.message}${rest}`);
}

/** Says what went wrong in extensions so far, and from now on; gives the way to stop. */
export function noteReports(output: Output, { runtime }: AgentSession): () => void {
  const say = ({ code, extension, where, message }: ReportLine) =>
    output.note(`${code}: ${extension} (${where}): ${message}`);
  for (const report of runtime.reports.all()) say(report);
  return runtime.reports.onReport(say);
}

type ReportLine = Readonly<Record<"code" | "extension" | "where" | "message", string>>;
