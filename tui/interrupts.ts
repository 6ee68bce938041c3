import { EXIT } from "./output.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Signals that ask a run without a screen to end. */
export interface Interrupts {
  /** Aborted by the first of them. */
  readonly signal: AbortSignal;
  /** The exit code of a run that was ended so; `undefined` if none has come. */
  exitCode(): number | undefined;
}

/**
 * Catches the first signal that asks the process to end, so that the run can end in order; the next
 * one ends the process at once.
 */
export function watchInterrupts(process: NodeJS.Process): Interrupts {
  const controller = new AbortController();
  let number: number | undefined;
  const take = (_: NodeJS.Signals, caught: number) => {
    number = caught;
    for (const name of SIGNALS) process.off(name, take);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, take);
  return {
    signal: controller.signal,
    exitCode: () => (number === undefined ? undefined : EXIT.signal + number),
  };
}
