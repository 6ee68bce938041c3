import type { FilesTouched } from "./files-touched.ts";

const PREAMBLE =
  "Another branch of this conversation was explored before coming back to this point. " +
  "A summary of that branch follows.";

/**
 * What is stored for a branch summary: a preamble, the model's text, and the files if there are any
 * (session tree §9.4). Programs read the entry's `details`, never this text.
 */
export function branchSummaryText(modelText: string, files: FilesTouched): string {
  return `${PREAMBLE}\n\n${modelText}${fileSection(files)}`;
}

/** The file section of a summary, with the blank line before it; empty without files. */
export function fileSection({ readFiles, modifiedFiles }: FilesTouched): string {
  return [element("read-files", readFiles), element("modified-files", modifiedFiles)].join("");
}

function element(name: string, paths: readonly string[]): string {
  if (paths.length === 0) return "";
  return `\n\n<${name}>\n${paths.join("\n")}\n</${name}>`;
}
