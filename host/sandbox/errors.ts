import { CoppiceError, type ErrorTable, errorMaker } from "../../core/index.ts";

/** Rows of the error table for the border of the sandbox (sandbox spec §3.5): code → details → sentence. */
const sandboxErrors = {
  EXTENSION_CRASHED: (d: { extension: string; kind: string; limit?: string; next?: string }) =>
    `${d.extension} was ended (${d.kind}${d.limit ? `: ${d.limit}` : ""})${d.next ? `; ${d.next}` : ""}`,
  LIMIT_EXCEEDED: (d: { limit: string; value?: number; unit?: string; setting?: string }) =>
    `over the limit: ${d.limit}${d.value === undefined ? "" : `, at most ${d.value}`}` +
    `${d.unit ? ` ${d.unit}` : ""}${d.setting ? ` (setting ${d.setting})` : ""}`,
  HOST_ERROR: (d: { ref: number }) => `host call failed (${d.ref} in the log)`,
  SYNC_LANE: (d: { member: string }) =>
    `${d.member} waits for the host and cannot be used while something is drawn; ` +
    "call it in a command or an event handler",
  NOT_CLONEABLE: (d: { path: string; reason: string }) =>
    `${d.path} cannot leave the extension: ${d.reason}`,
  /** What the extension host sent breaks the form of frames. It ends there and then. */
  PROTOCOL_BREACH: (d: { reason: string }) => `the extension host sent ${d.reason}`,
} satisfies ErrorTable;

/** Makes an error of the sandbox's table; the caller throws or reports it. */
export const sandboxError = errorMaker(sandboxErrors);

export interface GuestErrorParts {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a guest has thrown. Its words and its stack are the package's own. */
export function guestError({ name, message, stack, code, details }: GuestErrorParts): Error {
  const error =
    code === undefined ? new Error(message) : new CoppiceError(code, message ?? "", details);
  if (code === undefined && name !== undefined) error.name = name;
  error.stack = stack ?? `${error.name}: ${error.message}`;
  return error;
}
