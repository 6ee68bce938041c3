import { hostError } from "../../errors.ts";
import type { Border } from "./border.ts";
import { apply, evaluate, isArray, parse, stringify } from "./captured.ts";
import { errorText, markOwn } from "./guest-errors.ts";
import type { GuestFunction, References } from "./references.ts";
import { decode, encodeValue, type Marks } from "./wire.ts";

type Package = (require: (name: string) => unknown, root: string) => Promise<unknown>;

export interface RunnerParts {
  readonly id: string;
  readonly root: string;
  readonly border: Border;
  readonly references: References;
  readonly marks: Marks;
  readonly api: object;
  require(name: string): unknown;
}

/** Runs what the host asks for; every result goes out by `post`, inside the turn (sandbox spec §3.1). */
export class Runner {
  readonly #parts: RunnerParts;
  #entries: readonly unknown[] = [];

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Evaluates the package; its result is the number of its entries. */
  load(n: number, code: string): void {
    void this.#settle(n, async () => {
      const { id, require, root } = this.#parts;
      const run = evaluate(`${code}\n//# sourceURL=ext:${id}`) as Package;
      const entries = await apply(run, undefined, [require, root]);
      this.#entries = isArray(entries) ? entries : [];
      return this.#entries.length;
    });
  }

  /** Runs the factory of an entry. */
  factory(n: number, index: number): void {
    void this.#settle(n, async () => {
      const factory = factoryOf(this.#entries[index]);
      if (factory === undefined) {
        const reason = "its default export is no function";
        const { id: extension } = this.#parts;
        const entry = `entry ${index + 1}`;
        throw markOwn(hostError("EXTENSION_LOAD_FAILED", { extension, entry, reason }));
      }
      await apply(factory, undefined, [this.#parts.api]);
      return undefined;
    });
  }

  /** Calls a function of the guest in the async lane: its result is that of its promise. */
  run(header: string, text: string): void {
    const { 0: n, 1: id, 2: inPlace } = parse(header) as [number, number, string?];
    void this.#settle(n, async () => {
      const values = decode(text, this.#parts.marks) as unknown[];
      const result = await this.#call(id, values);
      if (typeof inPlace !== "string") return result;
      return { result, edited: (values[0] as Record<string, unknown>)[inPlace] };
    });
  }

  /** Calls a function of the guest in the sync lane: its result is that of this turn. */
  runNow(header: string, text: string): void {
    const [n, id] = parse(header) as [number, number];
    const { border } = this.#parts;
    let result: string;
    try {
      const value = this.#call(id, decode(text, this.#parts.marks) as unknown[]);
      if (isThenable(value)) border.log("warn", "a promise is no answer while something is drawn");
      result = isThenable(value) ? "" : encodeValue(value, "result");
    } catch (error) {
      this.#fail(n, error);
      return;
    }
    border.sendResult("result", n, result);
  }

  #call(id: number, values: readonly unknown[]): unknown {
    const found = this.#parts.references.functionOf(id);
    if (!found) throw hostError("NOT_SUPPORTED", { member: `function ${id}` });
    return apply(found.run as GuestFunction, found.owner, values);
  }

  async #settle(n: number, work: () => Promise<unknown>): Promise<void> {
    try {
      const value = await work();
      this.#parts.border.sendResult("result", n, encodeValue(value, "result"));
    } catch (error) {
      this.#fail(n, error);
    }
  }

  #fail(n: number, error: unknown): void {
    let text: string;
    try {
      text = errorText(error);
    } catch {
      text = stringify({ name: "Error", message: "an error that cannot be read was thrown" });
    }
    this.#parts.border.sendResult("error", n, text);
  }
}

/** The factory of an entry: its default export, also where CommonJS has put it one deeper. */
function factoryOf(entry: unknown): GuestFunction | undefined {
  const first = (entry as { default?: unknown } | undefined)?.default;
  if (typeof first === "function") return first as GuestFunction;
  const second = (first as { default?: unknown } | undefined)?.default;
  return typeof second === "function" ? (second as GuestFunction) : undefined;
}

function isThenable(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}
