import { CoppiceError, errorCode } from "../core/index.ts";
import { cleanText } from "../host/index.ts";
import { ALTERNATE_SCREEN, GONE, ifThere, RESTORE_SEQUENCES, writeNow } from "./terminal-bytes.ts";

/** Why the program ends, and its exit code. */
export type Ending =
  | { readonly reason: "signal"; readonly signal: NodeJS.Signals; readonly exitCode: number }
  | { readonly reason: "error"; readonly error: unknown; readonly exitCode: number }
  | { readonly reason: "inputClosed" | "outputClosed"; readonly exitCode: 0 };

/** A terminal to write to; `fd` is for what must be written past every buffer. */
export type TerminalOutput = NodeJS.WriteStream & { readonly fd: number };

export interface TerminalOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: TerminalOutput;
  /** What `entrySequences` gives. */
  readonly entry: string;
  /** Called before the terminal is restored, to drop what is buffered for it. */
  readonly onRestore: () => void;
  /** Called when the screen is ours again after a stop, to repaint all. */
  readonly onResume: () => void;
  /**
   * Called once the terminal is restored, as the program is about to end; closes the session. What it
   * gives is printed on the normal screen. It has two seconds.
   */
  readonly onEnd: (ending: Ending) => string | undefined | Promise<string | undefined>;
}

type Listener = (argument: unknown) => void;

const END_SIGNALS: readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGQUIT", 131],
  ["SIGTERM", 143],
];

const CLOSING_TIME = 2000;
/** A stop that did not happen, as the process group has no shell above it, is over after so many milliseconds. */
const STOP_TIME = 500;

/**
 * Owns the state of the terminal from `enter` to `close`: raw mode, the sequences switched on, the
 * signals of the process (tui spec §1.8). The terminal is restored whichever way the program ends.
 */
export class Terminal {
  readonly #options: TerminalOptions;
  readonly #processListeners: ReadonlyMap<string, Listener>;
  readonly #onStop = (): void => this.suspend();
  readonly #onContinue = (): void => this.#continue();
  readonly #onOutputError = (error: unknown): void => this.#streamFailed(error, "outputClosed");
  readonly #onInputError = (error: unknown): void => this.#streamFailed(error, "inputClosed");
  readonly #onInputEnd = (): void => this.#end({ reason: "inputClosed", exitCode: 0 });
  #isOurs = false;
  #ending: Ending | undefined;
  #stopTimer: NodeJS.Timeout | undefined;

  constructor(options: TerminalOptions) {
    this.#options = options;
    const onError = (error: unknown): void => this.#end({ reason: "error", error, exitCode: 1 });
    this.#processListeners = new Map<string, Listener>([
      ["exit", () => this.restore()],
      ["uncaughtException", onError],
      ["unhandledRejection", onError],
      ["SIGTSTP", this.#onStop],
      ["SIGCONT", this.#onContinue],
      ...END_SIGNALS.map(([signal, exitCode]): [string, Listener] => [
        signal,
        () => this.#end({ reason: "signal", signal, exitCode }),
      ]),
    ]);
  }

  /** True while the screen is ours and may be painted on. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** Takes over signals and errors. Comes before anything is written, so that all of it is taken back. */
  install(): void {
    const events: NodeJS.EventEmitter = process;
    for (const [event, listener] of this.#processListeners) events.on(event, listener);
    this.#options.stdout.on("error", this.#onOutputError);
    this.#options.stdin.on("error", this.#onInputError);
    this.#options.stdin.on("end", this.#onInputEnd);
  }

  /** Raw mode and the entry sequences; the alternate screen has been entered already. */
  enter(): void {
    this.#isOurs = true;
    this.#options.stdout.write(this.#options.entry);
    this.#takeInput();
  }

  /** The normal screen as it was, raw mode off. Synchronous, and does nothing the second time. */
  restore(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    this.#options.onRestore();
    writeNow(this.#options.stdout.fd, RESTORE_SEQUENCES);
    ifThere(() => this.#options.stdin.setRawMode(false));
  }

  /** Stops the process as Ctrl+Z does in a shell; `fg` brings the screen back. */
  suspend(): void {
    if (!this.#isOurs || process.platform === "win32") return;
    this.restore();
    this.#options.stdin.pause();
    process.removeListener("SIGTSTP", this.#onStop);
    // Without something to wait for, the process would end when it goes on.
    this.#stopTimer = setTimeout(this.#onContinue, STOP_TIME);
    process.kill(0, "SIGTSTP");
  }

  /** Restores the terminal and gives signals, errors and input back. */
  close(): void {
    this.restore();
    clearTimeout(this.#stopTimer);
    const events: NodeJS.EventEmitter = process;
    for (const [event, listener] of this.#processListeners) events.off(event, listener);
    this.#options.stdout.off("error", this.#onOutputError);
    this.#options.stdin.off("error", this.#onInputError);
    this.#options.stdin.off("end", this.#onInputEnd);
    this.#options.stdin.pause();
  }

  #continue(): void {
    if (this.#ending !== undefined) return;
    clearTimeout(this.#stopTimer);
    if (this.#stopTimer !== undefined) process.on("SIGTSTP", this.#onStop);
    this.#stopTimer = undefined;
    // Stopped without notice (SIGSTOP), the shell may have changed anything: take it all back first.
    this.restore();
    // In the background this stops the process again, before it has written anything to the shell.
    this.#takeInput();
    this.#isOurs = true;
    this.#options.stdout.write(ALTERNATE_SCREEN + this.#options.entry);
    this.#options.onResume();
  }

  #takeInput(): void {
    this.#options.stdin.setRawMode(true);
    this.#options.stdin.resume();
  }

  #streamFailed(error: unknown, reason: "inputClosed" | "outputClosed"): void {
    if (GONE.has(errorCode(error) ?? "")) this.#end({ reason, exitCode: 0 });
    else this.#end({ reason: "error", error, exitCode: 1 });
  }

  /** Restores, lets the program close what is open, prints what is to be read, and exits. */
  #end(ending: Ending): void {
    this.restore();
    const earlier = this.#ending;
    if (earlier === undefined) {
      this.#ending = ending;
      // A terminal that goes away ends the input and sends a signal, in either order: the signal counts.
      setImmediate(() => void this.#finish(ending));
    } else if (ending.reason === "error") writeNow(2, `${errorReport(ending.error)}\n`);
    else if (ending.reason === "signal" && earlier.reason === "signal") this.#exit();
    else if (ending.reason === "signal") this.#ending = ending;
  }

  async #finish(ending: Ending): Promise<void> {
    setTimeout(() => this.#exit(), CLOSING_TIME).unref();
    if (ending.reason === "error") writeNow(2, `${errorReport(ending.error)}\n`);
    try {
      const report = await this.#options.onEnd(ending);
      if (report !== undefined) writeNow(this.#options.stdout.fd, report);
    } catch (error) {
      writeNow(2, `${errorReport(error)}\n`);
    }
    this.#exit();
  }

  #exit(): never {
    process.exit(this.#ending?.exitCode);
  }
}

/** Our own errors are one line; of others, which are faults of the program, the stack is wanted. */
function errorReport(error: unknown): string {
  if (error instanceof CoppiceError) return cleanText(`${error.code}: ${error.message}`);
  return cleanText(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
