import { dequal } from "dequal";

/** As `util.isDeepStrictEqual`: same types, same prototypes at the top, own values alike. */
export function isDeepStrictEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  return dequal(left, right);
}

/** As `assert.deepEqual`: values of different types may be equal to each other. */
export function isDeepLooseEqual(left: unknown, right: unknown): boolean {
  if (!isObject(left) || !isObject(right)) return isLooseEqual(left, right);
  if (dequal(left, right)) return true;
  const keys = Object.keys(left);
  if (keys.length === 0 || keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isDeepLooseEqual(left[key], right[key]));
}

/** The comparison of two equals signs; for `assert`, NaN is equal to itself. */
export function isLooseEqual(left: unknown, right: unknown): boolean {
  if (typeof left === typeof right) return left === right || Object.is(left, right);
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right);
  if (isObject(left) || isObject(right)) return String(left) === String(right);
  if (typeof left === "symbol" || typeof right === "symbol") return false;
  return Number(left) === Number(right);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
