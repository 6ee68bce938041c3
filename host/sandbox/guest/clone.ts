import { append, isArray, isError, keys, typedArrayName } from "./captured.ts";
import { plainError } from "./errors.ts";
import { DOMException } from "./events.ts";

/** A copy of plain data, dates, maps, sets, patterns, errors and bytes, with its cycles. */
export function structuredClone<T>(value: T): T {
  return copyOf(value, new Map()) as T;
}

function copyOf(value: unknown, seen: Map<object, object>): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new DOMException("a function or symbol cannot be cloned", "DataCloneError");
  }
  if (typeof value !== "object" || value === null) return value;
  return seen.get(value) ?? copyOfObject(value, seen);
}

function copyOfObject(value: object, seen: Map<object, object>): object {
  const special = copyOfSpecial(value, seen);
  if (special) return special;
  const copy: Record<string, unknown> | unknown[] = isArray(value) ? [] : {};
  seen.set(value, copy);
  const names = keys(value);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    (copy as Record<string, unknown>)[name] = copyOf(
      (value as Record<string, unknown>)[name],
      seen,
    );
  }
  return copy;
}

function copyOfSpecial(value: object, seen: Map<object, object>): object | undefined {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (typedArrayName(value) !== undefined) return (value as Uint8Array).slice();
  if (value instanceof Map) return copyOfMap(value, seen);
  if (value instanceof Set) return copyOfSet(value, seen);
  if (!isError(value)) return undefined;
  const copy = plainError(value.message);
  seen.set(value, copy);
  copy.name = value.name;
  return copy;
}

function copyOfMap(map: Map<unknown, unknown>, seen: Map<object, object>): object {
  const copy = new Map<unknown, unknown>();
  seen.set(map, copy);
  const pairs: [unknown, unknown][] = [];
  map.forEach((inner, key) => {
    append(pairs, [key, inner]);
  });
  for (let i = 0; i < pairs.length; i++) {
    const [key, inner] = pairs[i] as [unknown, unknown];
    copy.set(copyOf(key, seen), copyOf(inner, seen));
  }
  return copy;
}

function copyOfSet(set: Set<unknown>, seen: Map<object, object>): object {
  const copy = new Set<unknown>();
  seen.set(set, copy);
  set.forEach((inner) => {
    copy.add(copyOf(inner, seen));
  });
  return copy;
}
