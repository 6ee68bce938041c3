import { createHash } from "node:crypto";
import { type Environment, type SessionEntry, SessionManager } from "../core/index.ts";

/** A clock that steps a second a call, and random bytes that count: the same world every time. */
export function fixedEnvironment(): Environment {
  let time = Date.UTC(2026, 2, 1, 9);
  let count = 0;
  return {
    now: () => (time += 1000),
    randomBytes(size) {
      count++;
      return Uint8Array.from({ length: size }, (_, i) => (count >> (8 * (size - 1 - i))) & 0xff);
    },
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
  };
}

export interface TreeWorld {
  readonly session: SessionManager;
  /** Entry id by the name in the picture. */
  readonly id: (name: string) => string;
  /** Names of entries. */
  readonly names: (entries: readonly SessionEntry[]) => string[];
}

/**
 * A session in memory, from a picture: names one after the other make a chain, names in parentheses
 * are branches below the one before, `*` marks the leaf: `tree("a b(c(e) d*)")`. Names that begin
 * with `a` followed by a digit are assistant messages, all others user messages with their name as text.
 */
export function tree(picture: string, env = fixedEnvironment()): TreeWorld {
  const session = SessionManager.inMemory("/project", env);
  const byName = new Map<string, string>();
  const stars: string[] = [];
  const forks: { readonly above: string | null }[] = [];
  let above: string | null = null;
  const add = (name: string, star: string | undefined) => {
    const fork = forks.at(-1);
    stand(session, fork ? fork.above : above);
    above = session.appendMessage(messageFor(name));
    byName.set(name, above);
    if (star) stars.push(above);
  };
  for (const [token, name = "", star] of picture.matchAll(/([\w-]+)(\*?)|[()]/g)) {
    if (token === "(") forks.push({ above });
    else if (token === ")") above = forks.pop()?.above ?? null;
    else add(name, star);
  }
  const [leaf] = stars;
  if (leaf !== undefined) session.branch(leaf);
  const nameOf = new Map([...byName].map(([name, id]) => [id, name]));
  return {
    session,
    id: (name) => byName.get(name) ?? name,
    names: (entries) => entries.map(({ id }) => nameOf.get(id) ?? id),
  };
}

function stand(session: SessionManager, at: string | null): void {
  if (at === null) session.resetLeaf();
  else session.branch(at);
}

export function userMessage(content: string) {
  return { role: "user", content, timestamp: 1 } as const;
}

export function assistantMessage(text: string, fields: object = {}) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "test",
    provider: "test",
    model: "one",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost },
    stopReason: "stop",
    timestamp: 1,
    ...fields,
  } as const;
}

function messageFor(name: string) {
  return /^a\d/.test(name) ? assistantMessage(name) : userMessage(name);
}
