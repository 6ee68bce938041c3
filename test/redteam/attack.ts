import type { SandboxLimits } from "../../host/sandbox/limits.ts";
import type { Arena } from "./world.ts";

/**
 * An attack as data. Its package is `module`, or is made of `top` (module level), `command` (body of
 * `/attack`, whose value it says) and `input` (body of a handler of `input`).
 */
export interface Attack {
  readonly id: string;
  readonly title: string;
  readonly module?: string;
  readonly top?: string;
  readonly command?: string;
  readonly input?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly limits?: Partial<SandboxLimits>;
  /** Permissions of the package beside those to register and to speak. */
  readonly permissions?: readonly string[];
  /** Loaded after the canary instead of before it. */
  readonly isLast?: boolean;
  /** Before the package is loaded; gets its folder. */
  prepare?(folder: string): void;
  /** Absent: the command is run and the event is sent, whichever there is. */
  drive?(arena: Arena): Promise<void>;
  /** What the package must have said; beside `fault` either of them is enough. */
  readonly says?: RegExp;
  /** Kinds of fault, one of which ended it. */
  readonly fault?: readonly string[];
  /** Codes that reports about the attacker may have, beside that of its fault. */
  readonly reports?: readonly string[];
  /** More that must hold. */
  check?(arena: Arena): void;
  /** What the row cannot show in this version, and what it shows instead. */
  readonly note?: string;
  /** Why it does not hold yet. */
  readonly open?: string;
}
