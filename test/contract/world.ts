import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionFactory } from "coppice";
import type { SessionManager } from "coppice/core";
import {
  type AgentSession,
  type AgentSessionOptions,
  createAgentSession,
  type EventName,
  type EventPayload,
  type Report,
} from "coppice/host";
import { describe, onTestFinished } from "vitest";
import { discoverBuiltins } from "../../host/discover.ts";
import type { Extension } from "../../host/extension.ts";
import { HOOKS } from "../../host/hook-catalogue.ts";
import { Settings } from "../../host/storage/settings.ts";
import { fixedEnvironment, type TreeWorld, tree } from "../world.ts";
import { FakeModel } from "./fake-model.ts";
import { LOADERS, type Loader, sandboxed } from "./loaders.ts";
import { type Answers, ScriptedUI } from "./scripted-ui.ts";

/** The source of an extension: its text, or a factory that closes over nothing. */
export type Source = string | ExtensionFactory;

export interface FirstParty {
  readonly source: Source;
  readonly permissions: readonly string[];
  readonly commands?: readonly string[];
}

export interface WorldOptions {
  /** Third-party extensions by name, in load order. */
  readonly extensions?: Readonly<Record<string, Source>>;
  /** First-party extensions of the test. */
  readonly firstParty?: Readonly<Record<string, FirstParty>>;
  /** Names of first-party extensions of coppice itself. */
  readonly builtins?: readonly string[];
  readonly session?: TreeWorld | SessionManager;
  /** `"none"` for a host without any model. */
  readonly model?: FakeModel | "none";
  readonly ui?: Answers | ScriptedUI;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly options?: Partial<AgentSessionOptions>;
}

export interface World {
  readonly session: AgentSession;
  readonly sessionManager: SessionManager;
  readonly ui: ScriptedUI;
  readonly model: FakeModel;
  /** Entry id by the name in the picture of `tree`. */
  readonly id: (name: string) => string;
  /** What extensions said with `ctx.ui.notify`, in order. */
  readonly said: readonly string[];
  readonly reports: readonly Report[];
  /** Codes of the reports, with the extension: `one HOOK_FAILED`. */
  readonly reported: readonly string[];
  /** Runs a command that a person typed. */
  command(line: string): Promise<void>;
  /** Sends an event as the host does; gives what its handlers decided. */
  emit<E extends EventName>(event: E, payload: Omit<EventPayload<E>, "type">): Promise<unknown>;
  close(): Promise<void>;
}

export type LoadWorld = (options?: WorldOptions) => Promise<World>;

process.env.COPPICE_HOME = mkdtempSync(join(tmpdir(), "coppice-home-"));

/** Describes a behaviour of the extension API once for every loader. */
export function contract(name: string, cases: (loadWorld: LoadWorld) => void): void {
  for (const loader of LOADERS) {
    describe.skipIf(loader.missing !== undefined)(`${loader.name}: ${name}`, () => {
      cases((options) => loadWorldWith(loader, options));
    });
  }
}

/** A running agent session on the first of the loaders, ended with the test. */
export const loadWorld: LoadWorld = (options) => loadWorldWith(LOADERS[0] as Loader, options);

/** Cases that only the sandbox has. */
export function inSandbox(name: string, cases: (loadWorld: LoadWorld) => void): void {
  describe.skipIf(sandboxed.missing !== undefined)(name, () => {
    cases((options) => loadWorldWith(sandboxed, options));
  });
}

async function loadWorldWith(loader: Loader, options: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "coppice-world-"));
  const world = options.session ?? tree("u1 a1*");
  const sessionManager = "session" in world ? world.session : world;
  const ui = options.ui instanceof ScriptedUI ? options.ui : new ScriptedUI(options.ui);
  const model = options.model instanceof FakeModel ? options.model : new FakeModel();
  const firstParty = { ...options.firstParty, ...(options.model !== "none" && given(model)) };
  const third = Object.entries(options.extensions ?? {});
  const session = await createAgentSession({
    sessionManager,
    settings: new Settings({ cwd: folder, flags: { ...options.settings } }),
    ui,
    env: fixedEnvironment(),
    builtins: [
      ...discoverBuiltins(options.builtins ?? []),
      ...writeFirstParty(join(folder, "first"), firstParty),
    ],
    ...loader.options(third.map(([name, source]) => writePackage(folder, name, source))),
    ...options.options,
  });
  const close = closing(session, folder);
  onTestFinished(close);
  return {
    session,
    sessionManager,
    ui,
    model,
    id: "id" in world ? world.id : (name) => name,
    said: ui.notes,
    get reports() {
      return session.runtime.reports.all();
    },
    get reported() {
      return session.runtime.reports.all().map(({ extension, code }) => `${extension} ${code}`);
    },
    command: (line) => session.runCommand(line),
    emit: (event, payload) => emit(session, event, { ...payload, type: event }),
    close,
  };
}

function closing(session: AgentSession, folder: string): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= session.close().finally(() => rmSync(folder, { recursive: true, force: true }));
    return closed;
  };
}

function emit<E extends EventName>(
  { runtime }: AgentSession,
  event: E,
  payload: object,
): Promise<unknown> {
  const { hooks } = runtime;
  return hooks[HOOKS[event].kind](event, payload as EventPayload<E>);
}

function writePackage(folder: string, name: string, source: Source, manifest?: object): string {
  const root = join(folder, name);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "index.ts"), sourceText(source));
  const coppice = { extensions: ["./index.ts"], ...manifest };
  const json = { name, version: "1.0.0", type: "module", coppice };
  writeFileSync(join(root, "package.json"), JSON.stringify(json));
  return root;
}

function sourceText(source: Source): string {
  return typeof source === "string" ? source : `export default ${source.toString()};\n`;
}

function writeFirstParty(
  root: string,
  packages: Readonly<Record<string, FirstParty>>,
): readonly Extension[] {
  const names = Object.keys(packages);
  for (const [name, { source, ...manifest }] of Object.entries(packages)) {
    writePackage(root, name, source, manifest);
  }
  return discoverBuiltins(names, root);
}

const models = new Map<string, FakeModel>();
Object.assign(globalThis, { coppiceTestModels: models });

/** The model's provider as a first-party extension, so that it is there before a model is chosen. */
function given(model: FakeModel): Record<string, FirstParty> {
  const key = String(models.size);
  models.set(key, model);
  const source =
    `export default (api) => api.registerProvider("test", ` +
    `globalThis.coppiceTestModels.get("${key}").provider);`;
  return { "test-model": { source, permissions: ["model:provider"] } };
}
