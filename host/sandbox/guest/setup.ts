import { type Environment, MemoryStore, newHeader, SessionManager } from "../../../core/index.ts";
import { hostError } from "../../errors.ts";
import type { SetupCall } from "../setup-wire.ts";
import { append, apply } from "./captured.ts";
import { markOwn } from "./guest-errors.ts";
import type { GuestFunction } from "./references.ts";

/** Appends and queries, nothing that switches or closes a session. */
const PREFIXES = ["append", "get", "is", "build"];

/**
 * A setup as the host calls it: it fills a session of this isolate, and gives the calls that the host
 * makes again on the new one (extensions spec §2.5).
 */
export function setupForHost(
  setup: GuestFunction,
  env: Environment,
  cwd: () => string,
): () => Promise<readonly SetupCall[]> {
  return async () => {
    const calls: SetupCall[] = [];
    const session = new SessionManager(new MemoryStore(newHeader(env, { cwd: cwd() })), env);
    let isOver = false;
    const manager = new Proxy(session, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof key === "symbol" || !(key in target)) return value;
        const member = `sessionManager.${key}`;
        if (!isAllowed(key)) throw markOwn(hostError("NOT_SUPPORTED", { member }));
        return (...values: readonly unknown[]) => {
          if (isOver) throw markOwn(hostError("STALE_CONTEXT", { member }));
          const result = apply(value as GuestFunction, target, values);
          if (startsWith(key, "append"))
            append(calls, { member: key, values, id: result as string });
          return result;
        };
      },
    });
    try {
      await apply(setup, undefined, [manager]);
    } finally {
      isOver = true;
    }
    return calls;
  };
}

function isAllowed(key: string): boolean {
  for (let i = 0; i < PREFIXES.length; i++) if (startsWith(key, PREFIXES[i] as string)) return true;
  return false;
}

function startsWith(key: string, prefix: string): boolean {
  for (let i = 0; i < prefix.length; i++) if (key[i] !== prefix[i]) return false;
  const next = key[prefix.length] ?? "";
  return next >= "A" && next <= "Z";
}
