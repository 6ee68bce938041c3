import type { Box } from "../methods/method.ts";
import type { Shape } from "../shape.ts";
import type { ChildLimits, SandboxLimits } from "./limits.ts";

/** A row of the method table as the prelude makes a member of it. */
export interface MemberRow {
  readonly name: string;
  readonly box: Box;
  readonly permission: readonly string[];
  /** Without the permission it answers otherwise instead of raising. */
  readonly degrades: boolean;
  readonly isAsync: boolean;
  readonly getter: boolean;
  readonly commandOnly: boolean;
  readonly inFactory: boolean;
  readonly args: readonly Shape[];
}

/** What the prelude of a guest is told once, as JSON (sandbox spec §3.1). */
export interface GuestSettings {
  readonly id: string;
  readonly limits: ChildLimits & Pick<SandboxLimits, "handlers" | "registrations">;
  readonly rows: readonly MemberRow[];
  /** Names that `api.supports` answers with true. */
  readonly supported: readonly string[];
  readonly apiKey: string;
  /** Key of the context behind functions of `coppice/ai`. */
  readonly contextKey: string;
  /** Real path of the package folder. */
  readonly root: string;
  /** Globals that a module of the host provides: name → module. */
  readonly globals: Readonly<Record<string, string>>;
  /** Fixed values for the host's modules (sandbox spec §6.2). */
  readonly world: Readonly<Record<string, unknown>>;
  /** 64 hexadecimal digits: the seed of the guest's own random numbers. */
  readonly seed: string;
}

/** A context as it crosses: who may call with it, and for which invocation. */
export interface WireLease {
  readonly key: string;
  readonly isCommand: boolean;
  /** The invocation that it came with. */
  readonly n: number;
}
