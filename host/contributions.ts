import { coreError } from "../core/index.ts";
import type { ContributionPoint, Contributions as Points } from "./contributions-types.ts";
import { hostError } from "./errors.ts";
import type { Instance } from "./extension.ts";
import { errorParts, type Reports } from "./reports.ts";
import { misfit, type Shape } from "./shape.ts";

/** Milliseconds that an answer of a contribution may take (extensions spec §2.10). */
const ANSWER_MS = 1000;

const POINTS: Readonly<
  Record<ContributionPoint, { shape: Shape; permissions: readonly string[] }>
> = {
  "tree.filter": {
    shape: { id: "string", title: "string", tag: "string", predicate: "function" },
    permissions: ["session:read"],
  },
  "tree.rowText": {
    shape: { id: "string", text: "function" },
    permissions: ["session:read", "ui:render"],
  },
  "entry.picker": {
    shape: { id: "string", pick: "function" },
    permissions: ["session:read", "ui:render"],
  },
  "status.item": { shape: { id: "string", text: "function" }, permissions: ["ui"] },
  "cli.command": { shape: { name: "string", run: "function" }, permissions: [] },
};

interface Contribution {
  readonly point: ContributionPoint;
  readonly value: Points[ContributionPoint];
  readonly instance: Instance;
}

/** What extensions add to points of the host. */
export class Contributions {
  readonly #reports: Reports;
  readonly #all: Contribution[] = [];

  constructor(reports: Reports) {
    this.#reports = reports;
  }

  /** Permissions that a contribution to a point needs. Raises INVALID_ARGUMENT for an unknown one. */
  static permissionsOf(point: string): readonly string[] {
    return rowOf(point).permissions;
  }

  add(point: string, value: unknown, instance: Instance): () => void {
    const wrong = misfit(rowOf(point).shape, value, point);
    if (wrong !== undefined)
      throw coreError("INVALID_ARGUMENT", { argument: point, reason: wrong });
    if (point === "cli.command" && !instance.extension.firstParty) throw unknownPoint(point);
    const added = { point, value, instance } as Contribution;
    this.#all.push(added);
    return () => {
      const at = this.#all.indexOf(added);
      if (at >= 0) this.#all.splice(at, 1);
    };
  }

  /** Values of a point in display order: by `order`, then as they were added. */
  get<P extends ContributionPoint>(point: P): readonly Points[P][] {
    const values = this.#all.filter((c) => c.point === point).map((c) => this.#guarded(c));
    return (values as { order?: number }[]).sort(
      (a, b) => (a.order ?? 0) - (b.order ?? 0),
    ) as unknown as Points[P][];
  }

  /** The verb of a name and the instance that gave it. */
  verb(name: string): { value: Points["cli.command"]; instance: Instance } | undefined {
    const found = this.#all.find(
      ({ point, value }) =>
        point === "cli.command" && (value as Points["cli.command"]).name === name,
    );
    return found && { value: found.value as Points["cli.command"], instance: found.instance };
  }

  /** A filter or row text whose failures are reported under its owner's name. */
  #guarded(contribution: Contribution): Points[ContributionPoint] {
    const { point, value } = contribution;
    if (point === "tree.filter") {
      const { predicate } = value as Points["tree.filter"];
      const guarded = (rows: readonly never[], view: never) =>
        this.#answer(contribution, () => predicate.call(value, rows, view), "boolean", rows.length);
      return { ...value, predicate: guarded } as unknown as Points["tree.filter"];
    }
    if (point === "tree.rowText") {
      const { text } = value as Points["tree.rowText"];
      const guarded = (rows: readonly never[], view: never) =>
        this.#answer(contribution, () => text.call(value, rows, view), "string?", rows.length);
      return { ...value, text: guarded } as unknown as Points["tree.rowText"];
    }
    return value;
  }

  async #answer(
    contribution: Contribution,
    ask: () => unknown,
    shape: Shape,
    length: number,
  ): Promise<unknown> {
    const failed = hostError("HOOK_FAILED", {
      extension: contribution.instance.extension.id,
      event: contribution.point,
      reason: "its answer was not used",
    });
    try {
      const answer = await inTime((async () => ask())());
      const wrong = misfit([shape], answer, "answer") ?? wrongLength(answer, length);
      if (wrong === undefined) return answer;
      this.#report(contribution, "HOOK_RESULT_INVALID", { message: wrong });
    } catch (error) {
      const code = error === TOO_LATE ? "HOOK_TIMEOUT" : "HOOK_FAILED";
      const parts = error === TOO_LATE ? { message: `over ${ANSWER_MS} ms` } : errorParts(error);
      this.#report(contribution, code, parts);
    }
    throw failed;
  }

  #report(
    { instance, point }: Contribution,
    code: string,
    parts: { message: string; stack?: string },
  ): void {
    const { id, version } = instance.extension;
    this.#reports.add({ code, extension: id, version, where: point, ...parts });
  }
}

const TOO_LATE = Symbol("too late");

function rowOf(point: string): (typeof POINTS)[ContributionPoint] {
  const row = Object.hasOwn(POINTS, point) ? POINTS[point as ContributionPoint] : undefined;
  if (!row) throw unknownPoint(point);
  return row;
}

function unknownPoint(point: string): Error {
  const reason = `no point for this extension; there are ${Object.keys(POINTS).join(", ")}`;
  return coreError("INVALID_ARGUMENT", { argument: `contribution ${point}`, reason });
}

function wrongLength(answer: unknown, length: number): string | undefined {
  const got = (answer as readonly unknown[]).length;
  return got === length ? undefined : `answer has ${got} elements, not ${length}`;
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(TOO_LATE), ANSWER_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
