import type { Model, ThinkingLevel } from "../../model-types.ts";
import { append, hasOwn, table } from "./captured.ts";
import type { Mirror } from "./mirror.ts";

type Answer = (mirror: Mirror, a: unknown, b: unknown) => unknown;

/** Queries that the copied session answers with the host's own code. */
const QUERIES = [
  "getBranch",
  "getEntries",
  "getChildren",
  "getIndex",
  "getTree",
  "getEntry",
  "getLeafEntry",
  "getLabel",
  "getLabelInForce",
  "buildSessionContext",
] as const;

/** What needs no right to read the session. */
const FACTS: Readonly<Record<string, Answer>> = {
  getLeafId: (mirror) => (mirror.hasSession ? mirror.session.getLeafId() : mirror.get("leafId")),
  getSessionId: (mirror) => mirror.get("header").id,
  getSessionName: sessionName,
  getFileVersion: (mirror) => mirror.get("version"),
  getCwd: (mirror) => mirror.get("header").cwd,
  isPersisted: (mirror) => mirror.get("isPersisted"),
  isReadOnly: (mirror) => mirror.get("readOnly") !== null,
  getDiagnostics: (mirror) => copied(mirror.diagnostics),
  getHeader: (mirror) => mirror.get("header"),
  getSessionFile: (mirror) => mirror.get("file") ?? undefined,
  getSessionDir: (mirror) => mirror.get("dir") ?? undefined,
};

const STATE: Readonly<Record<string, Answer>> = {
  "ctx.mode": (mirror) => mirror.get("mode"),
  "ctx.hasUI": (mirror) => mirror.get("hasUI"),
  "ctx.cwd": (mirror) => mirror.get("header").cwd,
  "ctx.model": (mirror) => mirror.get("model") ?? undefined,
  "ctx.thinkingLevel": (mirror) => mirror.get("thinkingLevel"),
  "ctx.isIdle": (mirror) => mirror.get("activity") === "idle",
  "ctx.getContextUsage": (mirror) => mirror.get("usage") ?? undefined,
  "ctx.getSetting": (mirror, key) => {
    const settings = mirror.get("settings");
    return hasOwn(settings, key as string) ? settings[key as string] : undefined;
  },
  "ctx.ui.getEditorText": (mirror) =>
    mirror.isGranted("ui:input") ? mirror.get("editorText") : "",
  "api.getCommands": (mirror) => copied(mirror.get("commands")),
  "api.getAllTools": (mirror) => copied(mirror.get("tools")),
  "api.getActiveTools": (mirror) => copied(mirror.get("activeTools")),
  "api.getThinkingLevel": (mirror): ThinkingLevel => mirror.get("thinkingLevel"),
  "api.getSessionName": sessionName,
  "ctx.modelRegistry.find": (mirror, provider, id) => {
    const models = mirror.get("models");
    for (let i = 0; i < models.length; i++) {
      const model = models[i] as Model;
      if (model.provider === provider && model.id === id) return model;
    }
    return undefined;
  },
  "ctx.modelRegistry.getAll": (mirror) => copied(mirror.get("models")),
  "ctx.modelRegistry.getAvailable": (mirror) => {
    const available: Model[] = [];
    const models = mirror.get("models");
    for (let i = 0; i < models.length; i++) {
      const model = models[i] as Model;
      if (providerOf(mirror, model.provider)?.configured) append(available, model);
    }
    return available;
  },
  "ctx.modelRegistry.hasConfiguredAuth": (mirror, model) =>
    providerOf(mirror, (model as Model).provider)?.configured === true,
  "ctx.modelRegistry.getProviderDisplayName": (mirror, name) =>
    providerOf(mirror, name as string)?.title ?? name,
  "ctx.modelRegistry.getProviderAuthStatus": (mirror, name) => {
    const { configured = false, hint } = providerOf(mirror, name as string) ?? {};
    return hint === undefined ? { configured } : { configured, hint };
  },
};

/** Answers to members of kind `mirror`, by their full names. */
export const ANSWERS = table<Answer>();

for (const name of QUERIES) {
  ANSWERS[`ctx.sessionManager.${name}`] = ({ session }, a) =>
    (session[name] as (argument?: unknown) => unknown)(a);
}
for (const name of Object.keys(FACTS)) {
  ANSWERS[`ctx.sessionManager.${name}`] = FACTS[name] as Answer;
}
for (const name of Object.keys(STATE)) ANSWERS[name] = STATE[name] as Answer;

/** The running agent's signal, by the number the host gave it. */
export function agentSignal(
  mirror: Mirror,
  signalOf: (id: number) => AbortSignal,
): AbortSignal | undefined {
  const id = mirror.get("signal");
  return id === null ? undefined : signalOf(id);
}

function sessionName(mirror: Mirror): string | undefined {
  return mirror.hasSession ? mirror.session.getSessionName() : (mirror.get("name") ?? undefined);
}

function providerOf(mirror: Mirror, name: string) {
  const providers = mirror.get("providers");
  return hasOwn(providers, name) ? providers[name] : undefined;
}

function copied<T>(list: readonly T[]): T[] {
  const copy: T[] = [];
  for (let i = 0; i < list.length; i++) append(copy, list[i] as T);
  return copy;
}
