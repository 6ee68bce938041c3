import { coreError } from "../core/index.ts";
import type { Shape } from "./shape.ts";
import type { ToolDefinition } from "./tools-types.ts";

/** Fields of a tool that count here; their functions cross the border of the sandbox. */
export const TOOL_SHAPE: Shape = {
  name: "string",
  label: "string?",
  description: "string",
  parameters: "object",
  promptSnippet: "string?",
  promptGuidelines: ["?", ["string"]],
  executionMode: "string?",
  defaultActive: "boolean?",
  prepareArguments: "function?",
  execute: "function",
  renderCall: "function?",
  renderResult: "function?",
  onSession: "function?",
  constrainedSampling: "any",
  outputSchema: "any",
};

/** Accepted, without effect, and reported (extensions spec §1.3). */
export const IGNORED_FIELDS = [
  "renderCall",
  "renderResult",
  "onSession",
  "constrainedSampling",
  "outputSchema",
] as const;

/** Characters of all texts of a tool and its schema together (sandbox spec §5.5). */
const MAX_TEXT = 64 * 1024;

/** The text of the parameters of a tool. Raises INVALID_ARGUMENT for what can be no tool. */
export function checkTool(tool: ToolDefinition): string {
  if (!/^\S[^\n]{0,199}$/.test(tool.name)) {
    throw refused("name must be one line of 1 to 200 characters");
  }
  const schema = schemaText(tool.parameters);
  if (schema.length + textLength(tool) > MAX_TEXT) {
    throw refused(`its texts and parameters have at most ${MAX_TEXT} characters together`);
  }
  return schema;
}

function textLength(tool: ToolDefinition): number {
  const { description, label, promptSnippet, promptGuidelines } = tool;
  const lines = promptGuidelines ?? [];
  let length = description.length + (label ?? "").length + (promptSnippet ?? "").length;
  for (let i = 0; i < lines.length; i++) length += (lines[i] ?? "").length;
  return length;
}

function schemaText(parameters: object): string {
  try {
    return JSON.stringify(parameters);
  } catch (error) {
    const reason = "parameters must be a JSON Schema, which holds neither itself nor a BigInt";
    throw refused(reason, error);
  }
}

function refused(reason: string, cause?: unknown): Error {
  return coreError("INVALID_ARGUMENT", { argument: "api.registerTool", reason }, cause);
}
