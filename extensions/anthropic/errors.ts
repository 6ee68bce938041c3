import { type ErrorTable, errorMaker, errorMessage } from "coppice/core";

/** Shown wherever credentials are missing. */
export const CREDENTIALS_HINT = "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN";

const anthropicErrors = {
  MODEL_CREDENTIALS_MISSING: () =>
    `provider anthropic has no credentials: ${CREDENTIALS_HINT}, or choose /model offline`,
  MODEL_LIST_FAILED: (d: { reason: string }) => `anthropic gave no list of models: ${d.reason}`,
} satisfies ErrorTable;

export const anthropicError = errorMaker(anthropicErrors);

/** Longest failure in characters. */
const LONGEST = 500;

/**
 * One clean line that says why a call failed: status, kind and message of the API, or what stood in
 * the way of reaching it. `secrets` never stand in it, nor does anything that looks like a key.
 */
export function failureText(error: unknown, baseUrl: string, secrets: readonly string[]): string {
  const text = plainText(error, baseUrl);
  const safe = secrets
    .filter((secret) => secret !== "")
    .reduce((rest, secret) => rest.replaceAll(secret, "[key]"), text)
    .replace(/\bsk-[\w-]{8,}/g, "[key]")
    .replace(/\/\/[^/\s@]+@/g, "//[key]@");
  const line = safe.replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

/** Controls, separators, and the characters that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

interface Failure {
  readonly status?: number;
  readonly type?: string | null;
  /** Set if the API itself answered. */
  readonly apiMessage?: string | null;
  readonly cause?: unknown;
}

function plainText(error: unknown, baseUrl: string): string {
  const { status, type, apiMessage, cause } = error as Failure;
  if (apiMessage) return `${[status, type].filter(Boolean).join(" ")}: ${apiMessage}`;
  if (isConnectionError(error)) return `cannot reach ${origin(baseUrl)}: ${rootCause(error)}`;
  return cause ? `the connection broke off: ${rootCause(error)}` : errorMessage(error);
}

/** The address without user, password and path. */
function origin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function isConnectionError(error: unknown): boolean {
  const name = (error as object | undefined)?.constructor?.name ?? "";
  return name.startsWith("APIConnection");
}

/** The message of the innermost cause, which names the system's error. */
function rootCause(error: unknown): string {
  const { cause, message, code } = error as { cause?: unknown; message?: string; code?: string };
  if (cause) return rootCause(cause);
  return message || code || String(error);
}
