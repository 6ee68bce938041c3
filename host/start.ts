import type { Environment, SessionManager } from "../core/index.ts";
import { AgentSession } from "./agent-session.ts";
import { Commands } from "./commands.ts";
import { contextFor } from "./context.ts";
import { Contributions } from "./contributions.ts";
import { discoverBuiltins, discoverTrusted } from "./discover.ts";
import { nodeEnvironment } from "./environment.ts";
import type { Extension } from "./extension.ts";
import { type ContainmentOptions, ExtensionHost } from "./extension-host.ts";
import { Flags } from "./flags.ts";
import { Hooks } from "./hooks.ts";
import { SUPPORTED } from "./methods/index.ts";
import { Models } from "./models.ts";
import { preferenceOf } from "./names.ts";
import { Grants } from "./packages/grants.ts";
import { placesOf } from "./packages/places.ts";
import { PermissionGate } from "./permission-gate.ts";
import { Renderers } from "./renderers.ts";
import { Reports } from "./reports.ts";
import type { Runtime } from "./runtime.ts";
import { Shortcuts } from "./shortcuts.ts";
import { coppiceHome } from "./storage/session-dir.ts";
import { openSession } from "./storage/sessions.ts";
import type { Settings } from "./storage/settings.ts";
import { Tools } from "./tools.ts";
import { silentUI, type UserInterface } from "./ui.ts";

export interface AgentSessionOptions {
  readonly sessionManager: SessionManager;
  readonly settings: Settings;
  /** `--model`: `provider/model`, a model, a provider, or `none`. */
  readonly model?: string | undefined;
  /** Folders or files to load in process with the user's own rights (extensions spec §6.6). */
  readonly trusted?: readonly string[];
  /** Extensions of third parties that were found; those without all permissions run in the sandbox. */
  readonly installed?: readonly Extension[];
  /** Time, limits and start of the sandbox, where they are not the usual ones. */
  readonly sandbox?: ContainmentOptions;
  /** First-party extensions of this run; absent: all that come with coppice. */
  readonly builtins?: readonly Extension[];
  /** Absent: nobody to ask, and notes are dropped. */
  readonly ui?: UserInterface;
  readonly env?: Environment;
  /** Ids of extensions that stay off, beside those of the setting `extensions.disabled`. */
  readonly disabled?: readonly string[];
  /** Called when the extensions are loaded, before the session starts; may adopt another session. */
  loaded?(session: AgentSession): Promise<void>;
}

/**
 * Makes a running agent on a session: extensions loaded, model chosen, `session_start` sent. Raises
 * MODEL_UNKNOWN and EXTENSION_EMPTY; a failing extension is a report and stops nothing.
 */
export async function createAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  const { sessionManager, settings, env = nodeEnvironment } = options;
  const session = new AgentSession({
    sessionManager,
    modelFlag: options.model,
    env,
    openSession: (path) => openSession(path, { settings }),
    loaded: options.loaded,
  });
  const runtime = makeRuntime(session, settings, env, options.ui ?? silentUI(() => undefined));
  const cwd = sessionManager.getCwd();
  const trusted = (options.trusted ?? []).flatMap((path, i) => discoverTrusted(path, cwd, i));
  const disabled = [...(settings.get("extensions.disabled") as readonly string[])];
  const { installed = [], builtins = discoverBuiltins() } = options;
  const extensions = [...installed, ...trusted, ...builtins];
  const off = [...disabled, ...(options.disabled ?? [])];
  const host = new ExtensionHost(runtime, extensions, off, options.sandbox);
  session.attach(runtime, host);
  await session.start();
  return session;
}

function makeRuntime(
  session: AgentSession,
  settings: Settings,
  env: Environment,
  ui: UserInterface,
): Runtime {
  const reports = new Reports(() => env.now());
  const preferred = (key: string) => preferenceOf(settings.get("extensions.prefer"), key);
  const runtime: Runtime = {
    session,
    settings,
    ui,
    reports,
    hooks: new Hooks({
      reports,
      timeoutMs: () => Number(settings.get("extensions.handlerTimeoutMs")),
      contextFor: (instance, budget) => contextFor(runtime, instance, budget),
    }),
    commands: new Commands(reports, (name) => preferred(`command:${name}`)),
    contributions: new Contributions(reports, preferred),
    shortcuts: new Shortcuts(reports, (key) => preferred(`key:${key}`)),
    models: new Models(),
    tools: new Tools(reports, (name) => preferred(`tool:${name}`)),
    flags: new Flags(),
    renderers: new Renderers(),
    permissions: new PermissionGate(new Grants(placesOf(coppiceHome()), env), () => runtime.ui),
    supported: SUPPORTED,
  };
  return runtime;
}
