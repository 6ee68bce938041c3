import type { AgentSession } from "./agent-session.ts";
import type { Extension, Instance } from "./extension.ts";
import type { LoadOutcome } from "./packages/index.ts";
import type { Runtime } from "./runtime.ts";

/** What the load of each of these extensions came to; for those that loaded, all they registered. */
export function loadOutcomes(
  { runtime, extensions: host }: AgentSession,
  installed: readonly Extension[],
): readonly LoadOutcome[] {
  const keyed = new Map(installed.map((extension) => [extension.id, extension]));
  return [...keyed.values()].flatMap((extension): readonly LoadOutcome[] => {
    const { id, package: about } = extension;
    if (!about || host.isDisabled(extension)) return [];
    const { key } = about;
    const failure = runtime.reports
      .all()
      .find((report) => report.extension === id && report.code === "EXTENSION_LOAD_FAILED");
    if (failure) {
      const { code, message } = failure;
      return [{ key, error: { code, message } }];
    }
    const own = host.instances.filter((instance) => instance.extension.id === id);
    return [{ key, registers: registered(runtime, id, new Set(own)) }];
  });
}

function registered(runtime: Runtime, id: string, own: ReadonlySet<Instance>) {
  const tools = runtime.tools.infos().filter(({ sourceInfo }) => sourceInfo === id);
  const names = (all: readonly { readonly name: string; readonly instance: Instance }[]) =>
    all
      .filter(({ instance }) => own.has(instance))
      .map(({ name }) => name)
      .sort();
  return {
    events: runtime.hooks.handled((instance) => own.has(instance)),
    commands: names(runtime.commands.all()),
    tools: tools.map(({ name }) => name).sort(),
    flags: names(runtime.flags.all()),
    shortcuts: names(runtime.shortcuts.all().map(({ key, instance }) => ({ name: key, instance }))),
  };
}
