import type { AutocompleteItem } from "./api.ts";
import { commandContextFor, contextFor } from "./context.ts";
import { hostError } from "./errors.ts";
import type { ExtensionHost } from "./extension-host.ts";
import { duringGesture } from "./packages/gesture.ts";
import type { Runtime } from "./runtime.ts";

export interface CommandHost {
  readonly runtime: Runtime;
  readonly extensions: ExtensionHost;
}

/** Runs `/name args`. Raises COMMAND_UNKNOWN, which names the extension if it is switched off. */
export async function runCommand(host: CommandHost, line: string): Promise<void> {
  const { name, args } = parseCommand(line);
  const command = host.runtime.commands.find(name);
  if (!command) throw unknownCommand(host, name);
  const { instance, options } = command;
  await duringGesture(instance.extension, () =>
    options.handler(args, commandContextFor(host.runtime, instance)),
  );
}

/** `/name rest of the line` → its name and its arguments. */
export function parseCommand(line: string): { readonly name: string; readonly args: string } {
  const [, name = "", args = ""] = /^\/?(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  return { name, args };
}

/** What a command offers for its argument so far. */
export async function completeArgument(
  { runtime }: CommandHost,
  name: string,
  prefix: string,
): Promise<readonly AutocompleteItem[]> {
  const command = runtime.commands.find(name);
  if (!command) return [];
  const { instance, options } = command;
  const ctx = contextFor(runtime, instance);
  return (await options.getArgumentCompletions?.(prefix, ctx)) ?? [];
}

function unknownCommand({ extensions }: CommandHost, name: string): Error {
  const owner = extensions.ownerOfCommand(name);
  const disabled = owner && extensions.isDisabled(owner) ? owner.id : undefined;
  return hostError("COMMAND_UNKNOWN", { name, disabled });
}
