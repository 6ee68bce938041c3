import { inspect } from "node-inspect-extracted";
import { isDeepLooseEqual, isDeepStrictEqual, isLooseEqual } from "./equality.ts";

interface Failure {
  readonly message?: string | undefined;
  readonly actual?: unknown;
  readonly expected?: unknown;
  readonly operator: string;
}
type Expected =
  | RegExp
  | (new (
      ...args: never[]
    ) => unknown)
  | ((error: unknown) => boolean)
  | object;

class AssertionError extends Error {
  override readonly name = "AssertionError";
  readonly code = "ERR_ASSERTION";
  readonly actual: unknown;
  readonly expected: unknown;
  readonly operator: string;
  readonly generatedMessage: boolean;

  constructor({ message, actual, expected, operator }: Failure) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    this.generatedMessage = message === undefined;
  }
}

type Message = string | Error | undefined;

function fail(failure: Failure, message?: Message): never {
  if (message instanceof Error) throw message;
  throw new AssertionError(message === undefined ? failure : { ...failure, message });
}

function ok(value: unknown, message?: Message): void {
  if (!value) fail({ actual: value, expected: true, operator: "==" }, message);
}

/** An assertion that compares two values. */
function comparison(operator: string, holds: (actual: unknown, expected: unknown) => boolean) {
  return (actual: unknown, expected: unknown, message?: Message): void => {
    if (!holds(actual, expected)) fail({ actual, expected, operator }, message);
  };
}

function check(error: unknown, expected: Expected | undefined, message: Message, operator: string) {
  if (expected === undefined || matches(error, expected)) return;
  if (typeof expected === "function" && !(error instanceof Error)) throw error;
  fail({ actual: error, expected, operator }, message);
}

function matches(error: unknown, expected: Expected): boolean {
  if (expected instanceof RegExp) return expected.test(String(error));
  if (typeof expected !== "function") {
    return Object.entries(expected).every(([key, value]) => {
      const found = (error as Record<string, unknown> | undefined)?.[key];
      return value instanceof RegExp ? value.test(String(found)) : isDeepStrictEqual(found, value);
    });
  }
  if (expected.prototype !== undefined && error instanceof expected) return true;
  if (expected === Error || expected.prototype instanceof Error) return false;
  return (expected as (error: unknown) => boolean)(error) === true;
}

function thrown(run: () => unknown): { error: unknown } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { error };
  }
}

async function rejected(work: Promise<unknown> | (() => Promise<unknown>)) {
  try {
    await (typeof work === "function" ? work() : work);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function throws(run: () => unknown, expected?: Expected, message?: Message): void {
  const found = thrown(run);
  if (!found)
    fail({ expected, operator: "throws", message: "Missing expected exception." }, message);
  check(found.error, expected, message, "throws");
}

async function rejects(
  work: Promise<unknown> | (() => Promise<unknown>),
  expected?: Expected,
  message?: Message,
): Promise<void> {
  const found = await rejected(work);
  if (!found)
    fail({ expected, operator: "rejects", message: "Missing expected rejection." }, message);
  check(found.error, expected, message, "rejects");
}

function doesNotThrow(run: () => unknown, message?: Message): void {
  const found = thrown(run);
  if (found)
    fail(
      { actual: found.error, operator: "doesNotThrow", message: "Got unwanted exception." },
      message,
    );
}

async function doesNotReject(work: Promise<unknown> | (() => Promise<unknown>), message?: Message) {
  const found = await rejected(work);
  if (found)
    fail(
      { actual: found.error, operator: "doesNotReject", message: "Got unwanted rejection." },
      message,
    );
}

const not =
  (holds: (left: unknown, right: unknown) => boolean) => (left: unknown, right: unknown) =>
    !holds(left, right);
const isMatch = (text: unknown, pattern: unknown) => (pattern as RegExp).test(String(text));

const shared = {
  AssertionError,
  ok,
  fail: (message?: Message): never => fail({ operator: "fail", message: "Failed" }, message),
  strictEqual: comparison("strictEqual", Object.is),
  notStrictEqual: comparison("notStrictEqual", not(Object.is)),
  deepStrictEqual: comparison("deepStrictEqual", isDeepStrictEqual),
  notDeepStrictEqual: comparison("notDeepStrictEqual", not(isDeepStrictEqual)),
  match: comparison("match", isMatch),
  doesNotMatch: comparison("doesNotMatch", not(isMatch)),
  ifError(value: unknown): void {
    if (value !== null && value !== undefined) throw value;
  },
  throws,
  rejects,
  doesNotThrow,
  doesNotReject,
};

const callable = (message: Message | unknown, value?: Message) => ok(message, value);
const strict = Object.assign(callable.bind(null), {
  ...shared,
  equal: shared.strictEqual,
  notEqual: shared.notStrictEqual,
  deepEqual: shared.deepStrictEqual,
  notDeepEqual: shared.notDeepStrictEqual,
});

export default Object.assign(callable, {
  ...shared,
  equal: comparison("==", isLooseEqual),
  notEqual: comparison("!=", not(isLooseEqual)),
  deepEqual: comparison("deepEqual", isDeepLooseEqual),
  notDeepEqual: comparison("notDeepEqual", not(isDeepLooseEqual)),
  strict: Object.assign(strict, { strict }),
});
