import type { NewReport } from "../reports.ts";
import { sandboxError } from "./errors.ts";
import type { GuestLink } from "./guest-link.ts";
import type { Death } from "./host-process.ts";

/** The error of everything that a guest had under way when it was ended. */
export function crashed(extension: string, kind: string, limit?: string): Error {
  return sandboxError("EXTENSION_CRASHED", { extension, kind, ...(limit && { limit }) });
}

/** What a guest has exceeded, in words; empty where the kind of its fault says it all. */
export function limitWords(kind: string, limit: number): string {
  const units: Readonly<Record<string, string>> = {
    timeout: `computed for more than ${limit} ms`,
    stuck: `did not stop within ${limit} ms`,
    wedged: `did not stop within ${limit} ms`,
    oom: `more than ${limit} MB of memory`,
    catastrophic: `more than ${limit} MB of memory`,
    backlog: `more than ${limit} turns waiting`,
    flood: "sent more than it may",
  };
  return units[kind] ?? "";
}

/** The one line for the end of a host that no package is to blame for (sandbox spec §2.6). */
export function deathReport(
  lost: readonly { readonly link: GuestLink }[],
  { reason }: Death,
): NewReport {
  const message = `the process they ran in is gone: ${reason}; they start again at once`;
  const extension = lost.map(({ link }) => link.parts.instance.extension.id).join(", ");
  return { code: "EXTENSION_CRASHED", extension, version: "", where: "sandbox", message };
}
