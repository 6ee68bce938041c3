/**
 * Builtins as they were before any code of a guest ran. A guest may patch and delete what it likes:
 * what crosses the border goes on working from these (sandbox spec §3.1).
 */
export const { apply, construct } = Reflect;
export const { defineProperty, freeze, keys } = Object;
const { create, getPrototypeOf } = Object;
export const { stringify, parse } = JSON;
export const { isArray } = Array;
export const dateNow = Date.now;

const { hasOwnProperty: hasOwnKey, isPrototypeOf: isAbove } = Object.prototype;
const { exec } = RegExp.prototype;
const { indexOf, slice, charCodeAt } = String.prototype;
const { push, splice } = Array.prototype;
const typedArrayTag = Object.getOwnPropertyDescriptor(
  getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get as () => string | undefined;
const { eval: isolatedEval } = globalThis;

export function hasOwn(object: object, key: PropertyKey): boolean {
  return apply(hasOwnKey, object, [key]);
}

export function isError(value: unknown): value is Error {
  return apply(isAbove, Error.prototype, [value]);
}

/** `Uint8Array` and its like, or `undefined` for what is no view of bytes. */
export function typedArrayName(value: object): string | undefined {
  return apply(typedArrayTag, value, []);
}

export function textIndex(text: string, part: string): number {
  return apply(indexOf, text, [part]);
}

export function textFrom(text: string, start: number, end?: number): string {
  return apply(slice, text, [start, end]);
}

export function codeAt(text: string, at: number): number {
  return apply(charCodeAt, text, [at]);
}

/** Whether a pattern without flags matches. */
export function matches(pattern: RegExp, text: string): boolean {
  return apply(exec, pattern, [text]) !== null;
}

export function append<T>(list: T[], value: T): void {
  apply(push, list, [value]);
}

export function removeAt(list: unknown[], at: number): void {
  apply(splice, list, [at, 1]);
}

/** Runs a script in the guest's own realm. */
export function evaluate(text: string): unknown {
  return apply(isolatedEval, undefined, [text]);
}

/** A table of the prelude: no prototype, so that a key is there only if it was put there. */
export type Table<T> = Record<string | number, T>;

export function table<T>(): Table<T> {
  return create(null) as Table<T>;
}

/** The value at a key, made when it is first asked for. */
export function known<T>(values: Table<T>, key: string | number, make: () => T): T {
  const value = values[key] ?? make();
  values[key] = value;
  return value;
}

/** All builtins of the realm by name, for texts of the host that are evaluated later. */
export const BUILTINS: Table<unknown> = table();
const present = globalThis as unknown as Table<unknown>;
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const isBuiltin =
    /^[A-Z]/.test(name) && !/^(Infinity|NaN|WebAssembly|SharedArrayBuffer|Atomics)$/.test(name);
  if (isBuiltin) BUILTINS[name] = present[name];
}
export const BUILTIN_NAMES = Object.keys(BUILTINS).join(", ");
