import { cleanLine } from "../text/index.ts";

export interface LogLine {
  readonly level: string;
  readonly text: string;
}

const LINES = 500;
const LENGTH = 4000;

/** What packages in the sandbox have written to their logs: the last lines of each. */
export class PackageLogs {
  readonly #logs = new Map<string, LogLine[]>();

  add(id: string, level: string, text: string): void {
    const lines = this.#logs.get(id) ?? [];
    this.#logs.set(id, lines);
    lines.push({ level: cleanLine(level), text: cleanLine(text.slice(0, LENGTH)) });
    if (lines.length > LINES) lines.shift();
  }

  of(id: string): readonly LogLine[] {
    return this.#logs.get(id) ?? [];
  }
}
