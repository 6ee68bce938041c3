import { createContext, Script } from "node:vm";
import { errorMessage } from "../core/index.ts";
import { cleanLine } from "./text/index.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Milliseconds that checking arguments may hold the event loop, and how often that is tried. Both
 * the schema and its patterns are the author's, and may be made never to end (sandbox spec §1.3).
 */
const LIMIT_MS = 30;
const TRIES = 3;
const TIMED_OUT = "ERR_SCRIPT_EXECUTION_TIMEOUT";
/** Problems that the model is told of, and characters of each. */
const PROBLEMS = 3;
const PROBLEM_LENGTH = 300;

/** Why arguments do not fit a JSON Schema, in words for a model; `undefined` if they fit. */
export async function misfitOfArguments(
  schema: Schema,
  args: unknown,
): Promise<string | undefined> {
  const { Errors } = await import("typebox/schema");
  const [fits, problems] = await bounded(() => Errors(schema, args));
  if (fits) return undefined;
  const lines = problems
    .slice(0, PROBLEMS)
    .map(({ instancePath, message }) => `${instancePath || "the arguments"} ${message}`);
  return lines.map((line) => cleanLine(line.slice(0, PROBLEM_LENGTH))).join("; ");
}

type Outcome = readonly [
  fits: boolean,
  problems: readonly { readonly instancePath: string; readonly message: string }[],
];

/** The outcome, or a problem with the schema itself. Other work runs between the tries. */
async function bounded(check: () => Outcome): Promise<Outcome> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return runBounded(check);
    } catch (error) {
      if ((error as { code?: unknown }).code !== TIMED_OUT) return broken(errorMessage(error));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return broken(`checking takes longer than ${LIMIT_MS} ms`);
}

function broken(reason: string): Outcome {
  return [false, [{ instancePath: "", message: `cannot be checked by its schema: ${reason}` }]];
}

const context: { check: (() => Outcome) | undefined } = { check: undefined };
const script = new Script("check()");
let realm: object | undefined;

/** The engine ends what is called from a script with a time limit, also inside a pattern. */
function runBounded(check: () => Outcome): Outcome {
  realm ??= createContext(context);
  context.check = check;
  try {
    return script.runInContext(realm, { timeout: LIMIT_MS }) as Outcome;
  } finally {
    context.check = undefined;
  }
}
