import { coreError } from "../core/index.ts";
import type { ContributionPoint, Contributions as Points } from "./contributions-types.ts";
import { hostError } from "./errors.ts";
import type { Extension, Instance } from "./extension.ts";
import { type Claim, NameTable } from "./names.ts";
import { errorParts, type Reports } from "./reports.ts";
import { misfit, type Shape } from "./shape.ts";

/** Milliseconds that an answer of a contribution may take (extensions spec §2.10). */
const ANSWER_MS = 1000;

interface PointRow {
  readonly shape: Shape;
  readonly permissions: readonly string[];
}

const POINTS: Readonly<Record<ContributionPoint, PointRow>> = {
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

/** A value and the instance that contributed it. */
export interface Contribution<P extends ContributionPoint = ContributionPoint> extends Claim {
  readonly point: P;
  readonly value: Points[P];
  readonly instance: Instance;
}

/** What extensions add to points of the host. */
export class Contributions {
  readonly #reports: Reports;
  readonly #preferred: (name: string) => string | undefined;
  readonly #points = new Map<string, NameTable<Contribution>>();

  constructor(reports: Reports, preferred: (name: string) => string | undefined = () => undefined) {
    this.#reports = reports;
    this.#preferred = preferred;
  }

  /** Permissions that a contribution to a point needs. Raises INVALID_ARGUMENT for an unknown one. */
  static permissionsOf(point: string): readonly string[] {
    return rowOf(point).permissions;
  }

  /** Raises INVALID_ARGUMENT for what does not fit a point, or may not be given by an extension. */
  static check(point: string, value: unknown, { firstParty }: Extension): void {
    const reason = misfit(rowOf(point).shape, value, point);
    if (reason !== undefined) throw coreError("INVALID_ARGUMENT", { argument: point, reason });
    if (point === "cli.command" && !firstParty) throw unknownPoint(point);
  }

  /** Adds what has passed `check`; gives the undo. */
  add(point: ContributionPoint, value: object, instance: Instance): () => void {
    const { id, name } = value as { readonly id?: string; readonly name?: string };
    const { extension } = instance;
    const contribution = { point, value, instance, extension, name: id ?? name ?? "" };
    return this.#tableOf(point).add(contribution as Contribution);
  }

  /** Values of a point in display order: by `order`, then in load order. */
  get<P extends ContributionPoint>(point: P): readonly Points[P][] {
    return this.#tableOf(point)
      .entries()
      .sort(([, a], [, b]) => orderOf(a) - orderOf(b))
      .map(([name, contribution]) => this.#guarded(name, contribution) as Points[P]);
  }

  /** Who draws `ctx.ui.pickEntry`: whom the user prefers, else the first-party one, else the first. */
  picker(): Contribution<"entry.picker"> | undefined {
    const pickers = this.#tableOf("entry.picker")
      .entries()
      .map(([, contribution]) => contribution as unknown as Contribution<"entry.picker">);
    const preferred = this.#preferred("entry.picker");
    return (
      pickers.find(({ extension }) => extension.id === preferred) ??
      pickers.find(({ extension }) => extension.firstParty) ??
      pickers[0]
    );
  }

  /** The verb of a name and the instance that gave it. */
  verb(name: string): Contribution<"cli.command"> | undefined {
    const found = this.#tableOf("cli.command").find(name);
    return found as unknown as Contribution<"cli.command"> | undefined;
  }

  #tableOf(point: ContributionPoint): NameTable<Contribution> {
    const known = this.#points.get(point);
    if (known) return known;
    const table = new NameTable<Contribution>({
      kind: point,
      reports: this.#reports,
      preferred: (name) => this.#preferred(`${point}:${name}`),
      alias: (name, owner) => `${name}:${owner}`,
    });
    this.#points.set(point, table);
    return table;
  }

  /** A value under the name it goes by, whose failures are reported under its owner's name. */
  #guarded(name: string, contribution: Contribution): Points[ContributionPoint] {
    const { point, value } = contribution;
    if (point === "tree.filter") {
      const { predicate } = value as Points["tree.filter"];
      const guarded = (rows: readonly never[], view: never) =>
        this.#answer(contribution, () => predicate.call(value, rows, view), "boolean", rows.length);
      return { ...value, id: name, predicate: guarded } as unknown as Points["tree.filter"];
    }
    if (point === "tree.rowText") {
      const { text } = value as Points["tree.rowText"];
      const guarded = (rows: readonly never[], view: never) =>
        this.#answer(contribution, () => text.call(value, rows, view), "string?", rows.length);
      return { ...value, id: name, text: guarded } as unknown as Points["tree.rowText"];
    }
    if (point !== "status.item") return value;
    const { text } = value as Points["status.item"];
    const guarded = (state: never) => this.#item(contribution, () => text.call(value, state));
    return { ...value, id: name, text: guarded } as unknown as Points["status.item"];
  }

  /** Text of a status item; one that fails disappears. */
  #item(contribution: Contribution, ask: () => unknown): string | undefined {
    try {
      const text = ask() ?? undefined;
      const wrong = misfit("string?", text, "answer");
      if (wrong === undefined) return text as string | undefined;
      this.#report(contribution, "HOOK_RESULT_INVALID", { message: wrong });
    } catch (error) {
      this.#report(contribution, "HOOK_FAILED", errorParts(error));
    }
    return undefined;
  }

  async #answer(
    contribution: Contribution,
    ask: () => unknown,
    shape: Shape,
    length: number,
  ): Promise<unknown> {
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
    const reason = "its answer was not used";
    const { extension, point: event } = contribution;
    throw hostError("HOOK_FAILED", { extension: extension.id, event, reason });
  }

  #report(
    { extension, point }: Contribution,
    code: string,
    parts: { message: string; stack?: string },
  ): void {
    const { id, version } = extension;
    this.#reports.add({ code, extension: id, version, where: point, ...parts });
  }
}

const TOO_LATE = Symbol("too late");

function orderOf({ value }: Contribution): number {
  return (value as { readonly order?: number }).order ?? 0;
}

function rowOf(point: string): PointRow {
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
