import { createInterface, type Interface } from "node:readline";

/** The streams through which a person is asked without a screen; the question goes beside the data. */
export interface QuestionStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks one line after the other. */
export interface LineQuestions {
  /** The line without blanks around it; `undefined` at the end of the input. */
  ask(prompt: string): Promise<string | undefined>;
  close(): void;
}

/** Opens a series of questions; the signal ends the one that is asked, with its reason. */
export function openQuestions(
  { input, output }: QuestionStreams,
  signal: AbortSignal | undefined,
): LineQuestions {
  // Without line editing of its own: a signal that is typed reaches the process.
  const lines = createInterface({ input, terminal: false });
  let isOver = false;
  lines.once("close", () => {
    isOver = true;
  });
  return {
    async ask(prompt) {
      signal?.throwIfAborted();
      output.write(prompt);
      return isOver ? undefined : nextLine(lines, signal);
    },
    close: () => lines.close(),
  };
}

function nextLine(lines: Interface, signal: AbortSignal | undefined): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => settle(() => reject(signal?.reason));
    const take = (line: string) => settle(() => resolve(line.trim()));
    const end = () => settle(() => resolve(undefined));
    const settle = (finish: () => void) => {
      lines.off("line", take);
      lines.off("close", end);
      signal?.removeEventListener("abort", abort);
      finish();
    };
    lines.on("line", take);
    lines.on("close", end);
    signal?.addEventListener("abort", abort);
  });
}
