import type { ImageBlock, TextBlock } from "../core/index.ts";
import type { ExtensionContext } from "./api.ts";

/** What a tool gives back (extensions spec §2.9). */
export interface ToolResult {
  /** For the model; over 50 kB or 2000 lines it is cut, with a note. */
  readonly content: readonly (TextBlock | ImageBlock)[];
  /** Plain data for the session and for handlers; the model is not sent it. */
  readonly details?: unknown;
  readonly isError?: boolean;
  /** Ends the run, if every result of the reply's calls sets it. */
  readonly terminate?: boolean;
}

/** What `registerTool` takes (extensions spec §2.9). A throw of its functions is an error result. */
export interface ToolDefinition<Params = Readonly<Record<string, unknown>>> {
  /** For the model, characters other than `A–Z a–z 0–9 _ -` become `_`; at most 64 are used. */
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  /** A JSON Schema of an object, such as TypeBox builds; with the description at most 64 KiB. */
  readonly parameters: object;
  /** One line, and further lines, of the system prompt while the tool is active. */
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  /** Calls of one reply run one after the other here, whatever it says. */
  readonly executionMode?: "sequential" | "parallel";
  /** False: registered, but not active. */
  readonly defaultActive?: boolean;
  /** Changes the arguments of a call before they are validated. */
  prepareArguments?(args: unknown): unknown;
  /** Does the work, as long as it takes. `signal` fires on Escape; of updates the newest counts. */
  execute(
    toolCallId: string,
    params: Params,
    signal: AbortSignal,
    onUpdate: (partialResult: ToolResult) => void,
    ctx: ExtensionContext,
  ): ToolResult | Promise<ToolResult>;
}

/** A tool as extensions see it. */
export interface ToolInfo {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Id of the extension that has registered it. */
  readonly sourceInfo: string;
}
