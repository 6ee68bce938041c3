import type { Extension } from "../extension.ts";

/** How many gestures of a package run now, and what they have added to its permissions. */
interface Running {
  count: number;
  readonly added: readonly string[];
}

const running = new WeakMap<object, Running>();

/**
 * Runs what a person started, with the permissions that an extension has in a gesture; they end with
 * the last one that runs (extensions spec §1.2, §6.2).
 */
export async function duringGesture<T>(
  { package: about }: Extension,
  run: () => T | Promise<T>,
): Promise<T> {
  if (!about?.changing) return run();
  const { held, gestures } = about.changing;
  const now = running.get(held) ?? { count: 0, added: gestures.filter((one) => !held.has(one)) };
  running.set(held, now);
  for (const permission of now.added) held.add(permission);
  now.count++;
  try {
    return await run();
  } finally {
    now.count--;
    if (now.count === 0) {
      running.delete(held);
      for (const permission of now.added) held.delete(permission);
    }
  }
}
