import { contextFor } from "./context.ts";
import { duringGesture } from "./packages/gesture.ts";
import type { CommandHost } from "./run-command.ts";

/** Runs what an extension bound to a key; `false` if none did. What the handler throws goes through. */
export async function runShortcut({ runtime }: CommandHost, key: string): Promise<boolean> {
  const shortcut = runtime.shortcuts.find(key);
  if (!shortcut) return false;
  const { instance, options } = shortcut;
  await duringGesture(instance.extension, () => options.handler(contextFor(runtime, instance)));
  return true;
}
