/** One row of an error table: the details of a code in, one sentence out. */
export type ErrorTable = { readonly [code: string]: (details: never) => string };

interface PathDetails {
  readonly path: string;
}

interface SystemDetails extends PathDetails {
  readonly reason: string;
}

/** Core's rows of the error table (session tree §16): code → details → sentence. */
const coreErrors = {
  ENTRY_NOT_FOUND: (d: { id: string | null }) =>
    `entry ${JSON.stringify(d.id)} not found in this session; \`coppice tree\` lists the entries`,
  INVALID_ARGUMENT: (d: { argument: string; reason: string }) => `${d.argument}: ${d.reason}`,
  SESSION_HEADER_INVALID: (d: PathDetails & { line?: number; reason: string }) =>
    `${d.path}${d.line ? ` line ${d.line}` : ""}: not a session file, ${d.reason}; the file was not changed`,
  SESSION_READ_ONLY: (d: { reason: string; path?: string }) =>
    `${d.path ?? "this session"} is read-only: ${d.reason}; branch into a new file to go on (--fork)`,
  SESSION_WRITE_FAILED: (d: SystemDetails) =>
    `cannot write ${d.path}: ${d.reason}; the entry was not stored`,
} satisfies ErrorTable;

/**
 * The one error class of coppice. Compare `code`, never the class: errors that cross a process
 * border keep their code only. `details` are the facts the sentence was made from.
 */
export class CoppiceError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: object = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CoppiceError";
    this.code = code;
    this.details = { ...details };
  }
}

/** A maker of errors for one table: `raise(code, details)` gives the error to throw. */
export function errorMaker<T extends ErrorTable>(table: T) {
  return <C extends keyof T & string>(
    code: C,
    details: Parameters<T[C]>[0],
    cause?: unknown,
  ): CoppiceError => {
    const sentence = table[code] as (details: unknown) => string;
    return new CoppiceError(code, oneLine(sentence(details)), details as object, cause);
  };
}

export const coreError = errorMaker(coreErrors);

/** The code of an error from either side of a border, or `undefined`. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** The message of anything thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ");
}
