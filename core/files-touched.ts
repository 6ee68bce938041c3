import { isFromExtension, isJsonObject, isKind, type SessionEntry } from "./entries.ts";
import { type AgentMessage, toolCalls } from "./messages.ts";

/** Files by what was done to them, each list sorted by code unit (session tree §9.3). */
export interface FilesTouched {
  /** Read and not modified. */
  readonly readFiles: string[];
  readonly modifiedFiles: string[];
}

/** Gathers the files that tool calls and earlier summaries name. */
export class FileSets {
  readonly #read = new Set<string>();
  readonly #modified = new Set<string>();

  /** The calls `read`, `write` and `edit` of an assistant message that have a `path`. */
  addCalls(message: AgentMessage): void {
    for (const call of toolCalls(message)) {
      const path = isJsonObject(call.arguments) ? call.arguments.path : undefined;
      if (typeof path !== "string" || path === "") continue;
      if (call.name === "read") this.#read.add(path);
      else if (call.name === "write" || call.name === "edit") this.#modified.add(path);
    }
  }

  /** The lists in the details of a branch summary that no extension made. */
  addSummary(entry: SessionEntry): void {
    if (!isKind(entry, "branch_summary") || isFromExtension(entry) === true) return;
    if (!isJsonObject(entry.details)) return;
    addStrings(this.#read, entry.details.readFiles);
    addStrings(this.#modified, entry.details.modifiedFiles);
  }

  result(): FilesTouched {
    return {
      readFiles: [...this.#read].filter((path) => !this.#modified.has(path)).sort(),
      modifiedFiles: [...this.#modified].sort(),
    };
  }
}

function addStrings(set: Set<string>, list: unknown): void {
  if (!Array.isArray(list)) return;
  for (const item of list) if (typeof item === "string") set.add(item);
}
