/** Codes of what loading a session found, in the order they stand for one line (session tree §16). */
export const DIAGNOSTIC_CODES = [
  "MALFORMED_LINE",
  "NOT_AN_OBJECT",
  "MISSING_TYPE",
  "MISSING_ID",
  "GLUED_RECORDS",
  "TORN_TAIL",
  "INVALID_UTF8",
  "OVERSIZED_LINE",
  "EXTRA_HEADER",
  "DUPLICATE_ID",
  "PARENT_MISSING",
  "PARENT_CYCLE",
  "MARKER_INVALID",
  "KEPT_ID_UNRESOLVED",
  "VERSION_NEWER",
  "READ_ONLY_FOLDER",
] as const;

export type DiagnosticCode = (typeof DIAGNOSTIC_CODES)[number];

/**
 * Something that loading noticed and worked around. `line` counts from 1; `offset` and `length` are
 * bytes from the start of the file, without the line end (session tree §3.2, §16).
 */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly line?: number;
  readonly offset?: number;
  readonly length?: number;
  readonly id?: string;
  readonly message: string;
}

/** The same diagnostics in file order; those of one line in the order of the codes. */
export function inFileOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      (a.line ?? 0) - (b.line ?? 0) ||
      DIAGNOSTIC_CODES.indexOf(a.code) - DIAGNOSTIC_CODES.indexOf(b.code),
  );
}
