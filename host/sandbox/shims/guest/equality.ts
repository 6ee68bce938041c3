import { dequal } from "dequal";

/** As `util.isDeepStrictEqual`: same types, same prototypes at the top, own values alike. */
export function isDeepStrictEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  return dequal(left, right);
}

/** As `assert.deepEqual`: values of different types may be equal to each other. */
export function isDeepLooseEqual(left: unknown, right: unknown): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: the looser comparison is what is asked for
  if (left == right) return true;
  if (!isObject(left) || !isObject(right)) return false;
  if (dequal(left, right)) return true;
  const keys = Object.keys(left);
  if (keys.length === 0 || keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isDeepLooseEqual(left[key], right[key]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
