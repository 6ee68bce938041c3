import type { Death } from "./host-process.ts";
import type { GuestFigures } from "./protocol.ts";

/** A guest as it stood when its host died. */
export interface Standing {
  readonly g: number;
  readonly isLoading: boolean;
  /** Something was asked of it and not answered. */
  readonly isAsked: boolean;
}

/** Who is to blame for the death of a host (sandbox spec §2.6). */
export interface Verdict {
  readonly culprit?: number;
  /** More than one: none is blamed, each starts alone next. */
  readonly suspects: readonly number[];
}

/**
 * The package that a fault has named, else those that were loading or had an unsettled turn, and for
 * memory those that computed of late. One suspect is the culprit; of several none is blamed.
 */
export function verdictOn(
  death: Death,
  guests: readonly Standing[],
  named: number | undefined,
): Verdict {
  if (named !== undefined) return { culprit: named, suspects: [] };
  const busy = new Set(death.figures.filter((figures) => figures.busy).map(({ g }) => g));
  const isSuspect = ({ g, isLoading, isAsked }: Standing) =>
    isLoading || isAsked || busy.has(g) || (death.kind === "rss" && hasGrown(death, g));
  const suspects = guests.filter(isSuspect).map(({ g }) => g);
  const [only] = suspects;
  return only !== undefined && suspects.length === 1
    ? { culprit: only, suspects: [] }
    : { suspects };
}

function hasGrown({ figures, earlier }: Death, g: number): boolean {
  const now = cpuOf(figures, g);
  return now > cpuOf(earlier, g);
}

function cpuOf(figures: readonly GuestFigures[], g: number): number {
  return figures.find((one) => one.g === g)?.cpu ?? 0;
}
