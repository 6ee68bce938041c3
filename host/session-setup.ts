import type { PreparedSession, SessionManager } from "../core/index.ts";
import type { SessionSetup, WritableSessionManager } from "./api.ts";
import { hostError } from "./errors.ts";

/** What fills a new session: appends and queries, nothing that switches or closes it. */
const MEMBER = /^(append|get|is|build)[A-Z]/;

/**
 * Lets an extension fill a new session before it becomes active (extensions spec §2.5). If that
 * fails the session is thrown away, and the error goes through.
 */
export async function setUp(prepared: PreparedSession, setup: SessionSetup): Promise<void> {
  const life = { isOver: false };
  try {
    await setup(writable(prepared.session, life));
  } catch (error) {
    prepared.discard();
    throw error;
  } finally {
    life.isOver = true;
  }
}

function writable(
  session: SessionManager,
  life: { readonly isOver: boolean },
): WritableSessionManager {
  return new Proxy(session, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof key === "symbol" || !(key in target)) return value;
      const member = `sessionManager.${key}`;
      if (!MEMBER.test(key)) throw hostError("NOT_SUPPORTED", { member });
      return (...args: readonly unknown[]) => {
        if (life.isOver) throw hostError("STALE_CONTEXT", { member });
        return (value as (...args: readonly unknown[]) => unknown).apply(target, [...args]);
      };
    },
  });
}
