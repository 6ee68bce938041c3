import { errorCode, errorMessage } from "../core/index.ts";

/** An error as one sentence with its code; `where` is named for errors that say nothing of it. */
export function failureText(error: unknown, where: string): string {
  const [message = ""] = errorMessage(error).split("\n");
  const code = errorCode(error);
  return code === undefined ? `${where} failed: ${message}` : `${message} (${code})`;
}
