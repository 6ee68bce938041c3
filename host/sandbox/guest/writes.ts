import type { SessionManager } from "../../../core/index.ts";
import { widgetLines } from "../../methods/checks.ts";
import { checkOneOf } from "../../methods/method.ts";
import { clampThinkingLevel } from "../../model-choice.ts";
import { type Model, THINKING_LEVELS, type ThinkingLevel } from "../../model-types.ts";
import { append, parse, stringify } from "./captured.ts";
import type { Mirror } from "./mirror.ts";

type Write = (session: SessionManager, values: readonly unknown[]) => unknown;

/** What a call that is not answered does in the copy at once: the host's own code, on the mirror. */
const WRITES: Readonly<Record<string, Write>> = {
  "api.appendEntry": (session, [type, data]) =>
    session.appendCustomEntry(type as string, data === undefined ? undefined : plain(data)),
  "api.setLabel": (session, [id, label]) =>
    session.appendLabelChange(id as string, (label as string | null) ?? undefined),
  "api.setSessionName": (session, [name]) => session.appendSessionInfo(name as string),
};

/** What is known to be wrong with a call that is not answered (extensions spec §2.1). */
const CHECKS: Readonly<Record<string, (values: readonly unknown[]) => unknown>> = {
  "api.setThinkingLevel": ([level]) =>
    checkOneOf("api.setThinkingLevel: level", level, THINKING_LEVELS),
  "ctx.ui.setWidget": ([, lines]) => widgetLines(lines),
};

/**
 * Does a write in the mirror before the host has heard of it, so that what is known at the call is
 * raised there (extensions spec §2.1). Gives the id of the entry it has made for now.
 */
export function writeAhead(
  mirror: Mirror,
  sequence: number,
  member: string,
  values: readonly unknown[],
): string {
  CHECKS[member]?.(values);
  if (member === "api.setThinkingLevel") {
    const model = mirror.get("model") ?? undefined;
    mirror.take([{ thinkingLevel: clampThinkingLevel(values[0] as ThinkingLevel, model) }]);
  }
  if (member === "api.setActiveTools") {
    mirror.take([{ activeTools: known(mirror, values[0] as readonly string[]) }]);
  }
  if (member === "api.unregisterProvider") {
    mirror.take([{ models: modelsBut(mirror, values[0] as string) }]);
  }
  if (member === "ctx.ui.setEditorText") mirror.take([{ editorText: values[0] as string }]);
  const write = WRITES[member];
  if (!write) return "";
  let id = "";
  mirror.write(sequence, (session) => {
    id = write(session, values) as string;
  });
  return id;
}

/** Shows a registration in the copy at once, where one could look for it; gives what takes it back. */
export function registerAhead(
  mirror: Mirror,
  member: string,
  values: readonly unknown[],
): () => void {
  if (member !== "api.registerProvider") return () => undefined;
  const provider = values[0] as string;
  const { models } = values[1] as { readonly models: readonly Model[] };
  const before = modelsBut(mirror, provider);
  const all = modelsBut(mirror, provider);
  for (let i = 0; i < models.length; i++) append(all, models[i] as Model);
  mirror.take([{ models: all }]);
  return () => mirror.take([{ models: before }]);
}

function modelsBut(mirror: Mirror, provider: string): Model[] {
  const models = mirror.get("models");
  const others: Model[] = [];
  for (let i = 0; i < models.length; i++) {
    const model = models[i] as Model;
    if (model.provider !== provider) append(others, model);
  }
  return others;
}

/** Names of those that there are. */
function known(mirror: Mirror, names: readonly string[]): readonly string[] {
  const tools = mirror.get("tools");
  const active: string[] = [];
  for (let i = 0; i < tools.length; i++) {
    const { name } = tools[i] as { readonly name: string };
    for (let j = 0; j < names.length; j++) {
      if (names[j] !== name) continue;
      append(active, name);
      break;
    }
  }
  return active;
}

function plain(value: unknown): unknown {
  const text = stringify(value);
  return text === undefined ? undefined : parse(text);
}
