import { sandboxError } from "../errors.ts";
import type { ChildLimits } from "../limits.ts";
import { byteLength } from "./bytes.ts";
import { apply } from "./captured.ts";

type PostFunction = (kind: string, a: number | string, b: string | number) => void;
/** The engine's handle on the one call that blocks; held here and nowhere else. */
interface WaitHandle {
  applySyncPromise(receiver: undefined, values: readonly [string]): string;
}

export interface BorderParts {
  readonly post: PostFunction;
  readonly wait: WaitHandle | undefined;
  readonly limits: ChildLimits;
}

/**
 * The way out of the isolate. Neither of its two functions is stored on an object or given to a
 * function: they are operands of a captured `apply`, and nothing else (sandbox spec §3.1).
 */
export interface Border {
  /** Sends a message. Raises LIMIT_EXCEEDED beyond what a turn may send. */
  send(kind: string, a: number | string, b: string): void;
  /** Sends a result: not counted, but bounded. */
  sendResult(kind: "result" | "error", n: number, b: string): void;
  /** One line of the log; what is too much in one turn is counted instead. */
  log(level: string, text: string): void;
  timer(kind: "timeout" | "interval" | "clear", id: number, ms: number): void;
  /** Blocks until the host has answered; `""` if it may not be used now. */
  wait(text: string): string;
  readonly canWait: boolean;
  /** A new turn begins: the counts start again. */
  turnStarts(): void;
  turnEnds(): void;
}

export function borderOf({ post, wait, limits }: BorderParts): Border {
  const { turnMessages, turnBytes, messageBytes, resultBytes, turnLogLines } = limits;
  let messages = 0;
  let bytes = 0;
  let lines = 0;
  const count = (b: string) => {
    const size = byteLength(b);
    if (messages + 1 > turnMessages) throw over("messages in one turn", turnMessages);
    if (size > messageBytes) throw over("bytes of one message", messageBytes);
    if (bytes + size > turnBytes) throw over("bytes in one turn", turnBytes);
    messages++;
    bytes += size;
  };
  return {
    send(kind, a, b) {
      count(b);
      apply(post, undefined, [kind, a, b]);
    },
    sendResult(kind, n, b) {
      if (byteLength(b) > resultBytes) throw over("bytes of a result", resultBytes);
      apply(post, undefined, [kind, n, b]);
    },
    log(level, text) {
      if (++lines <= turnLogLines) apply(post, undefined, ["log", level, text]);
    },
    timer(kind, id, ms) {
      count("");
      apply(post, undefined, [kind, id, ms]);
    },
    wait(text) {
      if (wait === undefined) return "";
      return apply(wait.applySyncPromise, wait, [undefined, [text]]) as string;
    },
    canWait: wait !== undefined,
    turnStarts() {
      messages = 0;
      bytes = 0;
      lines = 0;
    },
    turnEnds() {
      if (lines <= turnLogLines) return;
      apply(post, undefined, ["log", "warn", `${lines - turnLogLines} more lines were dropped`]);
    },
  };
}

function over(limit: string, value: number): Error {
  return sandboxError("LIMIT_EXCEEDED", { limit, value });
}
