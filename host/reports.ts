import { errorCode, errorMessage } from "../core/index.ts";

/** Something that went wrong in an extension and did not stop the rest (extensions spec §3.4). */
export interface Report {
  readonly code: string;
  readonly extension: string;
  readonly version: string;
  /** Event or member concerned. */
  readonly where: string;
  readonly message: string;
  readonly stack?: string;
  /** Milliseconds since the epoch, of the first of equal reports. */
  readonly time: number;
  readonly count: number;
}

export type NewReport = Omit<Report, "time" | "count">;

/** All reports of a run; equal ones are counted instead of repeated. */
export class Reports {
  readonly #now: () => number;
  readonly #reports = new Map<string, Report>();
  readonly #listeners = new Set<(report: Report) => void>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(report: NewReport): void {
    const key = [report.code, report.extension, report.where, report.message].join("\n");
    const known = this.#reports.get(key);
    const next = known
      ? { ...known, count: known.count + 1 }
      : { ...report, time: this.#now(), count: 1 };
    this.#reports.set(key, next);
    if (!known) for (const listener of this.#listeners) listener(next);
  }

  all(): readonly Report[] {
    return [...this.#reports.values()];
  }

  /** Calls back for every new report; equal ones come once. */
  onReport(listener: (report: Report) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The parts of a report that an error gives; a code of its own stands in the message. */
export function errorParts(error: unknown): { message: string; stack?: string } {
  const code = errorCode(error);
  const message = code ? `${code}: ${errorMessage(error)}` : errorMessage(error);
  const stack = error instanceof Error ? error.stack : undefined;
  return stack === undefined ? { message } : { message, stack };
}
