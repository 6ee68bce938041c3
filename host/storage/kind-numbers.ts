import type { RowKind, RowTable } from "../../core/index.ts";
import type { Names } from "./names.ts";

/** The names of a kind by their numbers; 0 is none. */
export interface KindNames {
  readonly type: number;
  readonly role: number;
  readonly toolName: number;
  readonly stopReason: number;
  readonly customType: number;
  readonly hasText: boolean;
}

/** So many names of one sort fit into the key of a kind. */
const MOST_NAMES = 1000;

/** Numbers of kinds in a table of rows, found by the numbers of their names. */
export class KindNumbers {
  readonly #table: RowTable;
  readonly #names: Names;
  readonly #byKey = new Map<number, number>();

  constructor(table: RowTable, names: Names) {
    this.#table = table;
    this.#names = names;
  }

  /** `undefined` where there are more names than a key can hold. */
  numberOf(kind: KindNames): number | undefined {
    const { type, role, toolName, stopReason, customType, hasText } = kind;
    if (Math.max(type, role, toolName, stopReason, customType) >= MOST_NAMES) return undefined;
    const names = ((type * MOST_NAMES + role) * MOST_NAMES + toolName) * MOST_NAMES + stopReason;
    const key = (names * MOST_NAMES + customType) * 2 + (hasText ? 1 : 0);
    let number = this.#byKey.get(key);
    if (number === undefined) {
      number = this.#table.kindNumber(this.#kindOf(kind));
      this.#byKey.set(key, number);
    }
    return number;
  }

  #kindOf({ hasText, ...numbers }: KindNames): RowKind {
    const { type = "", ...rest } = Object.fromEntries(
      Object.entries(numbers).flatMap(([field, number]) => {
        const text = this.#names.text(number);
        return text === undefined ? [] : [[field, text]];
      }),
    );
    return { type, hasText, ...rest };
  }
}
