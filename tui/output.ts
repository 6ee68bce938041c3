import { CoppiceError, errorMessage } from "../core/index.ts";
import { cleanLine } from "../host/index.ts";
import { tuiError } from "./errors.ts";

/** Exit codes: architecture §6. A run ended by a signal gives 128 and the number of the signal. */
export const EXIT = { done: 0, failed: 1, usage: 2, consent: 3, signal: 128 } as const;

/** The streams of a process that a run writes to. */
export interface OutputStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/**
 * Where a run without a screen writes: data to stdout, everything else to stderr, a line each. A
 * reader that has gone (EPIPE) is no failure: what follows is dropped in silence.
 */
export class Output {
  readonly #streams: OutputStreams;
  readonly #shut = new Set<NodeJS.WritableStream>();
  #failure: Error | undefined;

  constructor(streams: OutputStreams) {
    this.#streams = streams;
    for (const stream of [streams.stdout, streams.stderr]) {
      stream.on("error", (error: NodeJS.ErrnoException) => {
        this.#shut.add(stream);
        if (error.code !== "EPIPE") this.#failure ??= error;
      });
    }
  }

  /** Writes data as it stands; text of others must have been cleaned. */
  write(text: string): void {
    this.#put(this.#streams.stdout, text);
  }

  /** Says something beside the data, cleaned, on one line of stderr. */
  note(text: string): void {
    this.#put(this.#streams.stderr, `${cleanLine(text)}\n`);
  }

  /** Waits until everything is written. Raises OUTPUT_FAILED if some of the data was not. */
  async flush(): Promise<void> {
    await this.#flushed(this.#streams.stdout);
    await this.#flushed(this.#streams.stderr);
    if (!this.#failure) return;
    throw tuiError("OUTPUT_FAILED", { reason: errorMessage(this.#failure) }, this.#failure);
  }

  #put(stream: NodeJS.WritableStream, text: string): void {
    if (!this.#shut.has(stream)) stream.write(text);
  }

  #flushed(stream: NodeJS.WritableStream): Promise<void> {
    if (this.#shut.has(stream)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        stream.off("error", done);
        resolve();
      };
      stream.once("error", done);
      stream.write("", done);
    });
  }
}

/** The exit code of a run that ends with an error (architecture §6). */
export function exitCodeOf(code: string): number {
  if (code === "USAGE") return EXIT.usage;
  return code === "CONSENT_REQUIRED" ? EXIT.consent : EXIT.failed;
}

/**
 * Says what went wrong, on one line: code and sentence of a typed error, else that it is a mistake
 * of the program, with its stack if COPPICE_DEBUG is 1. Gives the exit code.
 */
export function reportError(
  output: Output,
  error: unknown,
  env: Readonly<Record<string, string | undefined>>,
): number {
  if (error instanceof CoppiceError) {
    output.note(`${error.code}: ${error.message}`);
    return exitCodeOf(error.code);
  }
  const isDebugging = env.COPPICE_DEBUG === "1";
  const hint = isDebugging ? "" : "; COPPICE_DEBUG=1 shows where";
  output.note(
    `unexpected error, a mistake in coppice or an extension: ${errorMessage(error)}${hint}`,
  );
  if (isDebugging && error instanceof Error) {
    for (const line of (error.stack ?? "").split("\n")) output.note(line);
  }
  return EXIT.failed;
}
